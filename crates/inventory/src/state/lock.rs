//! `mind.lock`: everything that is needed to install the same again.

use std::collections::BTreeMap;

use minds_sources::{Identity, ItemKey, Pin};
use minds_vfs::{ContentHash, WorkspacePath};

use super::config::decode;
use super::document::StateError;
use super::lock_text;
use super::registry::Alias;

/// The name of the file: in the data directory for the current installation, and next to a dump.
pub const LOCK_FILE: &str = "mind.lock";

/// Everything that is needed to install the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// The sources, in the order in which they were registered. No two have the same identity.
    pub sources: Vec<LockedSource>,
}

/// A source at one commit, and its installed items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedSource {
    /// The identity.
    pub identity: Identity,
    /// The URL or path from which it is read.
    pub url: String,
    /// The prefix that overrides its own.
    pub alias: Alias,
    /// The pin, which is used on upgrades; for a folder of this machine, the commit that was read.
    pub pin: Pin,
    /// The folders in which items are found by convention, if they override those of the source.
    pub roots: Option<Vec<WorkspacePath>>,
    /// The full id of the commit; `None` for a folder that is not a repository.
    pub commit: Option<String>,
    /// The full id of its tree.
    pub tree: Option<String>,
    /// Whether everything that the source offers is installed.
    pub is_whole: bool,
    /// The installed items, by kind and the name in the source.
    pub items: BTreeMap<ItemKey, LockedItem>,
}

/// An installed item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockedItem {
    /// The hash of the offered content.
    pub hash: ContentHash,
}

/// A difference between a source and the lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockRefusal {
    /// The source is not in the lock.
    #[error("`{0}` is not in `mind.lock`")]
    Unlocked(Identity),
    /// It is read from another location.
    #[error("`{source_name}` is locked to another location: `{locked}`, not `{found}`")]
    Url {
        /// The source.
        source_name: Identity,
        /// The locked location.
        locked: String,
        /// The actual location.
        found: String,
    },
    /// Its commit or its tree is another one.
    #[error("`{source_name}` is locked to {what} {locked}, but has {found}")]
    Revision {
        /// The source.
        source_name: Identity,
        /// `commit` or `tree`.
        what: &'static str,
        /// The locked id.
        locked: String,
        /// The actual id.
        found: String,
    },
    /// A locked item is no longer offered.
    #[error("`{key}` of `{source_name}` is locked, but no longer offered")]
    Missing {
        /// The source.
        source_name: Identity,
        /// The item, by its name in the source.
        key: ItemKey,
    },
    /// The content of an item is not the locked one.
    #[error("`{key}` of `{source_name}` does not have the locked content")]
    Content {
        /// The source.
        source_name: Identity,
        /// The item, by its name in the source.
        key: ItemKey,
    },
    /// The whole source is locked, and it offers an item that is not in the lock.
    #[error("`{key}` of `{source_name}` is offered, but not in `mind.lock`")]
    Extra {
        /// The source.
        source_name: Identity,
        /// The item, by its name in the source.
        key: ItemKey,
    },
}

impl Lock {
    /// Parses the file.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn parse(text: impl Into<minds_diagnostics::Contents>) -> Result<Self, StateError> {
        let source = minds_diagnostics::SourceFile::new(LOCK_FILE, text);
        let raw = decode(&source)?;
        lock_text::parse_lock(&raw)
    }

    /// Serializes the lock; equal locks give equal text.
    pub fn write(&self) -> String {
        lock_text::write(self)
    }

    /// Returns the source with this identity.
    pub fn find(&self, identity: &Identity) -> Option<&LockedSource> {
        self.sources.iter().find(|source| source.identity == *identity)
    }

    /// Returns the source with this identity, if it is read from the locked location.
    ///
    /// # Errors
    ///
    /// Fails if the source is not in the lock, or is read from another location.
    pub fn require(&self, identity: &Identity, url: &str) -> Result<&LockedSource, LockRefusal> {
        let locked = self.find(identity).ok_or_else(|| LockRefusal::Unlocked(identity.clone()))?;
        if locked.url != url {
            return Err(LockRefusal::Url {
                source_name: identity.clone(),
                locked: locked.url.clone(),
                found: url.to_owned(),
            });
        }
        Ok(locked)
    }
}

impl LockedSource {
    /// Checks that a source is at the locked commit.
    ///
    /// # Errors
    ///
    /// Fails if its commit or tree differs; ids that are not locked are not compared.
    pub fn check_revision(&self, commit: Option<&str>, tree: Option<&str>) -> Result<(), LockRefusal> {
        let pairs = [("commit", self.commit.as_deref(), commit), ("tree", self.tree.as_deref(), tree)];
        for (what, locked, found) in pairs {
            if let Some(locked) = locked
                && found != Some(locked)
            {
                return Err(LockRefusal::Revision {
                    source_name: self.identity.clone(),
                    what,
                    locked: locked.to_owned(),
                    found: found.unwrap_or("none").to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Checks that a source offers the locked items: `offered` are the hashes of its items, by kind and name
    /// in the source.
    ///
    /// # Errors
    ///
    /// Returns every difference: items that are missing, items with other content, and, if the whole source
    /// is locked, new items.
    pub fn check_items(&self, offered: &BTreeMap<ItemKey, ContentHash>) -> Result<(), Vec<LockRefusal>> {
        let mut refusals = Vec::new();
        let source_name = &self.identity;
        for (key, locked) in &self.items {
            let (source_name, key) = (source_name.clone(), key.clone());
            match offered.get(&key) {
                None => refusals.push(LockRefusal::Missing { source_name, key }),
                Some(hash) if *hash != locked.hash => {
                    refusals.push(LockRefusal::Content { source_name, key });
                }
                Some(_) => {}
            }
        }
        let extra = offered.keys().filter(|key| self.is_whole && !self.items.contains_key(key));
        refusals.extend(
            extra.map(|key| LockRefusal::Extra { source_name: source_name.clone(), key: key.clone() }),
        );
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }
}

impl LockRefusal {
    /// Returns the stable name of the kind of refusal.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Unlocked(_) => "not-locked",
            Self::Url { .. } => "locked-elsewhere",
            Self::Revision { .. } => "locked-revision",
            Self::Missing { .. } => "locked-item-missing",
            Self::Content { .. } => "locked-content",
            Self::Extra { .. } => "locked-item-extra",
        }
    }
}

//! `mind.lock`: what has to be read to install the same again.

use std::collections::BTreeMap;

use minds_document::ContentHash;
use minds_paths::WorkspacePath;

use super::config::decode;
use super::document::StateError;
use super::lock_text;
use super::registry::Alias;
use crate::{Identity, ItemKey, Pin};

/// The file: in the folder of this program what is installed there, and beside a dump what belongs to it.
pub const LOCK_FILE: &str = "mind.lock";

/// What has to be read to install the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// The sources, in the order in which they were melded. No two have the same identity.
    pub sources: Vec<LockedSource>,
}

/// A source at one commit, and what is installed of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedSource {
    /// What it is known by.
    pub identity: Identity,
    /// Where it is read from.
    pub url: String,
    /// What takes the place of its prefix.
    pub alias: Alias,
    /// Which commit counts when it is brought up to date; for a folder of this machine the one that was read.
    pub pin: Pin,
    /// Where the convention is followed, instead of where the source says.
    pub roots: Option<Vec<WorkspacePath>>,
    /// The full id of the commit; none for a folder that is no repository.
    pub commit: Option<String>,
    /// The full id of its tree.
    pub tree: Option<String>,
    /// Whether everything that the source offers is installed.
    pub is_whole: bool,
    /// The items that are installed, by kind and the name that they have in the source.
    pub items: BTreeMap<ItemKey, LockedItem>,
}

/// An item that is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockedItem {
    /// The hash of what the source offers.
    pub hash: ContentHash,
}

/// What a source offers is not what is locked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockRefusal {
    /// The source is not in the lock.
    #[error("`{0}` is not in `mind.lock`")]
    Unlocked(Identity),
    /// It is read from elsewhere.
    #[error("`{source_name}` is locked to another place: `{locked}`, not `{found}`")]
    Url {
        /// Which source.
        source_name: Identity,
        /// Where the lock says that it is read from.
        locked: String,
        /// Where it would be read from.
        found: String,
    },
    /// Its commit or its tree is another.
    #[error("`{source_name}` is locked to {what} {locked}, and has {found}")]
    Revision {
        /// Which source.
        source_name: Identity,
        /// `commit` or `tree`.
        what: &'static str,
        /// What the lock says.
        locked: String,
        /// What was found.
        found: String,
    },
    /// An item is not offered any more.
    #[error("`{key}` of `{source_name}` is locked, and not offered")]
    Missing {
        /// Which source.
        source_name: Identity,
        /// Which item, by its name in the source.
        key: ItemKey,
    },
    /// An item has another content.
    #[error("`{key}` of `{source_name}` has another content than the locked one")]
    Content {
        /// Which source.
        source_name: Identity,
        /// Which item, by its name in the source.
        key: ItemKey,
    },
    /// The whole source is locked, and it offers an item that is not in the lock.
    #[error("`{key}` of `{source_name}` is offered, and not in `mind.lock`")]
    Extra {
        /// Which source.
        source_name: Identity,
        /// Which item, by its name in the source.
        key: ItemKey,
    },
}

impl Lock {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Returns the first thing that is wrong with it.
    pub fn parse(text: impl Into<minds_diagnostics::Contents>) -> Result<Self, StateError> {
        let source = minds_diagnostics::SourceFile::new(LOCK_FILE, text);
        let raw = decode(&source)?;
        lock_text::understand(&raw)
    }

    /// Returns the file: the same for equal locks.
    pub fn write(&self) -> String {
        lock_text::write(self)
    }

    /// Returns the source with this identity.
    pub fn find(&self, identity: &Identity) -> Option<&LockedSource> {
        self.sources.iter().find(|source| source.identity == *identity)
    }

    /// Returns the source with this identity, if it is read from where the lock says.
    ///
    /// # Errors
    ///
    /// Fails if the source is not in the lock, or elsewhere.
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
    /// Checks that a source was read at the locked commit.
    ///
    /// # Errors
    ///
    /// Fails if its commit or tree is another; what the lock does not say is not compared.
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

    /// Checks that a source offers what is locked: `offered` are the hashes of its items, by kind and bare name.
    ///
    /// # Errors
    ///
    /// Returns every difference: items that are missing, that have another content, and, if the whole source is locked,
    /// items that are new.
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
    /// Returns the stable word for the kind of refusal.
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

#[cfg(test)]
mod tests;

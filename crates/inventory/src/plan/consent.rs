//! Planned hooks, and the hash that consent is given to.

use std::fmt;

use minds_sources::{Hook, HookEvent, Identity, ItemKey};
use minds_vfs::ContentHash;

/// The owner of a hook.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookOwner {
    /// A whole source.
    Source,
    /// An item, on installation or removal.
    Item(ItemKey),
    /// An item, on its build before installation.
    Build(ItemKey),
}

impl fmt::Display for HookOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source => f.write_str("source"),
            Self::Item(key) => write!(f, "{key}"),
            Self::Build(key) => write!(f, "build of {key}"),
        }
    }
}

/// A command that a plan runs with the consent of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedHook {
    /// The source that it is from.
    pub source: Identity,
    /// Its owner.
    pub owner: HookOwner,
    /// The command.
    pub hook: Hook,
    /// The key by which the command is recorded, independent of its files: the hash of the source, the kind
    /// of owner, the event and the command.
    pub hash: ContentHash,
    /// The version of the files that the command runs with: the commit, and a hash of the files. Empty until
    /// it is needed.
    pub version: String,
}

impl PlannedHook {
    /// Creates a hook of a source or of an item.
    pub fn new(source: Identity, owner: HookOwner, hook: Hook, version: String) -> Self {
        let hash = command_hash(&source, &owner, hook.event, &hook.run);
        Self { source, owner, hook, hash, version }
    }

    /// Returns the hash that consent is given to. It covers the command, its source, the URL or path from
    /// which the source is read, and the files that the command runs with.
    pub fn consent_hash(&self, remote: &str) -> ContentHash {
        hash_of("minds hook 2\n", &[&self.hash.to_string(), remote, &self.version])
    }
}

/// Returns the description of the files of an item for a hash: their commit, if there is one, and their hash.
pub(super) fn version_of(commit: Option<&str>, files: ContentHash) -> String {
    match commit {
        Some(commit) => format!("commit {commit}, files {files}"),
        None => format!("files {files}"),
    }
}

/// Returns the hash of a command: of its source, its owner, the event and the exact text.
fn command_hash(source: &Identity, owner: &HookOwner, event: HookEvent, run: &str) -> ContentHash {
    let owner = owner.to_string();
    hash_of("minds hook 1\n", &[source.as_str(), owner.as_str(), event.name(), run])
}

/// Returns the hash of a list of strings. Each is preceded by its length, so different lists are hashed as
/// different bytes.
fn hash_of(kind: &str, parts: &[&str]) -> ContentHash {
    let mut frame = kind.as_bytes().to_vec();
    for part in parts {
        frame.extend_from_slice(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        frame.extend_from_slice(part.as_bytes());
    }
    ContentHash::of(&frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use minds_sources::{ItemKind, ItemName};

    #[test]
    fn consent_covers_one_command_of_one_owner() {
        let source = |name: &str| Identity::parse(name).unwrap();
        let item = HookOwner::Item(ItemKey { kind: ItemKind::Tool, name: ItemName::parse("t").unwrap() });
        let cases = [
            command_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Install, "make"),
            command_hash(&source("h/o/s"), &HookOwner::Source, HookEvent::Install, "make"),
            command_hash(&source("h/o/r"), &item, HookEvent::Install, "make"),
            command_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Uninstall, "make"),
            command_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Install, "make "),
            command_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Install, ""),
        ];
        for (at, hash) in cases.iter().enumerate() {
            assert!(!cases[at + 1..].contains(hash), "{at}");
        }
    }

    #[test]
    fn consent_covers_the_files_of_one_location() {
        let hook = |run: &str, version: &str| {
            let hook =
                Hook { run: run.to_owned(), name: None, is_optional: false, event: HookEvent::Install };
            PlannedHook::new(Identity::parse("h/o/r").unwrap(), HookOwner::Source, hook, version.to_owned())
        };
        let cases = [
            hook("make", "commit a").consent_hash("https://h/o/r"),
            hook("make", "commit b").consent_hash("https://h/o/r"),
            hook("make", "commit a").consent_hash("https://x@h/o/r"),
            hook("make x", "commit a").consent_hash("https://h/o/r"),
        ];
        for (at, hash) in cases.iter().enumerate() {
            assert!(!cases[at + 1..].contains(hash), "{at}");
        }
        assert_eq!(hook("make", "commit a").hash, hook("make", "commit b").hash);
    }
}

//! Hooks, and what one consents to.

use std::fmt;

use minds_document::ContentHash;

use crate::{Hook, HookEvent, Identity, ItemKey};

/// What a hook belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookOwner {
    /// A whole source.
    Source,
    /// An item, when it is installed or removed.
    Item(ItemKey),
    /// An item that is built before it is installed.
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

/// A command that a plan wants to have run, if somebody consents to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedHook {
    /// The source that it is from.
    pub source: Identity,
    /// What it belongs to.
    pub owner: HookOwner,
    /// The command.
    pub hook: Hook,
    /// What one consents to: the hash of the source, the owner's kind, the event and the command.
    pub hash: ContentHash,
}

impl PlannedHook {
    /// Returns a hook of a source or an item of it.
    pub fn new(source: Identity, owner: HookOwner, hook: Hook) -> Self {
        let hash = consent_hash(&source, &owner, hook.event, &hook.run);
        Self { source, owner, hook, hash }
    }
}

/// Returns the hash that stands for the consent to a command: of the source, what in it the command belongs to, the event and
/// the exact text. The length of each stands before it, so no two have the same.
pub fn consent_hash(source: &Identity, owner: &HookOwner, event: HookEvent, run: &str) -> ContentHash {
    let owner = owner.to_string();
    let mut frame = Vec::with_capacity(128 + run.len());
    frame.extend_from_slice(b"minds hook 1\n");
    for part in [source.as_str(), owner.as_str(), event.name(), run] {
        frame.extend_from_slice(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        frame.extend_from_slice(part.as_bytes());
    }
    ContentHash::of(&frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ItemKind, ItemName};

    #[test]
    fn consent_is_to_one_command_of_one_owner() {
        let source = |name: &str| Identity::parse(name).unwrap();
        let item = HookOwner::Item(ItemKey { kind: ItemKind::Tool, name: ItemName::parse("t").unwrap() });
        let cases = [
            consent_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Install, "make"),
            consent_hash(&source("h/o/s"), &HookOwner::Source, HookEvent::Install, "make"),
            consent_hash(&source("h/o/r"), &item, HookEvent::Install, "make"),
            consent_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Uninstall, "make"),
            consent_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Install, "make "),
            consent_hash(&source("h/o/r"), &HookOwner::Source, HookEvent::Install, ""),
        ];
        for (at, hash) in cases.iter().enumerate() {
            assert!(!cases[at + 1..].contains(hash), "{at}");
        }
    }
}

//! Comparing the installed files with the recorded state.

use std::collections::BTreeSet;

use minds_sources::ItemKey;

use crate::plan::{InventoryContext, Occupant, Places};
use crate::{AbsolutePath, InstalledItem, Lock, LockedSource, Placement};

minds_diagnostics::kinds! {
    /// A difference between the recorded state and the files. The name of each kind is stable, for programs.
    pub enum FindingKind {
        /// The lock file has a source that is not registered.
        SourceNotMelded = "source-not-melded";
        /// A source is registered that is not in the lock file.
        SourceNotLocked = "source-not-locked";
        /// A source is registered at another commit than the locked one.
        OtherCommit = "other-commit";
        /// A source has another tree than the locked one.
        OtherTree = "other-tree";
        /// The lock file has an item that is not installed.
        NotInstalled = "not-installed";
        /// An item is installed that is not in the lock file.
        NotLocked = "not-locked";
        /// The content of an installed item is not the locked one.
        OtherContent = "other-content";
        /// The stored files of an item were modified.
        Drifted = "drifted";
        /// The stored files of an item are missing.
        MissingStore = "missing-store";
        /// An item is missing in an agent home.
        MissingLink = "missing-link";
        /// The copy of an item in an agent home was modified.
        DriftedCopy = "drifted-copy";
        /// Another file is at the path of an item in an agent home.
        ForeignLink = "foreign-link";
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of difference.
    pub kind: FindingKind,
    /// The source, or the item.
    pub subject: String,
    /// The difference, for people.
    pub message: String,
}

/// Returns the paths that [`verify`] has to know: of every item, where it is stored and where it is placed.
pub fn verify_places(context: &InventoryContext<'_>) -> BTreeSet<AbsolutePath> {
    let items = context.installed.items.values();
    items.flat_map(|item| item.placed.keys().cloned().chain([context.store_path(&item.key)])).collect()
}

/// Compares the installed items with their records and, if there is one, with a lock. `places` has the
/// occupants of all of [`verify_places`].
///
/// Returns every difference, first those of sources, then those of items, sorted by name.
pub fn verify(context: &InventoryContext<'_>, lock: Option<&Lock>, places: &Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(lock) = lock {
        compare_with_lock(context, lock, &mut findings);
    }
    for item in context.installed.items.values() {
        compare_with_disk(context, item, places, &mut findings);
    }
    findings
}

fn compare_with_lock(context: &InventoryContext<'_>, lock: &Lock, findings: &mut Vec<Finding>) {
    let mut push = |kind, subject: String, message: String| findings.push(Finding { kind, subject, message });
    for locked in &lock.sources {
        let name = locked.identity.to_string();
        let Some(source) = context.registry.find(&locked.identity) else {
            push(FindingKind::SourceNotMelded, name, "it is in the lock file, but not registered".to_owned());
            continue;
        };
        if locked.commit != source.commit {
            let message = format!(
                "it is locked to commit {}, but registered at {}",
                id_or_none(locked.commit.as_ref()),
                id_or_none(source.commit.as_ref())
            );
            push(FindingKind::OtherCommit, name, message);
        } else if locked.tree != source.tree {
            let message = format!(
                "its tree is locked to {}, but is {}",
                id_or_none(locked.tree.as_ref()),
                id_or_none(source.tree.as_ref())
            );
            push(FindingKind::OtherTree, name, message);
        }
    }
    for source in &context.registry.sources {
        if lock.find(&source.identity).is_none() && !crate::dump::is_dump(context, source) {
            push(
                FindingKind::SourceNotLocked,
                source.identity.to_string(),
                "it is registered, but not in the lock file".to_owned(),
            );
        }
    }
    for locked in &lock.sources {
        compare_items_with_lock(context, locked, &mut push);
    }
}

fn compare_items_with_lock(
    context: &InventoryContext<'_>,
    locked: &LockedSource,
    push: &mut impl FnMut(FindingKind, String, String),
) {
    let mut seen: BTreeSet<ItemKey> = BTreeSet::new();
    for item in context.installed.of(&locked.identity) {
        let bare = ItemKey { kind: item.key.kind, name: item.bare_name.clone() };
        match locked.items.get(&bare) {
            None => push(
                FindingKind::NotLocked,
                item.key.to_string(),
                "it is installed, but not in the lock file".to_owned(),
            ),
            Some(found) if found.hash != item.hash => {
                let message = format!("it is locked to {}, but installed from {}", found.hash, item.hash);
                push(FindingKind::OtherContent, item.key.to_string(), message);
            }
            Some(_) => {}
        }
        seen.insert(bare);
    }
    for bare in locked.items.keys().filter(|bare| !seen.contains(bare)) {
        let message = format!("it is locked in `{}`, but not installed", locked.identity);
        push(FindingKind::NotInstalled, bare.to_string(), message);
    }
}

fn id_or_none(id: Option<&String>) -> &str {
    id.map_or("none", String::as_str)
}

fn compare_with_disk(
    context: &InventoryContext<'_>,
    item: &InstalledItem,
    places: &Places,
    findings: &mut Vec<Finding>,
) {
    let mut push =
        |kind, message: String| findings.push(Finding { kind, subject: item.key.to_string(), message });
    let store = context.store_path(&item.key);
    match places.get(&store) {
        Some(Occupant::Nothing) => push(FindingKind::MissingStore, format!("`{store}` is missing")),
        Some(Occupant::Content(hash)) if *hash == item.stored => {}
        _ => push(FindingKind::Drifted, format!("`{store}` was modified after installation")),
    }
    for (at, placed) in &item.placed {
        match (placed, places.get(at)) {
            (_, Some(Occupant::Nothing)) => {
                push(FindingKind::MissingLink, format!("`{at}` does not exist"));
            }
            (Placement::Link, Some(Occupant::Link(to))) if *to == store.as_str() => {}
            (Placement::Copy(hash), Some(Occupant::Content(found))) if hash == found => {}
            (Placement::Copy(_), Some(Occupant::Content(_))) => {
                push(FindingKind::DriftedCopy, format!("the copy at `{at}` was modified"));
            }
            _ => push(FindingKind::ForeignLink, format!("another file is at `{at}`")),
        }
    }
}

//! Change sets that rewrite files.

use std::collections::BTreeMap;

use minds_vfs::{Change, ChangeSet, Expected, Location, Snapshot, SnapshotEntry};

/// Returns the change set for files with their text before and after, by location: each file is written only if it still
/// has the content that it has in `before`.
pub(crate) fn plan(files: &BTreeMap<Location, (String, String)>, before: &Snapshot) -> ChangeSet {
    let mut changes = ChangeSet::new();
    for (location, (_, after)) in files {
        let (Some(hash), Some(SnapshotEntry::File { mode, .. })) =
            (before.hash(location), before.get(location))
        else {
            continue;
        };
        let write = Change::Write {
            bytes: after.clone().into_bytes(),
            mode: *mode,
            expected: Expected::Content(hash),
        };
        // Each file occurs only once, so the changes do not conflict.
        let _ = changes.add(location.clone(), write);
    }
    changes
}

//! Files whose texts change.

use std::collections::BTreeMap;

use minds_document::{Change, ChangeSet, Expected, Snapshot, SnapshotEntry};
use minds_paths::Location;

/// Returns the plan for texts before and after, by place: each file is written if it still is what it was in `before`.
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
        // Each file is there once, so no change excludes another.
        let _ = changes.add(location.clone(), write);
    }
    changes
}

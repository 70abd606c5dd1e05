//! Searching a whole workspace for packages.

use minds_fs::{Kind, Root};
use minds_vfs::portable::{is_encapsulated, is_same_name};
use minds_vfs::{SnapshotEntry, WorkspacePath};

use super::package_reader::PackageReader;

/// The maximum number of entries.
const MAX_ENTRIES: usize = 200_000;
/// The configuration directory, which is skipped at the top.
const CONFIGURATION: &str = ".minds";

/// Reads all packages that are not ignored, in a stable order. Symbolic links are not followed, and
/// unreadable directories are skipped.
pub(super) fn read(root: &Root, reader: &mut PackageReader<'_>) {
    let walked = root.walk_tree(MAX_ENTRIES, |visited| {
        let entry = visited.entry;
        let Some(name) = entry.real.file_name() else { return false };
        if entry.real.segments().count() == 1 && is_same_name(name, CONFIGURATION) {
            return false;
        }
        let is_relevant = entry.kind == Kind::Directory || is_encapsulated(name);
        if !is_relevant || visited.is_ignored() {
            return false;
        }
        if is_encapsulated(name) {
            reader.read_entry(&entry.real, entry.kind);
            return false;
        }
        true
    });
    if walked.is_err() {
        reader.insert(&WorkspacePath::root(), SnapshotEntry::TooLarge { limit: MAX_ENTRIES as u64 });
    }
}

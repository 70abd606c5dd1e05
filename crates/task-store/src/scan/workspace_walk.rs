//! Searching a whole workspace for packages.

use std::rc::Rc;

use minds_fs::{FileErrorKind, IgnoreFiles, IgnoreLevel, Kind, Root};
use minds_vfs::portable::{is_encapsulated, is_same_name};
use minds_vfs::{MAX_SEGMENTS, SnapshotEntry, WorkspacePath};

use super::package_reader::PackageReader;

/// The maximum number of entries.
const MAX_ENTRIES: usize = 200_000;
/// The git directory, which is skipped everywhere.
const GIT: &str = ".git";
/// The configuration directory, which is skipped at the top.
const CONFIGURATION: &str = ".minds";

/// Reads all packages that are not ignored, in a stable order. Symbolic links are not followed, and
/// unreadable directories are skipped.
pub(super) fn read(root: &Root, reader: &mut PackageReader<'_>) {
    let mut ignored = IgnoreFiles::new(root);
    let mut ahead = vec![(WorkspacePath::root(), None::<Rc<IgnoreLevel>>)];
    let mut left = MAX_ENTRIES;
    while let Some((directory, above)) = ahead.pop() {
        let listing = match root.no_follow().list(&directory, left) {
            Ok(listing) => listing,
            Err(error) if error.kind() == FileErrorKind::TooLarge => {
                reader.insert(&WorkspacePath::root(), SnapshotEntry::TooLarge { limit: MAX_ENTRIES as u64 });
                return;
            }
            Err(_) => continue,
        };
        left = left.saturating_sub(listing.entries.len() + listing.unnamed);
        let level = ignored.enter(&directory, &listing, above);
        let is_deep = directory.segments().count() >= MAX_SEGMENTS;
        let mut inner = Vec::new();
        for entry in listing.entries {
            let Some(name) = entry.real.file_name() else { continue };
            let is_closed = name == GIT || directory.is_root() && is_same_name(name, CONFIGURATION);
            let is_directory = entry.kind == Kind::Directory;
            if is_closed || !(is_directory || is_encapsulated(name)) {
                continue;
            }
            if level.as_deref().is_some_and(|level| level.ignores(&entry.real, is_directory)) {
                continue;
            }
            if is_encapsulated(name) {
                reader.read_entry(&entry.real, entry.kind);
            } else if !is_deep {
                inner.push((entry.real, level.clone()));
            }
        }
        // The first entry goes on top of the stack.
        ahead.extend(inner.into_iter().rev());
    }
}

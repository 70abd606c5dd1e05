//! Looking for packages in all of a workspace.

use std::rc::Rc;

use minds_document::SnapshotEntry;
use minds_paths::portable::{is_encapsulated, same};
use minds_paths::{MAX_SEGMENTS, WorkspacePath};
use minds_system::{FileErrorKind, Kind, Root};

use super::ignored::{Ignored, Level};
use super::reading::Reading;

/// The most entries that are looked at.
const MAX_ENTRIES: usize = 200_000;
/// What is never looked through: what git keeps, wherever it is.
const GIT: &str = ".git";
/// What is never looked through at the top: the configuration.
const CONFIGURATION: &str = ".minds";

/// Reads all packages that lie where no ignore file leaves them out, always in the same order. No link is followed, and
/// directories that may not be looked into are passed over.
pub(super) fn read(root: &Root, reading: &mut Reading<'_>) {
    let mut ignored = Ignored::new(root);
    let mut ahead = vec![(WorkspacePath::root(), None::<Rc<Level>>)];
    let mut left = MAX_ENTRIES;
    while let Some((directory, above)) = ahead.pop() {
        let listing = match root.scoped().list(&directory, left) {
            Ok(listing) => listing,
            Err(error) if error.kind() == FileErrorKind::TooLarge => {
                reading.insert(&WorkspacePath::root(), SnapshotEntry::TooLarge { limit: MAX_ENTRIES as u64 });
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
            let is_closed = name == GIT || directory.is_root() && same(name, CONFIGURATION);
            let is_directory = entry.kind == Kind::Directory;
            if is_closed || !(is_directory || is_encapsulated(name)) {
                continue;
            }
            if level.as_deref().is_some_and(|level| level.ignores(&entry.real, is_directory)) {
                continue;
            }
            if is_encapsulated(name) {
                reading.what(&entry.real, entry.kind);
            } else if !is_deep {
                inner.push((entry.real, level.clone()));
            }
        }
        // What is first goes on top.
        ahead.extend(inner.into_iter().rev());
    }
}

//! Files that other files name.

use std::path::Path;

use minds_compose::{Place, Reader};
use minds_document::{Scope, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId};
use minds_system::{Root, SystemError};

/// How many bytes are read of all files that are named: 256 MiB. A few names can lead to large files again and again.
const MOST_BYTES: usize = 256 << 20;

/// Many files are read at once as long as they are small, so that these bound what is held: 128 MiB.
const SMALL_BYTES: u64 = 64 << 10;
const AT_ONCE: usize = 2_048;

/// Reads what the files of a compose root in `snapshot` name, step by step, and adds it. `root` is the open `directory`,
/// in which the compose root lies. A file outside of the compose root is read through its own directory, which is opened
/// for that; nothing is ever written there. A text that is not saved takes the place of its file.
pub(crate) fn read(
    directory: &Path,
    root: &Root,
    snapshot: &mut Snapshot,
    unsaved: Option<&(Location, SnapshotEntry)>,
) -> Reader {
    let mut reader = Reader::start(snapshot);
    let compose_root = directory.join(reader.root().as_str());
    let mut bytes_left = MOST_BYTES;
    while !reader.wanted().is_empty() {
        let mut mount: Option<(MountId, Result<Root, SystemError>)> = None;
        let inside = |place: &&Place| {
            place.location.mount == MountId::WORKSPACE
                && unsaved.is_none_or(|(unsaved, _)| *unsaved != place.location)
        };
        let locations: Vec<&Location> =
            reader.wanted().iter().filter(inside).map(|place| &place.location).collect();
        for some in locations.chunks(AT_ONCE) {
            for (location, entry) in root.snapshot_small(some, SMALL_BYTES).iter() {
                if matches!(entry, SnapshotEntry::TooLarge { .. }) {
                    add(root, location, snapshot, &mut bytes_left);
                } else {
                    keep(location, entry, snapshot, &mut bytes_left);
                }
            }
        }
        for Place { location, .. } in reader.wanted() {
            if let Some((_, entry)) = unsaved.filter(|(unsaved, _)| unsaved == location) {
                snapshot.insert(location.clone(), entry.clone());
                continue;
            }
            if location.mount == MountId::WORKSPACE {
                continue;
            }
            // Places that are wanted together are mostly in the same directory.
            if mount.as_ref().is_none_or(|(open, _)| *open != location.mount) {
                let outside = compose_root.join(location.mount.as_str());
                mount = Some((location.mount.clone(), Root::open(&outside, location.mount.clone())));
            }
            match &mount {
                Some((_, Ok(outside))) => add(outside, location, snapshot, &mut bytes_left),
                Some((_, Err(SystemError::Io { source, .. }))) => {
                    let reason = format!("its directory cannot be opened: {}", source.kind());
                    snapshot.insert(location.clone(), SnapshotEntry::Unreadable { reason });
                }
                // Where the directory is not there, the file is not either.
                _ => {}
            }
        }
        reader.go_on(snapshot);
    }
    reader
}

fn add(root: &Root, location: &Location, snapshot: &mut Snapshot, bytes_left: &mut usize) {
    let read = root.snapshot(&Scope::of_files([location.clone()]));
    for (found, entry) in read.iter() {
        keep(found, entry, snapshot, bytes_left);
    }
}

fn keep(found: &Location, entry: &SnapshotEntry, snapshot: &mut Snapshot, bytes_left: &mut usize) {
    let length = if let SnapshotEntry::File { bytes, .. } = entry { bytes.len() } else { 0 };
    if length > *bytes_left {
        let reason = "the files that are named hold more than 256 MiB".to_owned();
        snapshot.insert(found.clone(), SnapshotEntry::Unreadable { reason });
        return;
    }
    *bytes_left -= length;
    snapshot.insert(found.clone(), entry.clone());
}

//! Files that other files name.

use std::path::Path;

use minds_compose::{Place, Reader};
use minds_document::{Scope, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId};
use minds_system::{Root, SystemError};

/// How many bytes are read of all files that are named: 256 MiB. A few names can lead to large files again and again.
const MOST_BYTES: usize = 256 << 20;

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
        for Place { location, .. } in reader.wanted() {
            if let Some((_, entry)) = unsaved.filter(|(unsaved, _)| unsaved == location) {
                snapshot.insert(location.clone(), entry.clone());
                continue;
            }
            if location.mount == MountId::WORKSPACE {
                add(root, location, snapshot, &mut bytes_left);
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
        let length = if let SnapshotEntry::File { bytes, .. } = entry { bytes.len() } else { 0 };
        if length > *bytes_left {
            let reason = "the files that are named hold more than 256 MiB".to_owned();
            snapshot.insert(found.clone(), SnapshotEntry::Unreadable { reason });
            continue;
        }
        *bytes_left -= length;
        snapshot.insert(found.clone(), entry.clone());
    }
}

//! Reading files that other files refer to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use minds_compose::{Place, Reader};
use minds_fs::{Area, Root, Target, real_directory};
use minds_process::{SystemError, describe_io_error};
use minds_vfs::{Location, MountId, Scope, Snapshot, SnapshotEntry, WorkspacePath};

use crate::{FileSelection, OperationError, compose_root};

/// The maximum total size of referenced files: 256 MiB. A short list can refer to large files many times.
const MAX_BYTES: usize = 256 << 20;

/// Small files are read in batches; these limits bound the memory of one batch to 128 MiB.
const SMALL_BYTES: u64 = 64 << 10;
const FILES_PER_BATCH: usize = 2_048;

/// Reads the files that the compose root in `snapshot` refers to, step by step, and adds them. An unsaved
/// document replaces its file.
///
/// Files outside the repository are read only if that is allowed. Nothing is written.
///
/// # Errors
///
/// Fails if the compose root cannot be opened.
pub(crate) fn read(
    located: &FileSelection,
    snapshot: &mut Snapshot,
    unsaved: Option<&(Location, SnapshotEntry)>,
) -> Result<Reader, OperationError> {
    let mut reader = Reader::start(snapshot);
    let directory = located.directory.clone().unwrap_or_default();
    let first = first_files(snapshot, reader.root());
    if first.is_empty() && reader.pending().is_empty() {
        return Ok(reader);
    }
    let disk = Disk::open(&directory, reader.root().as_str(), located.allows_outside)?;
    let is_saved = |location: &Location| unsaved.is_none_or(|(unsaved, _)| unsaved != location);
    let mut has_changed = false;
    for (location, written) in first.into_iter().filter(|(location, _)| is_saved(location)) {
        // A `runtimes` directory that is a symbolic link is not read.
        if let Some(entry) = disk.entry(&written).filter(|entry| *entry != SnapshotEntry::Directory) {
            snapshot.insert(location, entry);
            has_changed = true;
        }
    }
    if has_changed {
        reader = Reader::start(snapshot);
    }
    let mut bytes_left = MAX_BYTES;
    while !reader.pending().is_empty() {
        let mut found = BTreeSet::new();
        let is_inside = |location: &Location| {
            location.mount == MountId::WORKSPACE && is_saved(location) && !may_belong_to_git(&location.path)
        };
        let locations: Vec<&Location> =
            reader.pending().iter().map(|place| &place.location).filter(|place| is_inside(place)).collect();
        for batch in locations.chunks(FILES_PER_BATCH) {
            for (location, entry) in disk.inside.snapshot_small(batch, SMALL_BYTES).iter() {
                match entry {
                    SnapshotEntry::TooLarge { .. } => {
                        read_and_insert(&disk.inside, location, snapshot, &mut bytes_left);
                    }
                    // The path may contain a symbolic link.
                    SnapshotEntry::Unreadable { .. } => continue,
                    entry => insert_within_limit(location, entry, snapshot, &mut bytes_left),
                }
                found.insert(location.clone());
            }
        }
        for Place { location, .. } in reader.pending() {
            if let Some((_, entry)) = unsaved.filter(|(unsaved, _)| unsaved == location) {
                snapshot.insert(location.clone(), entry.clone());
            } else if !found.contains(location)
                && let Some(entry) = disk.entry(&path_from_root(location, reader.root()))
            {
                insert_within_limit(location, &entry, snapshot, &mut bytes_left);
            }
        }
        reader.advance(snapshot);
    }
    Ok(reader)
}

/// Returns the first files of a compose root that could not be read because their path contains a symbolic
/// link.
fn first_files(snapshot: &Snapshot, root: &WorkspacePath) -> Vec<(Location, PathBuf)> {
    let is_link = |entry: &SnapshotEntry| {
        matches!(entry, SnapshotEntry::Link { .. } | SnapshotEntry::Unreadable { .. })
    };
    let scope = minds_compose::scope(root.as_str());
    let entries = snapshot.iter().filter(|(location, entry)| scope.has(location) && is_link(entry));
    entries.map(|(location, _)| (location.clone(), path_from_root(location, root))).collect()
}

/// Returns the path of a location, relative to the compose root.
fn path_from_root(location: &Location, root: &WorkspacePath) -> PathBuf {
    if location.mount != MountId::WORKSPACE {
        return Path::new(location.mount.as_str()).join(location.path.as_str());
    }
    let path = Path::new(location.path.as_str());
    path.strip_prefix(root.as_str()).unwrap_or(path).to_owned()
}

/// Returns whether a path may lead into a `.git` directory and needs a precise check.
fn may_belong_to_git(path: &WorkspacePath) -> bool {
    path.segments().any(|name| name.len() >= 4 && name.to_ascii_lowercase().contains("git"))
}

/// The directories to read from.
struct Disk {
    /// The located directory, in which symbolic links are not followed.
    inside: Root,
    area: Area,
    /// The workspace. Findings may quote its files.
    workspace: PathBuf,
    allows_outside: bool,
}

impl Disk {
    fn open(directory: &Path, root: &str, allows_outside: bool) -> Result<Self, OperationError> {
        let inside = Root::open(directory, MountId::WORKSPACE)?.without_links();
        let compose_root = real_directory(&directory.join(root))?;
        let area = Area::open(&compose_root)?;
        let workspace = match root {
            "" => compose_root::workspace_of(&compose_root)?,
            _ => real_directory(directory)?,
        };
        Ok(Self { inside, area, workspace, allows_outside })
    }

    /// Reads the entry at a path relative to the compose root; `None` if it does not exist. Entries outside
    /// the workspace are marked, so that findings do not quote them.
    fn entry(&self, written: &Path) -> Option<SnapshotEntry> {
        match self.area.resolve(written) {
            Target::Missing => None,
            Target::Unusable(reason) => Some(SnapshotEntry::Unreadable { reason }),
            Target::Inside(path) => {
                let is_withheld = !self.area.top().join(path.as_str()).starts_with(&self.workspace);
                let entry = self.area.root().snapshot_entry(&path)?;
                Some(if is_withheld { entry.into_withheld() } else { entry })
            }
            Target::Outside { reason, .. } if !self.allows_outside => Some(SnapshotEntry::Outside { reason }),
            Target::Outside { directory, name, .. } => match Root::open(&directory, MountId::WORKSPACE) {
                Ok(root) => Some(root.without_links().snapshot_entry(&name)?.into_withheld()),
                Err(SystemError::Io { source, .. }) => {
                    let reason = format!("its directory cannot be opened: {}", describe_io_error(&source));
                    Some(SnapshotEntry::Unreadable { reason })
                }
                // Without the directory, the file does not exist either.
                Err(_) => None,
            },
        }
    }
}

fn read_and_insert(root: &Root, location: &Location, snapshot: &mut Snapshot, bytes_left: &mut usize) {
    let read = root.snapshot(&Scope::of_files([location.clone()]));
    for (found, entry) in read.iter() {
        insert_within_limit(found, entry, snapshot, bytes_left);
    }
}

fn insert_within_limit(
    found: &Location,
    entry: &SnapshotEntry,
    snapshot: &mut Snapshot,
    bytes_left: &mut usize,
) {
    let length = if let SnapshotEntry::File { bytes, .. } = entry { bytes.len() } else { 0 };
    if length > *bytes_left {
        let reason = "the referenced files are larger than 256 MiB in total".to_owned();
        snapshot.insert(found.clone(), SnapshotEntry::Unreadable { reason });
        return;
    }
    *bytes_left -= length;
    snapshot.insert(found.clone(), entry.clone());
}

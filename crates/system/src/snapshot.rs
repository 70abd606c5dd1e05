//! What is read of a root at once.

use minds_document::{Scope, Snapshot, SnapshotEntry, on_two_threads};
use minds_paths::{Location, WorkspacePath};

use crate::Root;
use crate::files::{FileErrorKind, Mode, Refusal, beginning, mode_of};
use crate::notice::{Notice, notify};
use crate::syscalls::{self, Handle, Kind, Stat, Wanted};

/// The number of bytes that are read of a file at most, 16 MiB, and one more by which a larger file is recognised.
pub const MAX_FILE_BYTES: u64 = (16 << 20) + 1;

/// The number of files from which on they are read on two threads.
const MANY_FILES: usize = 256;

/// The permission bit by which every user may read a file.
const OTHERS_MAY_READ: u32 = 0o004;

const TO_NOTHING: &str = "it is a symbolic link to nothing";

impl Root {
    /// Reads the places of `scope` that lie in this mount. What is not there is not in the snapshot; what is there and
    /// cannot be read is in it as such. A file with several names is not read: another of them may lie outside.
    ///
    /// In the place of a single file a symbolic link is followed as long as it stays below the root, so that a workspace
    /// can share a file with another; below a directory none is.
    pub fn snapshot(&self, scope: &Scope) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for below in scope.below.iter().filter(|below| below.directory.mount == self.mount) {
            self.read_below(below, &mut snapshot);
        }
        let files: Vec<&Location> = scope.files.iter().filter(|file| file.mount == self.mount).collect();
        for (location, entry) in self.files(&files, MAX_FILE_BYTES) {
            snapshot.insert(location, entry);
        }
        snapshot
    }

    /// Reads single files as [`Root::snapshot`] does; one of more than `most` bytes is in the snapshot as one that is too
    /// large.
    pub fn snapshot_small(&self, files: &[&Location], most: u64) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for (location, entry) in self.files(files, most.saturating_add(1)) {
            let is_larger = |bytes: &[u8]| u64::try_from(bytes.len()).map_or(true, |length| length > most);
            let entry = match entry {
                SnapshotEntry::File { bytes, .. } if is_larger(&bytes) => SnapshotEntry::TooLarge { most },
                other => other,
            };
            snapshot.insert(location, entry);
        }
        snapshot
    }

    /// Reads single files, many of them on two threads: most of the time is spent by the system.
    fn files(&self, files: &[&Location], most: u64) -> Vec<(Location, SnapshotEntry)> {
        let read = |location: &&Location| self.place(location, most);
        let found = if files.len() < MANY_FILES {
            files.iter().map(read).collect()
        } else {
            on_two_threads(files, read)
        };
        found.into_iter().flatten().collect()
    }

    /// Reads what stands at one place, or says that its directory cannot be looked into.
    fn place(&self, location: &Location, most: u64) -> Option<(Location, SnapshotEntry)> {
        let entry = self.file(location, most);
        if let Some(SnapshotEntry::File { bytes, .. }) = &entry {
            notify(&Notice::Read { file: location.path.as_str(), bytes: bytes.len() });
        }
        // A file that was opened says enough about its directory.
        if matches!(entry, Some(SnapshotEntry::File { .. })) {
            return entry.map(|entry| (location.clone(), entry));
        }
        self.closed_parent(location).or_else(|| entry.map(|entry| (location.clone(), entry)))
    }

    /// Returns the directory that holds `location`, if it is there and cannot be looked into: then nothing is known about
    /// what it holds, and that is said once.
    pub(crate) fn closed_parent(&self, location: &Location) -> Option<(Location, SnapshotEntry)> {
        let path = location.path.parent().filter(|parent| !parent.is_root())?;
        let refusal = self.open_at(&path, Mode::Resolving, Wanted::Directory).err()?;
        let reason = match refusal.kind {
            FileErrorKind::NotFound if !self.is_link(&path) => return None,
            FileErrorKind::NotFound => TO_NOTHING.to_owned(),
            kind => kind.to_string(),
        };
        let parent = Location::new(location.mount.clone(), path);
        Some((parent, SnapshotEntry::Unreadable { reason }))
    }

    fn file(&self, location: &Location, most: u64) -> Option<SnapshotEntry> {
        let opened = self.open_at(&location.path, Mode::Resolving, Wanted::Read);
        match opened.and_then(|(handle, _)| entry(&handle, most)) {
            Ok(entry) => Some(entry),
            // A link to nothing is there all the same.
            Err(Refusal { kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory, .. }) => self
                .is_link(&location.path)
                .then(|| SnapshotEntry::Unreadable { reason: TO_NOTHING.to_owned() }),
            Err(refusal) => Some(unreadable(&refusal)),
        }
    }

    /// Returns whether a link has this name, wherever it leads.
    pub(crate) fn is_link(&self, path: &WorkspacePath) -> bool {
        let stat = self.resolving().entry_at(path).and_then(|place| place.stat());
        matches!(stat, Ok(Some(Stat { kind: Kind::Link, .. })))
    }
}

/// Reads what was opened, of a file no more than `most` bytes.
pub(crate) fn entry(handle: &Handle, most: u64) -> Result<SnapshotEntry, Refusal> {
    let stat = syscalls::stat(handle)?;
    match stat.kind {
        Kind::Directory => Ok(SnapshotEntry::Directory),
        Kind::Link | Kind::Special => Ok(SnapshotEntry::Special),
        Kind::File if stat.links > 1 => Ok(SnapshotEntry::SeveralNames),
        Kind::File => {
            let entry =
                SnapshotEntry::File { bytes: beginning(handle, &stat, most)?.into(), mode: mode_of(&stat) };
            Ok(if stat.bits & OTHERS_MAY_READ == 0 { entry.restricted() } else { entry })
        }
    }
}

pub(crate) fn unreadable(refusal: &Refusal) -> SnapshotEntry {
    SnapshotEntry::Unreadable { reason: refusal.kind.to_string() }
}

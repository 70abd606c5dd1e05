//! Reading many files of a root at once.

use minds_vfs::{Location, Scope, Snapshot, SnapshotEntry, WorkspacePath, map_on_two_threads};

use crate::Root;
use crate::files::{FileErrorKind, Mode, Refusal, mode_of, read_prefix};
use crate::notice::{Notice, notify};
use crate::syscalls::{self, Access, Handle, Kind, Stat};

/// The maximum number of bytes read from a file: 16 MiB, plus one byte to detect a larger file.
pub const MAX_FILE_BYTES: u64 = (16 << 20) + 1;

/// The number of files from which two threads are used.
const MANY_FILES: usize = 256;

/// The permission bit that lets every user read a file.
const OTHERS_MAY_READ: u32 = 0o004;

const DANGLING_LINK: &str = "it is a symbolic link to a file that does not exist";

impl Root {
    /// Reads the places of `scope` that belong to this mount. A place that does not exist is absent from the
    /// snapshot; one that exists but cannot be read is recorded as such. A file with several hard links is
    /// not read, because another of its names may be outside.
    ///
    /// For a single file, a symbolic link is followed if it stays below the root, so that a workspace can
    /// share a file with another one. Below a directory, links are not followed.
    pub fn snapshot(&self, scope: &Scope) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for below in scope.directories.iter().filter(|below| below.directory.mount == self.mount) {
            self.read_subtree(below, &mut snapshot);
        }
        let files: Vec<&Location> = scope.files.iter().filter(|file| file.mount == self.mount).collect();
        for (location, entry) in self.read_files(&files, MAX_FILE_BYTES) {
            snapshot.insert(location, entry);
        }
        snapshot
    }

    /// Reads the entry at one path; `None` if it does not exist. Pipes, sockets and devices are not opened, because
    /// opening some devices has effects, such as rewinding a tape.
    pub fn snapshot_entry(&self, path: &WorkspacePath) -> Option<SnapshotEntry> {
        let found = self.resolving().metadata(path);
        if found.is_ok_and(|found| found.kind == Kind::Special) {
            return Some(SnapshotEntry::Special);
        }
        let location = Location::new(self.mount.clone(), path.clone());
        match self.read_place(&location, MAX_FILE_BYTES)? {
            (found, SnapshotEntry::Unreadable { reason }) if found != location => {
                Some(SnapshotEntry::Unreadable { reason: format!("its directory cannot be read: {reason}") })
            }
            (_, entry) => Some(entry),
        }
    }

    /// Reads single files like [`Root::snapshot`]; a file of more than `most` bytes is recorded as too large.
    pub fn snapshot_small(&self, files: &[&Location], most: u64) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for (location, entry) in self.read_files(files, most.saturating_add(1)) {
            let is_larger = |bytes: &[u8]| u64::try_from(bytes.len()).map_or(true, |length| length > most);
            let entry = match entry {
                SnapshotEntry::File { bytes, .. } if is_larger(&bytes) => {
                    SnapshotEntry::TooLarge { limit: most }
                }
                other => other,
            };
            snapshot.insert(location, entry);
        }
        snapshot
    }

    /// Reads single files. Many files are read on two threads, because system calls take most of the time.
    fn read_files(&self, files: &[&Location], most: u64) -> Vec<(Location, SnapshotEntry)> {
        let read = |location: &&Location| self.read_place(location, most);
        let entries = if files.len() < MANY_FILES {
            files.iter().map(read).collect()
        } else {
            map_on_two_threads(files, read)
        };
        entries.into_iter().flatten().collect()
    }

    /// Reads the entry at one place, or reports that its directory is not accessible.
    fn read_place(&self, location: &Location, most: u64) -> Option<(Location, SnapshotEntry)> {
        let entry = self.read_file(location, most);
        if let Some(SnapshotEntry::File { bytes, .. }) = &entry {
            notify(&Notice::Read { file: location.path.as_str(), bytes: bytes.len() });
        }
        // An opened file proves that its directory is accessible.
        if matches!(entry, Some(SnapshotEntry::File { .. })) {
            return entry.map(|entry| (location.clone(), entry));
        }
        self.unreadable_parent(location).or_else(|| entry.map(|entry| (location.clone(), entry)))
    }

    /// Returns the directory that contains `location` if it exists and is not accessible: then nothing is
    /// known about its contents, which is reported once.
    pub(crate) fn unreadable_parent(&self, location: &Location) -> Option<(Location, SnapshotEntry)> {
        let path = location.path.parent().filter(|parent| !parent.is_root())?;
        let refusal = self.open_at(&path, Mode::Resolving, Access::Directory).err()?;
        let reason = match refusal.kind {
            FileErrorKind::NotFound if !self.is_link(&path) => return None,
            FileErrorKind::NotFound => DANGLING_LINK.to_owned(),
            kind => kind.to_string(),
        };
        let parent = Location::new(location.mount.clone(), path);
        Some((parent, SnapshotEntry::Unreadable { reason }))
    }

    fn read_file(&self, location: &Location, most: u64) -> Option<SnapshotEntry> {
        let opened = self.open_at(&location.path, Mode::Resolving, Access::Read);
        match opened.and_then(|(handle, _)| read_entry(&handle, most)) {
            Ok(entry) => Some(entry),
            // A dangling link exists nevertheless.
            Err(Refusal { kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory, .. }) => self
                .is_link(&location.path)
                .then(|| SnapshotEntry::Unreadable { reason: DANGLING_LINK.to_owned() }),
            Err(refusal) => Some(unreadable(&refusal)),
        }
    }

    /// Returns whether the path names a symbolic link, regardless of its target.
    pub(crate) fn is_link(&self, path: &WorkspacePath) -> bool {
        let stat = self.resolving().entry_at(path).and_then(|place| place.stat());
        matches!(stat, Ok(Some(Stat { kind: Kind::Link, .. })))
    }
}

/// Reads an opened entry; at most `most` bytes of a file.
pub(crate) fn read_entry(handle: &Handle, most: u64) -> Result<SnapshotEntry, Refusal> {
    let stat = syscalls::stat(handle)?;
    match stat.kind {
        Kind::Directory => Ok(SnapshotEntry::Directory),
        Kind::Link | Kind::Special => Ok(SnapshotEntry::Special),
        Kind::File if stat.links > 1 => Ok(SnapshotEntry::HardLinked),
        Kind::File => {
            let entry =
                SnapshotEntry::File { bytes: read_prefix(handle, &stat, most)?.into(), mode: mode_of(&stat) };
            Ok(if stat.bits & OTHERS_MAY_READ == 0 { entry.into_restricted() } else { entry })
        }
    }
}

pub(crate) fn unreadable(refusal: &Refusal) -> SnapshotEntry {
    SnapshotEntry::Unreadable { reason: refusal.kind.to_string() }
}

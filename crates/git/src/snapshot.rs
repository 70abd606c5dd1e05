//! Reading many files of a commit at once.

use std::collections::BTreeMap;

use minds_fs::{FileErrorKind, MAX_FILE_BYTES};
use minds_vfs::{DirectoryScope, FileMode, Location, Scope, Snapshot, SnapshotEntry, WorkspacePath};

use crate::error::GitError;
use crate::listing::{EntryKind, TreeEntry};
use crate::object_id::ObjectId;
use crate::tree::{Stop, Tree};

const DANGLING_LINK: &str = "it is a symbolic link to a file that does not exist";
const OTHER_REPOSITORY: &str = "it is another repository (a submodule), which is not fetched";

/// The entries of a snapshot: known already, or still to be read.
#[derive(Default)]
struct PendingSnapshot {
    places: Vec<(Location, PendingEntry)>,
    sizes: BTreeMap<ObjectId, u64>,
}

enum PendingEntry {
    Known(SnapshotEntry),
    File(ObjectId, FileMode),
}

/// The directory has too many entries; none are returned.
struct TooManyEntries;

impl Tree {
    /// Reads the places of `scope` that belong to this mount, like [`minds_fs::Root::snapshot`]: a place that
    /// does not exist is absent from the snapshot, one that cannot be read is recorded as such, and a link is
    /// followed only for a single file and if it stays in the tree.
    ///
    /// A file that is larger than the scope allows is [`SnapshotEntry::TooLarge`]. An entry whose name is not
    /// portable, ambiguous on some systems, or reserved by git is [`SnapshotEntry::Unreadable`]; if the name
    /// is not a valid path, it is recorded under a similar path.
    ///
    /// # Errors
    ///
    /// Fails if git cannot read an object that it listed.
    pub fn snapshot(&self, scope: &Scope) -> Result<Snapshot, GitError> {
        let mut found = PendingSnapshot::default();
        for below in scope.directories.iter().filter(|below| below.directory.mount == self.mount) {
            self.read_subtree(below, &mut found);
        }
        for location in scope.files.iter().filter(|location| location.mount == self.mount) {
            self.add_file(location, &mut found);
        }
        let blobs = self.git.blobs(&self.repository, &found.sizes)?;
        // Files with the same content share it.
        let read = |bytes: Vec<u8>| SnapshotEntry::File { bytes: bytes.into(), mode: FileMode::Regular };
        let contents: BTreeMap<ObjectId, SnapshotEntry> =
            blobs.into_iter().map(|(id, bytes)| (id, read(bytes))).collect();
        let mut snapshot = Snapshot::new();
        // Later entries for the same place are more specific.
        for (location, pending) in found.places {
            let entry = match pending {
                PendingEntry::Known(entry) => entry,
                PendingEntry::File(id, mode) => match contents.get(&id) {
                    Some(SnapshotEntry::File { bytes, .. }) => {
                        SnapshotEntry::File { bytes: bytes.clone(), mode }
                    }
                    _ => continue,
                },
            };
            snapshot.insert(location, entry);
        }
        Ok(snapshot)
    }

    fn add_file(&self, location: &Location, found: &mut PendingSnapshot) {
        if self.add_unreadable_parent(location, found) {
            return;
        }
        let entry = match self.resolve(&location.path, true) {
            Ok(real) => match self.find(&real) {
                Some(kind) => return found.add_entry(location.clone(), kind, MAX_FILE_BYTES - 1),
                None => SnapshotEntry::Directory,
            },
            Err(Stop::Absent | Stop::NotDirectory) if self.is_link(&location.path) => {
                unreadable(DANGLING_LINK)
            }
            Err(Stop::Absent | Stop::NotDirectory) => return,
            Err(stop) => unreadable(&describe(stop)),
        };
        found.add_known(location.clone(), entry);
    }

    /// Records the parent directory of a place if it exists and is not accessible.
    fn add_unreadable_parent(&self, location: &Location, found: &mut PendingSnapshot) -> bool {
        let Some(parent) = location.path.parent().filter(|parent| !parent.is_root()) else { return false };
        let reason = match self.resolve(&parent, true) {
            Ok(real) if self.is_directory(&real) => return false,
            Ok(_) => describe(Stop::NotDirectory),
            Err(Stop::Absent) if !self.is_link(&parent) => return false,
            Err(Stop::Absent) => DANGLING_LINK.to_owned(),
            Err(stop) => describe(stop),
        };
        found.add_known(Location::new(self.mount.clone(), parent), unreadable(&reason));
        true
    }

    /// Returns whether a path names a symbolic link, regardless of its target.
    fn is_link(&self, path: &WorkspacePath) -> bool {
        let real = self.resolve(path, false);
        real.is_ok_and(|real| matches!(self.find(&real), Some(EntryKind::Link { .. })))
    }

    fn read_subtree(&self, below: &DirectoryScope, found: &mut PendingSnapshot) {
        if self.add_unreadable_parent(&below.directory, found) {
            return;
        }
        let entry = match self.resolve(&below.directory.path, false) {
            Err(Stop::Absent | Stop::NotDirectory) => return,
            Err(stop) => unreadable(&describe(stop)),
            Ok(real) => match self.find(&real) {
                Some(EntryKind::Link { target }) => SnapshotEntry::Link { target: target.clone() },
                Some(EntryKind::Submodule) => unreadable(OTHER_REPOSITORY),
                Some(EntryKind::Refused { reason }) => unreadable(reason),
                Some(EntryKind::File { .. }) => unreadable(&describe(Stop::NotDirectory)),
                None => match self.walk(below, &real) {
                    Ok(walked) => return found.append(walked),
                    Err(TooManyEntries) => {
                        unreadable(&format!("it contains more than {} entries", below.max_entries))
                    }
                },
            },
        };
        found.add_known(below.directory.clone(), entry);
    }

    /// Reads the directory tree `real`, and records it under the path of `below`.
    fn walk(&self, below: &DirectoryScope, real: &WorkspacePath) -> Result<PendingSnapshot, TooManyEntries> {
        let mut found = PendingSnapshot::default();
        let skipped = if real.is_root() { 0 } else { real.as_str().len() + 1 };
        let displayed = |rest: &str| below.directory.path.join(rest).ok();
        let (mut count, mut bytes_left) = (0_usize, below.max_total_bytes);
        let mut last = "";
        for entry in self.entries_below(real) {
            let rest = entry.path.as_str().get(skipped..).unwrap_or_default();
            // The parent directories of the entry come first, each once.
            let mut is_entered = true;
            for (level, (at, _)) in rest.match_indices('/').enumerate() {
                let directory = rest.get(..at).unwrap_or_default();
                let name = directory.rsplit('/').next().unwrap_or_default();
                let is_known = last.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
                let is_on_the_way = level + 1 < below.depth && !name.starts_with('.');
                if !is_known {
                    count += 1;
                    let path = displayed(directory);
                    let is_wanted = path.as_ref().is_some_and(|path| (below.wants)(path));
                    if let Some(path) = path.filter(|_| is_on_the_way || is_wanted) {
                        let location = Location::new(self.mount.clone(), path);
                        found.add_known(location, SnapshotEntry::Directory);
                    }
                }
                if !is_on_the_way {
                    is_entered = false;
                    break;
                }
            }
            last = rest;
            if !is_entered {
                continue;
            }
            count += 1;
            if let Some(path) = displayed(rest) {
                self.visit(below, entry, path, &mut bytes_left, &mut found);
            }
            if count > below.max_entries {
                return Err(TooManyEntries);
            }
        }
        if count > below.max_entries { Err(TooManyEntries) } else { Ok(found) }
    }

    fn visit(
        &self,
        below: &DirectoryScope,
        entry: &TreeEntry,
        path: WorkspacePath,
        bytes_left: &mut u64,
        found: &mut PendingSnapshot,
    ) {
        let is_wanted = (below.wants)(&path);
        let level = path.segments().count() - below.directory.path.segments().count();
        let name = path.file_name().unwrap_or_default();
        let is_on_the_way = level < below.depth && !name.starts_with('.');
        let is_recorded = match &entry.kind {
            // A link may be used as a directory.
            EntryKind::Link { .. } => is_wanted || is_on_the_way && self.leads_to_directory(&entry.path),
            EntryKind::Submodule => is_wanted || is_on_the_way,
            EntryKind::File { .. } | EntryKind::Refused { .. } => is_wanted,
        };
        if !is_recorded {
            if matches!(entry.kind, EntryKind::File { .. }) && (below.names)(&path) {
                found.add_known(Location::new(self.mount.clone(), path), SnapshotEntry::Unread);
            }
            return;
        }
        let location = Location::new(self.mount.clone(), path);
        if let EntryKind::File { size, .. } = &entry.kind
            && *size <= below.max_bytes
        {
            let Some(left) = bytes_left.checked_sub(*size) else {
                let reason = format!(
                    "the files read from this directory tree would exceed {} MiB",
                    below.max_total_bytes >> 20
                );
                found.add_known(location, unreadable(&reason));
                return;
            };
            *bytes_left = left;
        }
        found.add_entry(location, &entry.kind, below.max_bytes);
    }

    /// Returns whether a link leads to a directory, or to an unknown place.
    fn leads_to_directory(&self, link: &WorkspacePath) -> bool {
        self.resolve(link, true).map_or(true, |real| self.is_directory(&real))
    }
}

impl PendingSnapshot {
    /// Records the entry at a place; a file of more than `most` bytes is recorded as too large.
    fn add_entry(&mut self, location: Location, kind: &EntryKind, most: u64) {
        let entry = match kind {
            EntryKind::File { size, .. } if *size > most => SnapshotEntry::TooLarge { limit: most },
            EntryKind::File { id, size, mode } => {
                self.sizes.insert(id.clone(), *size);
                self.places.push((location, PendingEntry::File(id.clone(), *mode)));
                return;
            }
            EntryKind::Link { target } => SnapshotEntry::Link { target: target.clone() },
            EntryKind::Submodule => unreadable(OTHER_REPOSITORY),
            EntryKind::Refused { reason } => unreadable(reason),
        };
        self.add_known(location, entry);
    }

    fn add_known(&mut self, location: Location, entry: SnapshotEntry) {
        self.places.push((location, PendingEntry::Known(entry)));
    }

    fn append(&mut self, other: Self) {
        self.places.extend(other.places);
        self.sizes.extend(other.sizes);
    }
}

fn unreadable(reason: &str) -> SnapshotEntry {
    SnapshotEntry::Unreadable { reason: reason.to_owned() }
}

fn describe(stop: Stop) -> String {
    let kind = match stop {
        Stop::Absent => FileErrorKind::NotFound,
        Stop::Outside => FileErrorKind::Outside,
        Stop::TooManyLinks => FileErrorKind::TooManyLinks,
        Stop::NotDirectory => FileErrorKind::NotDirectory,
    };
    kind.to_string()
}

//! What is read of a commit at once.

use std::collections::BTreeMap;

use minds_document::{Below, FileMode, Scope, Snapshot, SnapshotEntry};
use minds_paths::{Location, WorkspacePath};

use super::error::GitError;
use super::listing::{TreeEntry, What};
use super::object_id::ObjectId;
use super::tree::{Stop, Tree};
use crate::MAX_FILE_BYTES;
use crate::files::FileErrorKind;

const TO_NOTHING: &str = "it is a symbolic link to nothing";
const OTHER_REPOSITORY: &str = "it is another repository (a submodule), which is not fetched";

/// What will be in a snapshot: known already, or still to be read.
#[derive(Default)]
struct Found {
    places: Vec<(Location, Pending)>,
    sizes: BTreeMap<ObjectId, u64>,
}

enum Pending {
    Known(SnapshotEntry),
    File(ObjectId, FileMode),
}

/// Of too many entries none is taken.
struct TooMany;

impl Tree {
    /// Reads the places of `scope` that lie in this mount, as [`crate::Root::snapshot`] does in a folder: what is not there is
    /// not in it, what cannot be read is in it as such, and a link is followed in the place of a single file only, as long as
    /// it stays in the tree.
    ///
    /// A file that is larger than the scope allows is [`SnapshotEntry::TooLarge`], and what has a name that some system refuses
    /// or takes for another, or that git keeps for itself, is [`SnapshotEntry::Unreadable`]; where that is no path at all, it
    /// stands at one that looks like it.
    ///
    /// # Errors
    ///
    /// Fails if git cannot read what it listed.
    pub fn snapshot(&self, scope: &Scope) -> Result<Snapshot, GitError> {
        let mut found = Found::default();
        for below in scope.below.iter().filter(|below| below.directory.mount == self.mount) {
            self.read_below(below, &mut found);
        }
        for location in scope.files.iter().filter(|location| location.mount == self.mount) {
            self.read_file(location, &mut found);
        }
        let blobs = self.git.blobs(&self.repository, &found.sizes)?;
        // Files with the same content share it.
        let read = |bytes: Vec<u8>| SnapshotEntry::File { bytes: bytes.into(), mode: FileMode::Regular };
        let contents: BTreeMap<ObjectId, SnapshotEntry> =
            blobs.into_iter().map(|(id, bytes)| (id, read(bytes))).collect();
        let mut snapshot = Snapshot::new();
        // What is looked at later says more of the same place.
        for (location, pending) in found.places {
            let entry = match pending {
                Pending::Known(entry) => entry,
                Pending::File(id, mode) => match contents.get(&id) {
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

    fn read_file(&self, location: &Location, found: &mut Found) {
        if self.note_closed_parent(location, found) {
            return;
        }
        let entry = match self.resolve(&location.path, true) {
            Ok(real) => match self.find(&real) {
                Some(what) => return found.take(location.clone(), what, MAX_FILE_BYTES - 1),
                None => SnapshotEntry::Directory,
            },
            Err(Stop::Absent | Stop::NotDirectory) if self.is_link(&location.path) => unreadable(TO_NOTHING),
            Err(Stop::Absent | Stop::NotDirectory) => return,
            Err(stop) => unreadable(&words(stop)),
        };
        found.know(location.clone(), entry);
    }

    /// Notes the directory that holds a place, if it is there and cannot be looked into.
    fn note_closed_parent(&self, location: &Location, found: &mut Found) -> bool {
        let Some(parent) = location.path.parent().filter(|parent| !parent.is_root()) else { return false };
        let reason = match self.resolve(&parent, true) {
            Ok(real) if self.is_directory(&real) => return false,
            Ok(_) => words(Stop::NotDirectory),
            Err(Stop::Absent) if !self.is_link(&parent) => return false,
            Err(Stop::Absent) => TO_NOTHING.to_owned(),
            Err(stop) => words(stop),
        };
        found.know(Location::new(self.mount.clone(), parent), unreadable(&reason));
        true
    }

    /// Returns whether a link stands at a path, wherever it leads.
    fn is_link(&self, path: &WorkspacePath) -> bool {
        let real = self.resolve(path, false);
        real.is_ok_and(|real| matches!(self.find(&real), Some(What::Link { .. })))
    }

    fn read_below(&self, below: &Below, found: &mut Found) {
        if self.note_closed_parent(&below.directory, found) {
            return;
        }
        let entry = match self.resolve(&below.directory.path, false) {
            Err(Stop::Absent | Stop::NotDirectory) => return,
            Err(stop) => unreadable(&words(stop)),
            Ok(real) => match self.find(&real) {
                Some(What::Link { target }) => SnapshotEntry::Link { target: target.clone() },
                Some(What::Submodule) => unreadable(OTHER_REPOSITORY),
                Some(What::Refused { reason }) => unreadable(reason),
                Some(What::File { .. }) => unreadable(&words(Stop::NotDirectory)),
                None => match self.walk(below, &real) {
                    Ok(walked) => return found.add(walked),
                    Err(TooMany) => unreadable(&format!("it holds more than {} entries", below.most_entries)),
                },
            },
        };
        found.know(below.directory.clone(), entry);
    }

    /// Looks at what is below the directory `real`, and names it as if it were below that of `below`.
    fn walk(&self, below: &Below, real: &WorkspacePath) -> Result<Found, TooMany> {
        let mut found = Found::default();
        let skipped = if real.is_root() { 0 } else { real.as_str().len() + 1 };
        let shown = |rest: &str| below.directory.path.join(rest).ok();
        let (mut count, mut bytes_left) = (0_usize, below.most_bytes_together);
        let mut last = "";
        for entry in self.below(real) {
            let rest = entry.path.as_str().get(skipped..).unwrap_or_default();
            // The directories on the way to it come first, each once.
            let mut is_entered = true;
            for (level, (at, _)) in rest.match_indices('/').enumerate() {
                let directory = rest.get(..at).unwrap_or_default();
                let name = directory.rsplit('/').next().unwrap_or_default();
                let is_known = last.strip_prefix(directory).is_some_and(|behind| behind.starts_with('/'));
                let is_on_the_way = level + 1 < below.depth && !name.starts_with('.');
                if !is_known {
                    count += 1;
                    let path = shown(directory);
                    let is_wanted = path.as_ref().is_some_and(|path| (below.wants)(path));
                    if let Some(path) = path.filter(|_| is_on_the_way || is_wanted) {
                        let location = Location::new(self.mount.clone(), path);
                        found.know(location, SnapshotEntry::Directory);
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
            if let Some(path) = shown(rest) {
                self.look_at(below, entry, path, &mut bytes_left, &mut found);
            }
            if count > below.most_entries {
                return Err(TooMany);
            }
        }
        if count > below.most_entries { Err(TooMany) } else { Ok(found) }
    }

    fn look_at(
        &self,
        below: &Below,
        entry: &TreeEntry,
        path: WorkspacePath,
        bytes_left: &mut u64,
        found: &mut Found,
    ) {
        let is_wanted = (below.wants)(&path);
        let level = path.segments().count() - below.directory.path.segments().count();
        let name = path.file_name().unwrap_or_default();
        let is_on_the_way = level < below.depth && !name.starts_with('.');
        let is_looked_at = match &entry.what {
            // It may be meant as a directory.
            What::Link { .. } => is_wanted || is_on_the_way && self.leads_to_directory(&entry.path),
            What::Submodule => is_wanted || is_on_the_way,
            What::File { .. } | What::Refused { .. } => is_wanted,
        };
        if !is_looked_at {
            if matches!(entry.what, What::File { .. }) && (below.names)(&path) {
                found.know(Location::new(self.mount.clone(), path), SnapshotEntry::Unread);
            }
            return;
        }
        let location = Location::new(self.mount.clone(), path);
        if let What::File { size, .. } = &entry.what
            && *size <= below.most_bytes
        {
            let Some(left) = bytes_left.checked_sub(*size) else {
                let reason = format!(
                    "the files beside and before it already have {} MiB",
                    below.most_bytes_together >> 20
                );
                found.know(location, unreadable(&reason));
                return;
            };
            *bytes_left = left;
        }
        found.take(location, &entry.what, below.most_bytes);
    }

    /// Returns whether a link leads to a directory, or nobody knows where.
    fn leads_to_directory(&self, link: &WorkspacePath) -> bool {
        self.resolve(link, true).map_or(true, |real| self.is_directory(&real))
    }
}

impl Found {
    /// Notes what stands at a place; of a file with more than `most` bytes only that.
    fn take(&mut self, location: Location, what: &What, most: u64) {
        let entry = match what {
            What::File { size, .. } if *size > most => SnapshotEntry::TooLarge { most },
            What::File { id, size, mode } => {
                self.sizes.insert(id.clone(), *size);
                self.places.push((location, Pending::File(id.clone(), *mode)));
                return;
            }
            What::Link { target } => SnapshotEntry::Link { target: target.clone() },
            What::Submodule => unreadable(OTHER_REPOSITORY),
            What::Refused { reason } => unreadable(reason),
        };
        self.know(location, entry);
    }

    fn know(&mut self, location: Location, entry: SnapshotEntry) {
        self.places.push((location, Pending::Known(entry)));
    }

    fn add(&mut self, other: Self) {
        self.places.extend(other.places);
        self.sizes.extend(other.sizes);
    }
}

fn unreadable(reason: &str) -> SnapshotEntry {
    SnapshotEntry::Unreadable { reason: reason.to_owned() }
}

fn words(stop: Stop) -> String {
    let kind = match stop {
        Stop::Absent => FileErrorKind::NotFound,
        Stop::Outside => FileErrorKind::Outside,
        Stop::TooManyLinks => FileErrorKind::TooManyLinks,
        Stop::NotDirectory => FileErrorKind::NotDirectory,
    };
    kind.to_string()
}

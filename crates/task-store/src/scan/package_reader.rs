//! Reads packages into a snapshot, within limits that hold for all of them together.

use minds_fs::{FileError, FileErrorKind, Kind, Root};
use minds_taskdoc::Section;
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_ENTRIES, MAX_SECTION_BYTES};
use minds_vfs::portable::is_encapsulated;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

/// The maximum number of entries of all packages.
const MAX_SCANNED_ENTRIES: usize = 200_000;
/// The maximum number of bytes of all sections.
const MAX_BYTES: u64 = 64 << 20;

/// The state of reading, with the remaining limits.
pub(super) struct PackageReader<'s> {
    root: &'s Root,
    snapshot: &'s mut Snapshot,
    entries_left: usize,
    bytes_left: u64,
}

impl<'s> PackageReader<'s> {
    /// Returns a reader that adds to a snapshot.
    pub(super) fn new(root: &'s Root, snapshot: &'s mut Snapshot) -> Self {
        Self { root, snapshot, entries_left: MAX_SCANNED_ENTRIES, bytes_left: MAX_BYTES }
    }

    /// Adds an entry.
    pub(super) fn insert(&mut self, path: &WorkspacePath, entry: SnapshotEntry) {
        self.snapshot.insert(Location::new(MountId::WORKSPACE, path.clone()), entry);
    }

    /// Returns the link at a path.
    pub(super) fn link(&self, path: &WorkspacePath) -> SnapshotEntry {
        let target = self.root.no_follow().entry(path).and_then(|place| place.link_target());
        SnapshotEntry::Link { target: target.unwrap_or_default() }
    }

    /// Reads an entry whose name is that of a package.
    pub(super) fn read_entry(&mut self, path: &WorkspacePath, kind: Kind) {
        match kind {
            Kind::Directory => self.package(path),
            Kind::File => self.insert(path, SnapshotEntry::Unread),
            Kind::Special => self.insert(path, SnapshotEntry::Special),
            Kind::Link => {
                let link = self.link(path);
                self.insert(path, link);
            }
        }
    }

    /// Reads a package, unless it was read already: its entries, and the contents of its sections.
    pub(super) fn package(&mut self, path: &WorkspacePath) {
        if self.snapshot.get(&Location::new(MountId::WORKSPACE, path.clone())).is_some() {
            return;
        }
        if self.entries_left == 0 {
            let reason =
                format!("preceding packages already contain {MAX_SCANNED_ENTRIES} files and directories");
            self.insert(path, SnapshotEntry::Unreadable { reason });
            return;
        }
        // The order of entries is arbitrary, so if there are too many, none is read.
        let Some(found) = self.entries(path) else {
            self.insert(path, SnapshotEntry::TooLarge { limit: MAX_ENTRIES as u64 });
            return;
        };
        for (path, entry) in found {
            self.insert(&path, entry);
        }
    }

    /// Returns the entries of a package; `None` if there are too many.
    fn entries(&mut self, package: &WorkspacePath) -> Option<Vec<(WorkspacePath, SnapshotEntry)>> {
        let mut found = Vec::new();
        let mut directories = vec![package.clone()];
        let mut count = 0;
        while let Some(directory) = directories.pop() {
            let below = directory.as_str().strip_prefix(package.as_str()).unwrap_or_default();
            let listing = match self.root.no_follow().list(&directory, MAX_ENTRIES - count) {
                Ok(listing) => listing,
                Err(error) if error.kind() == FileErrorKind::TooLarge => {
                    self.entries_left = self.entries_left.saturating_sub(MAX_ENTRIES);
                    return None;
                }
                Err(error) => {
                    found.push((directory, refused_entry(&error)));
                    continue;
                }
            };
            count += listing.entries.len() + listing.unnamed;
            // Invalid names elsewhere are not part of the package format.
            let is_ours = below.is_empty()
                || Section::injected_sections().any(|section| section.category() == below.get(1..));
            let what = if listing.unnamed > 0 && is_ours {
                let reason = format!("{} of the names in it cannot be read as a path", listing.unnamed);
                SnapshotEntry::Unreadable { reason }
            } else {
                SnapshotEntry::Directory
            };
            found.push((directory, what));
            for entry in listing.entries {
                let below = entry.real.as_str().strip_prefix(package.as_str()).unwrap_or_default();
                let below = below.strip_prefix('/').unwrap_or(below);
                let is_closed = below == HISTORY || entry.real.file_name().is_some_and(is_encapsulated);
                match entry.kind {
                    Kind::Directory if !is_closed => directories.push(entry.real),
                    Kind::Directory => found.push((entry.real, SnapshotEntry::Directory)),
                    Kind::Link => {
                        let link = self.link(&entry.real);
                        found.push((entry.real, link));
                    }
                    Kind::Special => found.push((entry.real, SnapshotEntry::Special)),
                    Kind::File => {
                        let file = self.file(&entry.real, below);
                        found.push((entry.real, file));
                    }
                }
            }
        }
        self.entries_left = self.entries_left.saturating_sub(count);
        Some(found)
    }

    /// Reads a file if it is a section.
    fn file(&mut self, path: &WorkspacePath, below: &str) -> SnapshotEntry {
        let is_section = Section::of_path(below).is_some();
        if !is_section && below != JOURNAL {
            return SnapshotEntry::Unread;
        }
        let file = match self.root.no_follow().open(path) {
            Ok(_) if !is_section => return SnapshotEntry::Unread,
            Ok(file) => file,
            Err(error) => return refused_entry(&error),
        };
        if file.size() > MAX_SECTION_BYTES {
            return SnapshotEntry::TooLarge { limit: MAX_SECTION_BYTES };
        }
        if file.size() > self.bytes_left {
            let reason = format!("preceding sections already have {} MiB", MAX_BYTES >> 20);
            return SnapshotEntry::Unreadable { reason };
        }
        match file.read(MAX_SECTION_BYTES) {
            Ok(file) => {
                self.bytes_left = self.bytes_left.saturating_sub(file.bytes.len() as u64);
                SnapshotEntry::File { bytes: file.bytes.into(), mode: file.mode }
            }
            Err(error) => refused_entry(&error),
        }
    }
}

/// Returns the entry for a file that could not be read.
fn refused_entry(error: &FileError) -> SnapshotEntry {
    match error.kind() {
        FileErrorKind::SeveralLinks => SnapshotEntry::HardLinked,
        FileErrorKind::TooLarge => SnapshotEntry::TooLarge { limit: MAX_SECTION_BYTES },
        kind => SnapshotEntry::Unreadable { reason: kind.to_string() },
    }
}

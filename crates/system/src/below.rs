//! What lies below a directory.

use std::io;

use cap_std::fs::FileType;
use minds_document::{Below, Snapshot, SnapshotEntry};
use minds_paths::{Location, WorkspacePath};

use crate::Root;
use crate::root::reason;

/// A walk that is under way.
struct Walk<'w> {
    root: &'w Root,
    below: &'w Below,
    entries: usize,
    bytes_left: u64,
    /// What was found; moved to the snapshot when nothing was too much.
    found: Vec<(Location, SnapshotEntry)>,
}

/// Why a walk ended early.
struct TooMany;

impl Root {
    /// Reads what `below` is about. Symbolic links are not followed, they are in the snapshot as links.
    pub(crate) fn read_below(&self, below: &Below, snapshot: &mut Snapshot) {
        if let Some((parent, entry)) = self.closed_parent(&below.directory) {
            snapshot.insert(parent, entry);
            return;
        }
        let path = &below.directory.path;
        let unreadable = |reason: String| SnapshotEntry::Unreadable { reason };
        let entry = match self.dir.symlink_metadata(path.as_str()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => Some(unreadable(reason(&error))),
            Ok(metadata) if metadata.is_symlink() => Some(self.link(path)),
            Ok(metadata) if !metadata.is_dir() => Some(unreadable("it is no directory".to_owned())),
            Ok(_) => {
                let bytes_left = below.most_bytes_together;
                let mut walk = Walk { root: self, below, entries: 0, bytes_left, found: Vec::new() };
                match walk.enter(path, 1) {
                    Ok(()) => {
                        for (location, entry) in walk.found {
                            snapshot.insert(location, entry);
                        }
                        None
                    }
                    // Which of them come first is chance, so none is taken.
                    Err(TooMany) => {
                        Some(unreadable(format!("it holds more than {} entries", below.most_entries)))
                    }
                }
            }
        };
        if let Some(entry) = entry {
            snapshot.insert(below.directory.clone(), entry);
        }
    }

    fn link(&self, path: &WorkspacePath) -> SnapshotEntry {
        let target = self.dir.read_link_contents(path.as_str());
        SnapshotEntry::Link { target: target.map(|target| target.display().to_string()).unwrap_or_default() }
    }

    /// Returns whether a link stands where a directory is looked for: it leads to one, or nobody knows where.
    fn is_link_to_directory(&self, path: &WorkspacePath) -> bool {
        self.dir.metadata(path.as_str()).map_or(true, |metadata| metadata.is_dir())
    }
}

impl Walk<'_> {
    /// Reads the entries of a directory that lies `level - 1` directories below the top one.
    fn enter(&mut self, directory: &WorkspacePath, level: usize) -> Result<(), TooMany> {
        let entries = match self.root.dir.read_dir(directory.as_str()) {
            Ok(entries) => entries,
            Err(error) => {
                self.add(directory.clone(), SnapshotEntry::Unreadable { reason: reason(&error) });
                return Ok(());
            }
        };
        let mut named = Vec::new();
        for entry in entries {
            self.entries += 1;
            if self.entries > self.below.most_entries {
                return Err(TooMany);
            }
            // What has no name that can be written in a file is nothing that a file could mean.
            let Ok(entry) = entry else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if let Some(path) = name.to_str().and_then(|name| directory.join(name).ok()) {
                named.push((path, kind));
            }
        }
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (path, kind) in named {
            self.look_at(path, kind, level)?;
        }
        Ok(())
    }

    fn look_at(&mut self, path: WorkspacePath, kind: FileType, level: usize) -> Result<(), TooMany> {
        let is_wanted = (self.below.wants)(&path);
        let is_hidden = path.file_name().is_some_and(|name| name.starts_with('.'));
        let is_on_the_way = level < self.below.depth && !is_hidden;
        if kind.is_dir() && is_on_the_way {
            self.add(path.clone(), SnapshotEntry::Directory);
            return self.enter(&path, level + 1);
        }
        if kind.is_symlink() && (is_wanted || is_on_the_way && self.root.is_link_to_directory(&path)) {
            let link = self.root.link(&path);
            self.add(path, link);
        } else if is_wanted && !kind.is_symlink() {
            let entry = self.read(&path);
            self.add(path, entry);
        }
        Ok(())
    }

    fn read(&mut self, path: &WorkspacePath) -> SnapshotEntry {
        let most = (self.below.most_bytes + 1).min(self.bytes_left + 1);
        let entry = self.root.read(path.as_str(), most);
        let entry = entry.unwrap_or_else(|error| SnapshotEntry::Unreadable { reason: reason(&error) });
        let SnapshotEntry::File { bytes, .. } = &entry else { return entry };
        let Some(left) = self.bytes_left.checked_sub(bytes.len() as u64) else {
            let reason = format!(
                "the files beside and before it already have {} MiB",
                self.below.most_bytes_together >> 20
            );
            return SnapshotEntry::Unreadable { reason };
        };
        self.bytes_left = left;
        entry
    }

    fn add(&mut self, path: WorkspacePath, entry: SnapshotEntry) {
        self.found.push((Location::new(self.below.directory.mount.clone(), path), entry));
    }
}

//! What lies below a directory.

use minds_document::{Below, Snapshot, SnapshotEntry};
use minds_paths::{Location, WorkspacePath};

use crate::Root;
use crate::files::{FileErrorKind, Mode, Refusal};
use crate::notice::{Notice, notify};
use crate::snapshot::{entry, unreadable};
use crate::syscalls::{self, Handle, Kind, Stat, Wanted};

/// A walk that is under way.
struct Walk<'w> {
    root: &'w Root,
    below: &'w Below,
    entries: usize,
    bytes_left: u64,
    /// What was found; moved to the snapshot when nothing was too much.
    found: Vec<(Location, SnapshotEntry)>,
    /// Directories whose names no path can have, each with the one that holds it.
    unnamed: Vec<(Location, String)>,
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
        if let Some(entry) = self.top_of(below, snapshot) {
            snapshot.insert(below.directory.clone(), entry);
        }
    }

    /// Reads what is below the directory; returns what is to be said of the directory itself.
    fn top_of(&self, below: &Below, snapshot: &mut Snapshot) -> Option<SnapshotEntry> {
        let path = &below.directory.path;
        let directory = if path.is_root() {
            self.open_exactly(path, Wanted::Directory)
        } else {
            let place = match self.resolving().entry_at(path) {
                Ok(place) => place,
                Err(Refusal { kind: FileErrorKind::NotFound, .. }) => return None,
                Err(refusal) => return Some(unreadable(&refusal)),
            };
            match place.stat() {
                Ok(None) => return None,
                Ok(Some(Stat { kind: Kind::Link, .. })) => return Some(link(&place.directory, &place.name)),
                Ok(Some(_)) => {}
                Err(refusal) => return Some(unreadable(&refusal)),
            }
            syscalls::open_entry(&place.directory, &place.name, Wanted::Directory).map_err(Refusal::from)
        };
        let directory = match directory {
            Ok(directory) => directory,
            Err(refusal) => return Some(unreadable(&refusal)),
        };
        let bytes_left = below.most_bytes_together;
        let mut walk =
            Walk { root: self, below, entries: 0, bytes_left, found: Vec::new(), unnamed: Vec::new() };
        // Which of them come first is chance, so of too many none is taken.
        let Ok(()) = walk.enter(&directory, path, 1) else {
            let reason = format!("it holds more than {} entries", below.most_entries);
            return Some(SnapshotEntry::Unreadable { reason });
        };
        for (location, entry) in walk.found {
            snapshot.insert(location, entry);
        }
        for (directory, shown) in walk.unnamed {
            snapshot.insert_unnamed(directory, shown);
        }
        None
    }

    /// Returns whether a link stands where a directory is looked for: it leads to one, or nobody knows where.
    fn is_link_to_directory(&self, path: &WorkspacePath) -> bool {
        let looked = self.open_at(path, Mode::Resolving, Wanted::LookBehind);
        let stat = looked.and_then(|(handle, _)| Ok(syscalls::stat(&handle)?));
        stat.map_or(true, |stat| stat.kind == Kind::Directory)
    }
}

/// Returns a name in a form that can be shown: what is no text or cannot be seen is written as an escape.
fn shown(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '"' | '\\' => shown.push(c),
                _ => shown.extend(c.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            shown.extend(byte.escape_ascii().map(char::from));
        }
    }
    shown
}

fn link(directory: &Handle, name: &str) -> SnapshotEntry {
    let target = syscalls::read_link(directory, name).unwrap_or_default();
    SnapshotEntry::Link { target: String::from_utf8_lossy(&target).into_owned() }
}

impl Walk<'_> {
    /// Reads the entries of a directory that lies `level - 1` directories below the top one.
    fn enter(&mut self, directory: &Handle, path: &WorkspacePath, level: usize) -> Result<(), TooMany> {
        let most = self.below.most_entries.saturating_sub(self.entries);
        let entries = match syscalls::entries(directory, most) {
            Ok(entries) => entries.ok_or(TooMany)?,
            Err(error) => {
                self.add(path.clone(), unreadable(&error.into()));
                return Ok(());
            }
        };
        self.entries += entries.len();
        let mut named: Vec<(WorkspacePath, Kind)> = Vec::with_capacity(entries.len());
        for (name, kind) in entries {
            // What has no name that can be written in a file is nothing that a file could mean; a directory may mean
            // something by being there.
            if let Some(path) = std::str::from_utf8(&name).ok().and_then(|name| path.join(name).ok()) {
                named.push((path, kind));
            } else if kind == Kind::Directory && level < self.below.depth && !name.starts_with(b".") {
                let directory = Location::new(self.below.directory.mount.clone(), path.clone());
                self.unnamed.push((directory, shown(&name)));
            }
        }
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (path, kind) in named {
            self.look_at(directory, path, kind, level)?;
        }
        Ok(())
    }

    fn look_at(
        &mut self,
        directory: &Handle,
        path: WorkspacePath,
        kind: Kind,
        level: usize,
    ) -> Result<(), TooMany> {
        let is_wanted = (self.below.wants)(&path);
        let name = path.file_name().unwrap_or_default().to_owned();
        let is_on_the_way = level < self.below.depth && !name.starts_with('.');
        match kind {
            Kind::Directory if is_on_the_way => {
                match syscalls::open_entry(directory, &name, Wanted::Directory) {
                    Ok(inner) => {
                        self.add(path.clone(), SnapshotEntry::Directory);
                        return self.enter(&inner, &path, level + 1);
                    }
                    Err(error) => self.add(path, unreadable(&error.into())),
                }
            }
            Kind::Link if is_wanted || is_on_the_way && self.root.is_link_to_directory(&path) => {
                self.add(path, link(directory, &name));
            }
            Kind::Directory | Kind::File | Kind::Special if is_wanted => {
                let entry = self.read(directory, &name);
                if let SnapshotEntry::File { bytes, .. } = &entry {
                    notify(&Notice::Read { file: path.as_str(), bytes: bytes.len() });
                }
                self.add(path, entry);
            }
            Kind::File if (self.below.names)(&path) => self.add(path, SnapshotEntry::Unread),
            _ => {}
        }
        Ok(())
    }

    fn read(&mut self, directory: &Handle, name: &str) -> SnapshotEntry {
        let most = (self.below.most_bytes + 1).min(self.bytes_left + 1);
        let opened = syscalls::open_entry(directory, name, Wanted::Read).map_err(Refusal::from);
        let entry = opened.and_then(|handle| entry(&handle, most));
        let entry = entry.unwrap_or_else(|refusal| unreadable(&refusal));
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

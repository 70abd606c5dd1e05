//! Reading a subtree into a snapshot.

use minds_vfs::{DirectoryScope, Location, Snapshot, SnapshotEntry, WorkspacePath};

use crate::Root;
use crate::files::{FileErrorKind, Mode, Refusal};
use crate::notice::{Notice, notify};
use crate::snapshot::{read_entry, unreadable};
use crate::syscalls::{self, Access, Handle, Kind, Stat};

/// A walk in progress.
struct Walk<'w> {
    root: &'w Root,
    below: &'w DirectoryScope,
    entries: usize,
    bytes_left: u64,
    /// The entries read; moved to the snapshot unless the limit is exceeded.
    found: Vec<(Location, SnapshotEntry)>,
    /// Directories whose names are not valid in a path, each with its parent directory.
    unnamed: Vec<(Location, String)>,
}

/// The walk exceeded the maximum number of entries.
struct TooManyEntries;

impl Root {
    /// Reads the subtree that `below` describes. Symbolic links are not followed; they are recorded as links.
    pub(crate) fn read_subtree(&self, below: &DirectoryScope, snapshot: &mut Snapshot) {
        if let Some((parent, entry)) = self.unreadable_parent(&below.directory) {
            snapshot.insert(parent, entry);
            return;
        }
        if let Some(entry) = self.read_top(below, snapshot) {
            snapshot.insert(below.directory.clone(), entry);
        }
    }

    /// Reads the contents of the directory; returns the entry to record for the directory itself, if any.
    fn read_top(&self, below: &DirectoryScope, snapshot: &mut Snapshot) -> Option<SnapshotEntry> {
        let path = &below.directory.path;
        let directory = if path.is_root() {
            self.open_without_links(path, Access::Directory)
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
            syscalls::open_entry(&place.directory, &place.name, Access::Directory).map_err(Refusal::from)
        };
        let directory = match directory {
            Ok(directory) => directory,
            Err(refusal) => return Some(unreadable(&refusal)),
        };
        let bytes_left = below.max_total_bytes;
        let mut walk =
            Walk { root: self, below, entries: 0, bytes_left, found: Vec::new(), unnamed: Vec::new() };
        // Directory order is arbitrary, so a partial result would be unpredictable.
        let Ok(()) = walk.enter(&directory, path, 1) else {
            let reason = format!("it contains more than {} entries", below.max_entries);
            return Some(SnapshotEntry::Unreadable { reason });
        };
        for (location, entry) in walk.found {
            snapshot.insert(location, entry);
        }
        for (directory, name) in walk.unnamed {
            snapshot.insert_unnamed(directory, name);
        }
        None
    }

    /// Returns whether a symbolic link in place of a directory leads to a directory, or to an unknown place.
    fn is_link_to_directory(&self, path: &WorkspacePath) -> bool {
        let opened = self.open_at(path, Mode::Resolving, Access::StatNoLink);
        let stat = opened.and_then(|(handle, _)| Ok(syscalls::stat(&handle)?));
        stat.map_or(true, |stat| stat.kind == Kind::Directory)
    }
}

/// Returns a printable form of a name: invalid UTF-8 and invisible characters are escaped.
fn escape_name(name: &[u8]) -> String {
    let mut escaped = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '"' | '\\' => escaped.push(c),
                _ => escaped.extend(c.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            escaped.extend(byte.escape_ascii().map(char::from));
        }
    }
    escaped
}

fn link(directory: &Handle, name: &str) -> SnapshotEntry {
    let target = syscalls::read_link(directory, name).unwrap_or_default();
    SnapshotEntry::Link { target: String::from_utf8_lossy(&target).into_owned() }
}

impl Walk<'_> {
    /// Reads the entries of a directory that is `level - 1` levels below the top directory.
    fn enter(
        &mut self,
        directory: &Handle,
        path: &WorkspacePath,
        level: usize,
    ) -> Result<(), TooManyEntries> {
        let most = self.below.max_entries.saturating_sub(self.entries);
        let entries = match syscalls::entries(directory, most) {
            Ok(entries) => entries.ok_or(TooManyEntries)?,
            Err(error) => {
                self.add(path.clone(), unreadable(&error.into()));
                return Ok(());
            }
        };
        self.entries += entries.len();
        let mut valid: Vec<(WorkspacePath, Kind)> = Vec::with_capacity(entries.len());
        for (name, kind) in entries {
            // A configuration file cannot refer to a name that is not valid in a path. A directory, however,
            // may have a meaning by its presence.
            if let Some(path) = std::str::from_utf8(&name).ok().and_then(|name| path.join(name).ok()) {
                valid.push((path, kind));
            } else if kind == Kind::Directory && level < self.below.depth && !name.starts_with(b".") {
                let directory = Location::new(self.below.directory.mount.clone(), path.clone());
                self.unnamed.push((directory, escape_name(&name)));
            }
        }
        valid.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (path, kind) in valid {
            self.visit(directory, path, kind, level)?;
        }
        Ok(())
    }

    fn visit(
        &mut self,
        directory: &Handle,
        path: WorkspacePath,
        kind: Kind,
        level: usize,
    ) -> Result<(), TooManyEntries> {
        let is_wanted = (self.below.wants)(&path);
        let name = path.file_name().unwrap_or_default().to_owned();
        let is_on_the_way = level < self.below.depth && !name.starts_with('.');
        match kind {
            Kind::Directory if is_on_the_way => {
                match syscalls::open_entry(directory, &name, Access::Directory) {
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
                let entry = self.read_file(directory, &name);
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

    fn read_file(&mut self, directory: &Handle, name: &str) -> SnapshotEntry {
        let most = (self.below.max_bytes + 1).min(self.bytes_left + 1);
        let opened = syscalls::open_entry(directory, name, Access::Read).map_err(Refusal::from);
        let entry = opened.and_then(|handle| read_entry(&handle, most));
        let entry = entry.unwrap_or_else(|refusal| unreadable(&refusal));
        let SnapshotEntry::File { bytes, .. } = &entry else { return entry };
        let Some(left) = self.bytes_left.checked_sub(bytes.len() as u64) else {
            let reason = format!(
                "the files read from this directory tree would exceed {} MiB",
                self.below.max_total_bytes >> 20
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

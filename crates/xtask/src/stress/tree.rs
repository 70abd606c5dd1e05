//! A root with every kind of trap, and how to restore it.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_vfs::MountId;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, openat};

use super::outside::{Outside, TWIN, list_tree};
use super::traps::{self, Target, Trap, is_planted};

/// The name of the root, which must not exist at the top of the file system.
const TOP: &str = "stressed";

/// An entry of the root.
#[derive(Clone, Debug)]
pub(super) enum EntryState {
    Directory(u32),
    File(String, u32),
    Link(String),
    /// A hard link to a file outside.
    Hard,
    Fifo,
    Socket,
}

/// A root, the directory outside of it, and the original state of the root.
pub(super) struct Tree {
    folder: tempfile::TempDir,
    pub(super) outside: Outside,
    pub(super) root: Root,
    top: PathBuf,
    entries: BTreeMap<String, EntryState>,
    /// The traps by device and inode.
    traps: BTreeMap<(u64, u64), Trap>,
    kinds: BTreeMap<String, Trap>,
    /// The targets of links to open files of the process: a directory and a file outside.
    open: [OwnedFd; 2],
}

impl Tree {
    pub(super) fn new() -> Self {
        let folder = folder();
        let outside = Outside::new(&folder.path().join("outside"));
        let top = fs::canonicalize(folder.path()).expect("the folder exists").join(TOP);
        fs::create_dir(&top).expect("the folder can be made");
        let open = ["outside", "outside/outsider-secret"].map(|path| {
            let path = folder.path().join(path);
            openat(CWD, &path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).expect("it can be opened")
        });
        let root = Root::open(&top, MountId::WORKSPACE).expect("the root can be opened");
        let (entries, by_id, kinds) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut tree = Self { folder, outside, root, top, entries, traps: by_id, kinds, open };
        for (path, trap, target) in traps::all_entries() {
            let entry = tree.entry(target);
            if let Some(trap) = trap {
                tree.kinds.insert(path.clone(), trap);
            }
            tree.make(&path, &entry);
            tree.entries.insert(path, entry);
        }
        for (path, entry) in tree.entries.clone() {
            if let EntryState::Directory(bits) = entry {
                tree.set_bits(&path, bits);
            }
        }
        let outsiders: Vec<PathBuf> = list_tree(&tree.folder.path().join("outside"));
        for path in outsiders {
            let id = id(&path).expect("a listed entry exists");
            tree.traps.entry(id).or_insert(Trap::Outside);
        }
        tree.outside.record();
        tree
    }

    fn entry(&self, target: Target) -> EntryState {
        let absolute = |path: &str| self.folder.path().join(path).display().to_string();
        match target {
            Target::Directory(bits) => EntryState::Directory(bits),
            Target::File => EntryState::File("inside\n".to_owned(), 0o644),
            Target::Link(target) => EntryState::Link(target),
            Target::LinkToFolder(path) => EntryState::Link(absolute(path)),
            Target::LinkToOpen(at) => {
                EntryState::Link(format!("/proc/self/fd/{}", self.open[at].as_raw_fd()))
            }
            Target::Hard => EntryState::Hard,
            Target::Fifo => EntryState::Fifo,
            Target::Socket => EntryState::Socket,
        }
    }

    /// Returns a word that no result may contain, because it is part of the path of the folder.
    pub(super) fn secret_path(&self) -> String {
        self.folder.path().file_name().expect("a folder has a name").to_string_lossy().into_owned()
    }

    /// Returns the path of the outside from the file system root.
    pub(super) fn path_from_root(&self) -> String {
        self.folder.path().join("outside").display().to_string().trim_start_matches('/').to_owned()
    }

    /// Returns the set of traps on a path as bits, as the kernel sees it when it follows all links.
    pub(super) fn traps_on_path(&self, path: &str) -> u64 {
        let mut traps = 0;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let prefix = path.get(..end).unwrap_or_default();
            // An unreachable entry has no reachable entries below it.
            let Some(id) = id(&self.top.join(prefix)) else { break };
            if let Some(trap) = self.traps.get(&id) {
                traps |= trap.bit();
            }
        }
        traps
    }

    /// Fails unless a path really leads there, without any link.
    pub(super) fn expect_real(&self, real: &str) -> Result<(), String> {
        let parent = self.top.join(real.rsplit_once('/').map_or("", |(parent, _)| parent));
        match fs::canonicalize(&parent) {
            Ok(found) if found == parent || found.join("") == parent => Ok(()),
            found => Err(format!("`{real}` is reported as a real path, but its directory is {found:?}")),
        }
    }

    /// Fails if an existing entry was overwritten.
    pub(super) fn expect_nothing_before(&self, path: &str) -> Result<(), String> {
        if self.entries.contains_key(path) { Err(format!("`{path}` was overwritten")) } else { Ok(()) }
    }

    /// Moves an entry back.
    pub(super) fn move_back(&mut self, from: &str, to: &str) -> Result<(), String> {
        self.expect_real(from)?;
        self.expect_real(to)?;
        let moved = fs::rename(self.top.join(to), self.top.join(from));
        moved.map_err(|error| format!("`{to}` cannot be moved back to `{from}`: {error}"))
    }

    /// Restores the entry at a real path, and temporary entries in the same directory.
    pub(super) fn restore(&mut self, real: &str) -> Result<(), String> {
        // Directories that were created for it are removed as a whole.
        let ends = real.match_indices('/').map(|(at, _)| at);
        let made = ends.filter_map(|at| real.get(..at)).find(|above| !self.entries.contains_key(*above));
        let path = made.unwrap_or(real).to_owned();
        self.expect_real(&path)?;
        self.restore_one(&path);
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let beside = format!("{parent}{}.{name}.minds-new", if parent.is_empty() { "" } else { "/" });
        if self.entries.contains_key(&beside) {
            self.restore_one(&beside);
        }
        Ok(())
    }

    fn restore_one(&mut self, path: &str) {
        let at = self.top.join(path);
        let entry = self.entries.get(path).cloned();
        if entry.as_ref().is_some_and(|entry| self.is_original(&at, entry)) {
            return;
        }
        if let Some(id) = id(&at) {
            self.traps.remove(&id);
            let is_directory = fs::symlink_metadata(&at).is_ok_and(|metadata| metadata.is_dir());
            let removed = if is_directory { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
            removed.expect("what was made can be removed");
        }
        if let Some(entry) = entry {
            self.make(path, &entry);
            if let EntryState::Directory(bits) = entry {
                self.set_bits(path, bits);
            }
        }
    }

    /// Restores the planted files, which may be removed even by a refused operation.
    pub(super) fn restore_planted(&mut self) {
        let planted: Vec<String> = self.entries.keys().filter(|path| is_planted(path)).cloned().collect();
        for path in planted {
            self.restore_one(&path);
        }
    }

    /// Returns whether an entry is in its original state.
    fn is_original(&self, at: &Path, entry: &EntryState) -> bool {
        let Ok(metadata) = fs::symlink_metadata(at) else { return false };
        let bits = metadata.mode() & 0o7777;
        match entry {
            EntryState::Directory(wanted) => metadata.is_dir() && bits == *wanted,
            EntryState::File(text, wanted) => {
                let is_file = metadata.is_file() && metadata.nlink() == 1 && bits == *wanted;
                is_file && fs::read(at).is_ok_and(|bytes| bytes == text.as_bytes())
            }
            EntryState::Link(target) => fs::read_link(at).is_ok_and(|found| found == Path::new(target)),
            EntryState::Hard => id(at) == id(&self.folder.path().join("outside").join(TWIN)),
            EntryState::Fifo => FileType::from_raw_mode(metadata.mode()) == FileType::Fifo,
            EntryState::Socket => FileType::from_raw_mode(metadata.mode()) == FileType::Socket,
        }
    }

    fn make(&mut self, path: &str, entry: &EntryState) {
        let at = self.top.join(path);
        match entry {
            EntryState::Directory(_) => fs::create_dir(&at).expect("the directory can be made"),
            EntryState::File(text, bits) => {
                fs::write(&at, text).expect("the file can be written");
                self.set_bits(path, *bits);
            }
            EntryState::Link(target) => symlink(target, &at).expect("the link can be made"),
            EntryState::Hard => {
                let twin = self.folder.path().join("outside").join(TWIN);
                fs::hard_link(twin, &at).expect("the second name can be made");
            }
            EntryState::Fifo => make_fifo(&at),
            EntryState::Socket => drop(UnixListener::bind(&at).expect("the socket can be made")),
        }
        if let Some(trap) = self.kinds.get(path) {
            let id = id(&at).expect("the new entry exists");
            self.traps.insert(id, *trap);
        }
    }

    fn set_bits(&self, path: &str, bits: u32) {
        let permissions = fs::Permissions::from_mode(bits);
        fs::set_permissions(self.top.join(path), permissions).expect("permissions can be set");
    }

    /// Fails unless everything in the root is in its original state.
    pub(super) fn compare(&self) -> Result<(), String> {
        for (path, entry) in &self.entries {
            if !self.is_original(&self.top.join(path), entry) {
                return Err(format!("`{}` has changed", path.escape_debug()));
            }
        }
        for path in list_tree(&self.top) {
            let path = path.strip_prefix(&self.top).expect("it lies in the root");
            let name = path.to_str().expect("names are UTF-8");
            if !name.is_empty() && !self.entries.contains_key(name) {
                return Err(format!("`{}` was added", name.escape_debug()));
            }
        }
        Ok(())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // An inaccessible directory cannot be emptied.
        for (path, entry) in &self.entries {
            if let EntryState::Directory(_) = entry {
                self.set_bits(path, 0o755);
            }
        }
    }
}

/// Returns an empty folder, in memory if possible, because durability is not tested here.
pub(crate) fn folder() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("stress-");
    builder.tempdir_in("/dev/shm").or_else(|_| builder.tempdir()).expect("a folder can be made")
}

pub(super) fn make_fifo(at: &Path) {
    mknodat(CWD, at, FileType::Fifo, Mode::from_raw_mode(0o644), 0).expect("the pipe can be made");
}

fn id(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

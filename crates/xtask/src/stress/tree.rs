//! A root with everything in it that could lead out, and the way back to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use minds_paths::MountId;
use minds_system::Root;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, openat};

use super::outside::{Outside, TWIN, below};
use super::traps::{self, Target, Trap, is_planted};

/// The name of the root. No system has something of that name at its top.
const TOP: &str = "stressed";

/// What stands in the root under a name.
#[derive(Clone, Debug)]
pub(super) enum Thing {
    Directory(u32),
    File(String, u32),
    Link(String),
    /// A second name of a file outside.
    Hard,
    Fifo,
    Socket,
}

/// A root, what lies outside of it, and what the root should look like.
pub(super) struct Tree {
    folder: tempfile::TempDir,
    pub(super) outside: Outside,
    pub(super) root: Root,
    top: PathBuf,
    things: BTreeMap<String, Thing>,
    /// By the numbers of the system: which trap something is.
    traps: BTreeMap<(u64, u64), Trap>,
    kinds: BTreeMap<String, Trap>,
    /// For links that lead to what a process has open: a directory and a file outside.
    open: [OwnedFd; 2],
}

impl Tree {
    pub(super) fn new() -> Self {
        let folder = folder();
        let outside = Outside::new(&folder.path().join("outside"));
        let top = fs::canonicalize(folder.path()).expect("the folder is there").join(TOP);
        fs::create_dir(&top).expect("the folder can be made");
        let open = ["outside", "outside/outsider-secret"].map(|path| {
            let path = folder.path().join(path);
            openat(CWD, &path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).expect("it can be opened")
        });
        let root = Root::open(&top, MountId::WORKSPACE).expect("the root can be opened");
        let (things, by_id, kinds) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut tree = Self { folder, outside, root, top, things, traps: by_id, kinds, open };
        for (path, trap, target) in traps::things() {
            let thing = tree.thing(target);
            if let Some(trap) = trap {
                tree.kinds.insert(path.clone(), trap);
            }
            tree.make(&path, &thing);
            tree.things.insert(path, thing);
        }
        for (path, thing) in tree.things.clone() {
            if let Thing::Directory(bits) = thing {
                tree.set_bits(&path, bits);
            }
        }
        let outsiders: Vec<PathBuf> = below(&tree.folder.path().join("outside"));
        for path in outsiders {
            let id = id(&path).expect("what is listed is there");
            tree.traps.entry(id).or_insert(Trap::Outside);
        }
        tree.outside.record();
        tree
    }

    fn thing(&self, target: Target) -> Thing {
        let absolute = |path: &str| self.folder.path().join(path).display().to_string();
        match target {
            Target::Directory(bits) => Thing::Directory(bits),
            Target::File => Thing::File("inside\n".to_owned(), 0o644),
            Target::Link(target) => Thing::Link(target),
            Target::LinkToFolder(path) => Thing::Link(absolute(path)),
            Target::LinkToOpen(at) => Thing::Link(format!("/proc/self/fd/{}", self.open[at].as_raw_fd())),
            Target::Hard => Thing::Hard,
            Target::Fifo => Thing::Fifo,
            Target::Socket => Thing::Socket,
        }
    }

    /// Returns a word that no answer may have in it, because it is part of the path of the folder.
    pub(super) fn secret_path(&self) -> String {
        self.folder.path().file_name().expect("a folder has a name").to_string_lossy().into_owned()
    }

    /// Returns the way from the top of the system to the outside.
    pub(super) fn way_from_slash(&self) -> String {
        self.folder.path().join("outside").display().to_string().trim_start_matches('/').to_owned()
    }

    /// Returns which traps lie on a path, as a set of bits, as the kernel sees it when it follows everything.
    pub(super) fn reached(&self, path: &str) -> u64 {
        let mut traps = 0;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let prefix = path.get(..end).unwrap_or_default();
            // What cannot be reached has nothing behind it that could be.
            let Some(id) = id(&self.top.join(prefix)) else { break };
            if let Some(trap) = self.traps.get(&id) {
                traps |= trap.bit();
            }
        }
        traps
    }

    /// Fails unless a path is one that really leads there, without any link on the way.
    pub(super) fn expect_real(&self, real: &str) -> Result<(), String> {
        let parent = self.top.join(real.rsplit_once('/').map_or("", |(parent, _)| parent));
        match fs::canonicalize(&parent) {
            Ok(found) if found == parent || found.join("") == parent => Ok(()),
            found => Err(format!("`{real}` is said to be a real path, and its directory is {found:?}")),
        }
    }

    /// Fails if something was there before that came now: nothing may be overwritten.
    pub(super) fn expect_nothing_before(&self, path: &str) -> Result<(), String> {
        if self.things.contains_key(path) { Err(format!("`{path}` was overwritten")) } else { Ok(()) }
    }

    /// Moves something back.
    pub(super) fn move_back(&mut self, from: &str, to: &str) -> Result<(), String> {
        self.expect_real(from)?;
        self.expect_real(to)?;
        let moved = fs::rename(self.top.join(to), self.top.join(from));
        moved.map_err(|error| format!("`{to}` cannot be moved back to `{from}`: {error}"))
    }

    /// Makes what stands at a real path what it was, and what may have come or gone beside it.
    pub(super) fn restore(&mut self, real: &str) -> Result<(), String> {
        // What was made on the way to it goes as a whole.
        let ends = real.match_indices('/').map(|(at, _)| at);
        let made = ends.filter_map(|at| real.get(..at)).find(|above| !self.things.contains_key(*above));
        let path = made.unwrap_or(real).to_owned();
        self.expect_real(&path)?;
        self.restore_one(&path);
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let beside = format!("{parent}{}.{name}.minds-new", if parent.is_empty() { "" } else { "/" });
        if self.things.contains_key(&beside) {
            self.restore_one(&beside);
        }
        Ok(())
    }

    fn restore_one(&mut self, path: &str) {
        let at = self.top.join(path);
        let thing = self.things.get(path).cloned();
        if thing.as_ref().is_some_and(|thing| self.is(&at, thing)) {
            return;
        }
        if let Some(id) = id(&at) {
            self.traps.remove(&id);
            let is_directory = fs::symlink_metadata(&at).is_ok_and(|metadata| metadata.is_dir());
            let removed = if is_directory { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
            removed.expect("what was made can be removed");
        }
        if let Some(thing) = thing {
            self.make(path, &thing);
            if let Thing::Directory(bits) = thing {
                self.set_bits(path, bits);
            }
        }
    }

    /// Makes the planted files what they were: they may go although nothing was accepted.
    pub(super) fn restore_planted(&mut self) {
        let planted: Vec<String> = self.things.keys().filter(|path| is_planted(path)).cloned().collect();
        for path in planted {
            self.restore_one(&path);
        }
    }

    /// Returns whether something is what it was.
    fn is(&self, at: &Path, thing: &Thing) -> bool {
        let Ok(metadata) = fs::symlink_metadata(at) else { return false };
        let bits = metadata.mode() & 0o7777;
        match thing {
            Thing::Directory(wanted) => metadata.is_dir() && bits == *wanted,
            Thing::File(text, wanted) => {
                let is_file = metadata.is_file() && metadata.nlink() == 1 && bits == *wanted;
                is_file && fs::read(at).is_ok_and(|bytes| bytes == text.as_bytes())
            }
            Thing::Link(target) => fs::read_link(at).is_ok_and(|found| found == Path::new(target)),
            Thing::Hard => id(at) == id(&self.folder.path().join("outside").join(TWIN)),
            Thing::Fifo => FileType::from_raw_mode(metadata.mode()) == FileType::Fifo,
            Thing::Socket => FileType::from_raw_mode(metadata.mode()) == FileType::Socket,
        }
    }

    fn make(&mut self, path: &str, thing: &Thing) {
        let at = self.top.join(path);
        match thing {
            Thing::Directory(_) => fs::create_dir(&at).expect("the directory can be made"),
            Thing::File(text, bits) => {
                fs::write(&at, text).expect("the file can be written");
                self.set_bits(path, *bits);
            }
            Thing::Link(target) => symlink(target, &at).expect("the link can be made"),
            Thing::Hard => {
                let twin = self.folder.path().join("outside").join(TWIN);
                fs::hard_link(twin, &at).expect("the second name can be made");
            }
            Thing::Fifo => make_fifo(&at),
            Thing::Socket => drop(UnixListener::bind(&at).expect("the socket can be made")),
        }
        if let Some(trap) = self.kinds.get(path) {
            let id = id(&at).expect("what was made is there");
            self.traps.insert(id, *trap);
        }
    }

    fn set_bits(&self, path: &str, bits: u32) {
        let permissions = fs::Permissions::from_mode(bits);
        fs::set_permissions(self.top.join(path), permissions).expect("permissions can be set");
    }

    /// Fails unless everything in the root is what it was.
    pub(super) fn compare(&self) -> Result<(), String> {
        for (path, thing) in &self.things {
            if !self.is(&self.top.join(path), thing) {
                return Err(format!("`{}` is not what it was", path.escape_debug()));
            }
        }
        for path in below(&self.top) {
            let path = path.strip_prefix(&self.top).expect("it lies in the root");
            let name = path.to_str().expect("names are texts");
            if !name.is_empty() && !self.things.contains_key(name) {
                return Err(format!("`{}` was not there", name.escape_debug()));
            }
        }
        Ok(())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // What may not be entered cannot be emptied.
        for (path, thing) in &self.things {
            if let Thing::Directory(_) = thing {
                self.set_bits(path, 0o755);
            }
        }
    }
}

/// Returns an empty folder, in memory where there is such a place: what is on disk is not the question here.
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

//! A root in which a name alternates between an entry inside and one outside.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use minds_fs::Root;
use minds_vfs::MountId;
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, mkdirat, openat, renameat, renameat_with, unlinkat,
};

use super::outside::{MARKER, Outside};
use super::tree::folder;
use super::verbs::{BESIDES, LOOSE, MOVED, Verb};
use crate::random::Random;

/// The two entries that are swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Swap {
    /// A directory, and a link to one outside.
    Directory,
    /// A file, and a link to one outside.
    File,
    /// A file, and a hard link to one outside.
    HardLink,
    /// A link to an allowed directory, and a link to a denied one; both are inside.
    Policy,
}

impl Swap {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::HardLink => "hard link",
            Self::Policy => "policy",
        }
    }

    /// Returns the two names in the root that are swapped.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Directory => ["d", "d-other"],
            Self::File | Self::HardLink => ["k/f", "k/f-other"],
            Self::Policy => ["l", "l-other"],
        }
    }

    /// Returns the directory in the attacked paths.
    pub(super) fn directory(self) -> &'static str {
        match self {
            Self::Directory => "d",
            Self::File | Self::HardLink => "k",
            Self::Policy => "l",
        }
    }
}

/// The content of the file inside.
pub(super) const INSIDE: &str = "inside\n";
/// The file that is denied by its real path.
pub(super) const DENIED: &str = "denied";

/// The root, and the directory that must not be accessed.
pub(super) struct AlternatingRoot {
    folder: tempfile::TempDir,
    pub(super) root: Root,
    pub(super) top: PathBuf,
    pub(super) watched: Outside,
    swap: Swap,
    /// The directory inside, with its current name.
    inside: OwnedFd,
    /// Held while names are swapped or restored.
    order: Mutex<()>,
}

impl AlternatingRoot {
    pub(super) fn new(swap: Swap) -> Self {
        let folder = folder();
        let (top, outside) = (folder.path().join("root"), folder.path().join("outside/d"));
        let watched = if swap == Swap::Policy { top.join(DENIED) } else { outside.clone() };
        let allowed = if swap == Swap::Policy { top.join("allowed") } else { top.join(swap.directory()) };
        fs::create_dir(&top).expect("the folder can be made");
        for (directory, text) in
            [(&allowed, INSIDE.to_owned()), (&watched, format!("{MARKER} secret\n").repeat(9))]
        {
            fs::create_dir_all(directory.join("sub")).expect("the folder can be made");
            fs::write(directory.join("f"), text).expect("the file can be written");
        }
        fs::write(watched.join("outsider-name"), MARKER).expect("the file can be written");
        for name in [LOOSE, BESIDES[0]] {
            fs::write(top.join(name), INSIDE).expect("the file can be written");
        }
        if swap == Swap::Policy {
            symlink("allowed", top.join("l")).expect("the link can be made");
        }
        let inside = openat(CWD, &allowed, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty());
        let inside = inside.expect("the directory can be opened");
        let root = Root::open(&top, MountId::WORKSPACE).expect("the root can be opened");
        let watched = Outside::at(&watched);
        let mut fixture = Self { folder, root, top, watched, swap, inside, order: Mutex::default() };
        fixture.make_other();
        fixture.watched.record();
        fixture
    }

    /// Creates the entry that the name is swapped with.
    fn make_other(&self) {
        let other = self.top.join(self.swap.names()[1]);
        let made = match self.swap {
            Swap::Directory => symlink("../outside/d", other),
            Swap::File => symlink("../../outside/d/f", other),
            Swap::HardLink => fs::hard_link(self.folder.path().join("outside/d/f"), other),
            Swap::Policy => symlink(DENIED, other),
        };
        made.expect("it can be made");
    }

    /// Swaps the names repeatedly until `stop` is set; counts the swaps.
    pub(super) fn exchange(&self, stop: &AtomicBool, exchanged: &AtomicUsize, seed: u64) {
        let mut random = Random::new(seed);
        let [one, other] = self.swap.names().map(|name| self.top.join(name));
        while !stop.load(Ordering::Relaxed) {
            {
                let _order = self.order.lock().expect("the lock is not poisoned");
                if renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).is_ok() {
                    exchanged.fetch_add(1, Ordering::Relaxed);
                }
            }
            // Occasionally pauses, so that the other thread sees both states.
            for _ in 0..random.next_below(500) {
                std::hint::spin_loop();
            }
        }
    }

    /// Restores everything inside, so that the next operation finds the same state.
    pub(super) fn restore(&self, verb: Verb) {
        let at = |name: &str| self.top.join(name);
        let inside = &self.inside;
        // Changes that cannot be undone are outside, where they are detected.
        let _ = match verb {
            Verb::Create | Verb::ApplyOne | Verb::ApplySeveral => {
                let _ = unlinkat(inside, "new", AtFlags::empty());
                let _ = unlinkat(CWD, at(BESIDES[1]), AtFlags::empty());
                Ok(())
            }
            Verb::MakeDirectory => unlinkat(inside, "new", AtFlags::REMOVEDIR),
            Verb::MoveFrom => renameat(CWD, at(MOVED), inside, "f"),
            Verb::MoveTo => renameat(inside, "new", CWD, at(LOOSE)),
            Verb::RemoveDirectory => mkdirat(inside, "sub", Mode::from_raw_mode(0o755)),
            // A file that is appended to must not grow without limit.
            Verb::RemoveFile | Verb::Append => self.write_inside(),
            _ => Ok(()),
        };
        if matches!(self.swap, Swap::File | Swap::HardLink) {
            self.put_in_order();
        }
    }

    fn write_inside(&self) -> rustix::io::Result<()> {
        if matches!(self.swap, Swap::File | Swap::HardLink) {
            return Ok(());
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
        let file = openat(&self.inside, "f", flags, Mode::from_raw_mode(0o644))?;
        rustix::io::write(&file, INSIDE.as_bytes()).map(|_| ())
    }

    /// Recreates a link that was replaced by a new file at the last instant.
    fn put_in_order(&self) {
        let _order = self.order.lock().expect("the lock is not poisoned");
        let names = self.swap.names().map(|name| self.top.join(name));
        let foreign = |path: &Path| {
            let metadata = fs::symlink_metadata(path);
            metadata.is_ok_and(|metadata| metadata.is_symlink() || metadata.nlink() > 1)
        };
        if names.iter().any(|name| foreign(name)) && names.iter().any(|name| !foreign(name)) {
            if let Some(file) = names.iter().find(|name| !foreign(name)) {
                fs::write(file, INSIDE).expect("the file can be written");
            }
            return;
        }
        for name in &names {
            let _ = fs::remove_file(name);
        }
        fs::write(&names[0], INSIDE).expect("the file can be written");
        self.make_other();
    }
}

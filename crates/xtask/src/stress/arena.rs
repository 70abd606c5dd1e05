//! A root in which one name stands for something inside and something outside by turns.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use minds_paths::MountId;
use minds_system::Root;
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, mkdirat, openat, renameat, renameat_with, unlinkat,
};

use super::outside::{MARKER, Outside};
use super::tree::folder;
use super::verbs::{BESIDES, LOOSE, MOVED, Verb};
use crate::random::Random;

/// What is exchanged with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Swap {
    /// A directory with a link to one outside.
    Directory,
    /// A file with a link to one outside.
    File,
    /// A file with a second name of one outside.
    HardLink,
    /// A link to a directory that is allowed with a link to one that is not; both lie inside.
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

    /// Returns the two names that are exchanged, in the root.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Directory => ["d", "d-other"],
            Self::File | Self::HardLink => ["k/f", "k/f-other"],
            Self::Policy => ["l", "l-other"],
        }
    }

    /// Returns the directory through which the attacked goes.
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
/// What nobody was allowed to, by its real path.
pub(super) const DENIED: &str = "denied";

/// The root, and what nobody may touch.
pub(super) struct Arena {
    folder: tempfile::TempDir,
    pub(super) root: Root,
    pub(super) top: PathBuf,
    pub(super) watched: Outside,
    swap: Swap,
    /// The directory inside, wherever it stands.
    inside: OwnedFd,
    /// Held while names are exchanged, or put in order.
    order: Mutex<()>,
}

impl Arena {
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
        let mut arena = Self { folder, root, top, watched, swap, inside, order: Mutex::default() };
        arena.make_other();
        arena.watched.record();
        arena
    }

    /// Makes what the name is exchanged with.
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

    /// Exchanges the names again and again until it is told to stop; returns how often.
    pub(super) fn exchange(&self, stop: &AtomicBool, exchanged: &AtomicUsize, seed: u64) {
        let mut random = Random::new(seed);
        let [one, other] = self.swap.names().map(|name| self.top.join(name));
        while !stop.load(Ordering::Relaxed) {
            {
                let _order = self.order.lock().expect("nobody panics with it");
                if renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).is_ok() {
                    exchanged.fetch_add(1, Ordering::Relaxed);
                }
            }
            // Now and then nothing happens for a while, so that the other thread sees both.
            for _ in 0..random.below(500) {
                std::hint::spin_loop();
            }
        }
    }

    /// Makes everything inside what it was, so that the next operation finds the same.
    pub(super) fn restore(&self, verb: Verb) {
        let at = |name: &str| self.top.join(name);
        let inside = &self.inside;
        // What cannot be undone is outside, where it is found.
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
            // What is appended to must not grow beyond all bounds.
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

    /// A new content takes the place of a link that came at the last moment: then there is none any more.
    fn put_in_order(&self) {
        let _order = self.order.lock().expect("nobody panics with it");
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

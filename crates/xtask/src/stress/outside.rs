//! The directory outside of the root, and the proof that it was not changed or read.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

/// A part of the content of every file outside, and of no other file.
pub(super) const MARKER: &str = "OUTSIDER";
/// A part of every name outside below the top, and of no other name.
pub(super) const NAME: &str = "outsider";
/// A file outside that has a hard link in the root.
pub(super) const TWIN: &str = "outsider-twin";

/// The metadata of an entry. A time that may change is none.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    number: u64,
    bits: u32,
    links: u64,
    size: u64,
    modified: (i64, i64),
    changed: Option<(i64, i64)>,
    read: Option<(i64, i64)>,
}

/// A folder that must not be changed or read.
pub(super) struct Outside {
    top: PathBuf,
    facts: BTreeMap<PathBuf, Facts>,
    contents: BTreeMap<PathBuf, String>,
}

impl Outside {
    /// Creates the folder, with files, directories and links.
    pub(super) fn new(top: &Path) -> Self {
        fs::create_dir_all(top.join("outsider-deep/outsider-empty")).expect("the folder can be made");
        let files = ["outsider-secret", TWIN, "outsider-deep/outsider-secret", "outsider-deep/outsider-run"];
        for (at, name) in files.iter().enumerate() {
            let text = format!("{MARKER} {name}\n").repeat(11 + at);
            fs::write(top.join(name), text).expect("the file can be written");
        }
        for (name, bits) in [("outsider-deep/outsider-run", 0o755), ("outsider-secret", 0o600)] {
            let permissions = fs::Permissions::from_mode(bits);
            fs::set_permissions(top.join(name), permissions).expect("permissions can be set");
        }
        symlink("outsider-secret", top.join("outsider-link")).expect("the link can be made");
        super::tree::make_fifo(&top.join("outsider-fifo"));
        Self::at(top)
    }

    /// Uses an existing folder.
    pub(super) fn at(top: &Path) -> Self {
        Self { top: top.to_owned(), facts: BTreeMap::new(), contents: BTreeMap::new() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.top
    }

    /// Records the current state, and sets the times so that reading a file or a directory is detected.
    pub(super) fn record(&mut self) {
        self.contents = contents(&self.top);
        let paths: Vec<PathBuf> = self.contents.keys().cloned().collect();
        for path in &paths {
            set_times(path);
        }
        self.facts = paths.into_iter().map(|path| (path.clone(), facts_of(&path))).collect();
    }

    /// Returns whether the file system records access times, so that reading is detected.
    pub(super) fn records_access_times(&self) -> bool {
        let probe = self.top.with_file_name("probe");
        fs::write(&probe, "probe").expect("the file can be written");
        set_times(&probe);
        let _ = fs::read(&probe);
        let noted = fs::metadata(&probe).is_ok_and(|metadata| metadata.atime() != PAST);
        fs::remove_file(&probe).expect("the file can be removed");
        noted
    }

    /// Fails if anything was changed or read, according to the metadata.
    pub(super) fn check_metadata(&self) -> Result<(), String> {
        for (path, facts) in &self.facts {
            let now = facts_of(path);
            if now != *facts {
                return Err(format!("{} was {facts:?} and is {now:?}", path.display()));
            }
        }
        Ok(())
    }

    /// Fails if anything was changed or read; compares every byte.
    pub(super) fn compare(&mut self) -> Result<(), String> {
        self.check_metadata()?;
        let now = contents(&self.top);
        if now != self.contents {
            return Err(format!("the outside was {:#?} and is {now:#?}", self.contents));
        }
        self.record();
        Ok(())
    }
}

const PAST: i64 = 1_000_000_000;

/// Most file systems update the access time only if it is older than the modification time, so the
/// modification time is later.
fn set_times(path: &Path) {
    let at = |tv_sec| Timespec { tv_sec, tv_nsec: 0 };
    let times = Timestamps { last_access: at(PAST), last_modification: at(PAST + 1) };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).expect("times can be set");
}

fn facts_of(path: &Path) -> Facts {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        let (number, bits, links, size) = (0, 0, 0, 0);
        return Facts { number, bits, links, size, modified: (0, 0), changed: None, read: None };
    };
    // Other hard links may be moved and removed.
    let is_twin = metadata.is_file() && metadata.nlink() > 1;
    Facts {
        number: metadata.ino(),
        bits: metadata.mode(),
        links: metadata.nlink(),
        size: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (!is_twin).then(|| (metadata.ctime(), metadata.ctime_nsec())),
        read: (!metadata.is_symlink()).then(|| (metadata.atime(), metadata.atime_nsec())),
    }
}

/// Returns everything at and below a folder, by path: kinds, permissions, contents and targets.
fn contents(top: &Path) -> BTreeMap<PathBuf, String> {
    list_tree(top).into_iter().map(|path| (path.clone(), describe_entry(&path))).collect()
}

fn describe_entry(path: &Path) -> String {
    let metadata = fs::symlink_metadata(path).expect("a listed entry exists");
    let bits = metadata.mode() & 0o7777;
    if metadata.is_symlink() {
        return format!("link to {}", fs::read_link(path).expect("a link has a target").display());
    }
    if metadata.is_file() {
        let bytes = fs::read(path).expect("a file can be read");
        return format!("file {bits:o} {} {}", metadata.nlink(), String::from_utf8_lossy(&bytes));
    }
    format!("{} {bits:o}", if metadata.is_dir() { "directory" } else { "special" })
}

/// Returns the paths of everything at and below a folder. No file is read.
pub(super) fn list_tree(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut paths = vec![top.to_owned()];
    while let Some(path) = paths.pop() {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
            paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        found.push(path);
    }
    found
}

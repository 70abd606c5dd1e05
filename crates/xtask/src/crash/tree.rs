//! A folder with known content.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use minds_fs::Root;
use minds_vfs::MountId;

/// The entries below a folder, by path: `directory`, `link to …`, or `file` and the content.
pub(super) type Files = BTreeMap<String, String>;

/// A part of the names of all temporary files, and only of those.
const TEMPORARY: &str = ".minds-";

/// A folder that is removed when the value is dropped.
pub(super) struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    /// Creates a folder with this content, in memory if possible: a killed process loses nothing there
    /// either.
    pub(super) fn new(files: &Files) -> Self {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("crash-");
        let folder = builder.tempdir_in("/dev/shm").or_else(|_| builder.tempdir());
        let folder = folder.expect("a folder can be made");
        for (path, what) in files {
            let at = folder.path().join(path);
            let made = match what.split_once(' ') {
                Some(("file", text)) => fs::write(at, text),
                Some((_, target)) => symlink(target.trim_start_matches("to "), at),
                None => fs::create_dir(at),
            };
            made.expect("it can be made");
        }
        Self { folder }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn open(&self) -> Root {
        Root::open(self.path(), MountId::WORKSPACE).expect("the root can be opened")
    }

    /// Returns all entries that are not temporary.
    pub(super) fn files(&self) -> Files {
        let mut files = self.all_files();
        files.retain(|path, _| !path.contains(TEMPORARY));
        files
    }

    /// Returns the names of the temporary entries.
    pub(super) fn temporaries(&self) -> Vec<String> {
        self.all_files().into_keys().filter(|path| path.contains(TEMPORARY)).collect()
    }

    /// Returns all entries.
    pub(super) fn all_files(&self) -> Files {
        let mut found = Files::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("the folder can be listed") {
                let entry = entry.expect("the folder can be listed");
                let path = entry.path();
                let kind = entry.file_type().expect("the entry has a type");
                let what = if kind.is_symlink() {
                    format!("link to {}", fs::read_link(&path).expect("a link has a target").display())
                } else if kind.is_dir() {
                    folders.push(path.clone());
                    "directory".to_owned()
                } else {
                    let bytes = fs::read(&path).expect("the file can be read");
                    format!("file {}", String::from_utf8_lossy(&bytes))
                };
                let name = path.strip_prefix(self.path()).expect("it lies in the folder");
                found.insert(name.to_string_lossy().into_owned(), what);
            }
        }
        found
    }
}

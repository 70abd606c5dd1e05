//! Helpers for tests of files.

pub(crate) mod killed_process;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The entries below a directory, by path: permissions, kinds, contents and targets.
pub(crate) type Entries = BTreeMap<String, (u32, String)>;

/// Returns all entries below a directory, without following links.
pub(crate) fn list_entries(top: &Path) -> Entries {
    let mut found = Entries::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let what = if metadata.is_symlink() {
                (0, format!("link to {}", fs::read_link(&path).unwrap().display()))
            } else if metadata.is_dir() {
                folders.push(path);
                (0, "directory".to_owned())
            } else if metadata.is_file() {
                (metadata.permissions().mode() & 0o7777, fs::read_to_string(&path).unwrap())
            } else {
                (0, "special".to_owned())
            };
            found.insert(name, what);
        }
    }
    found
}

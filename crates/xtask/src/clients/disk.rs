//! What is on the disk, to compare it.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
}

/// The entries of folders by their path, without following links.
pub(crate) type Tree = BTreeMap<PathBuf, Entry>;

/// Reads everything below some folders.
pub(crate) fn read(folders: &[PathBuf]) -> Tree {
    let mut tree = Tree::new();
    let mut waiting = folders.to_vec();
    while let Some(folder) = waiting.pop() {
        // A folder can vanish while it is read.
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
            let entry = if metadata.is_symlink() {
                Entry::Link(std::fs::read_link(&path).unwrap_or_default())
            } else if metadata.is_dir() {
                waiting.push(path.clone());
                Entry::Folder
            } else {
                Entry::File(std::fs::read(&path).unwrap_or_default())
            };
            tree.insert(path, entry);
        }
    }
    tree
}

/// Returns the paths that were created, changed or removed.
pub(crate) fn find_changes(before: &Tree, after: &Tree) -> Vec<PathBuf> {
    let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
    let mut paths: Vec<PathBuf> = before.keys().chain(after.keys()).filter(differs).cloned().collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Returns a path relative to a folder, if it is valid text and below it.
pub(crate) fn relative<'p>(path: &'p Path, folder: &Path) -> Option<&'p str> {
    std::str::from_utf8(path.strip_prefix(folder).ok()?.as_os_str().as_bytes()).ok()
}

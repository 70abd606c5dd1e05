//! Sets of folders, each with everything below it.

use std::collections::BTreeSet;

/// Absolute paths of folders, without symbolic links. Each stands for everything at or below it.
pub type Folders = BTreeSet<String>;

/// Returns whether `path` is `folder` or below it.
pub fn is_at_or_below(path: &str, folder: &str) -> bool {
    match path.strip_prefix(folder.trim_end_matches('/')) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Returns the folder of the set that contains `path`, the deepest one if there are several.
pub fn find_folder<'f>(folders: &'f Folders, path: &str) -> Option<&'f str> {
    let around = folders.iter().filter(|folder| is_at_or_below(path, folder));
    around.max_by_key(|folder| folder.len()).map(String::as_str)
}

/// Returns what both sets contain.
pub(super) fn intersect(one: &Folders, other: &Folders) -> Folders {
    let inside = |these: &Folders, those: &Folders| -> Folders {
        these.iter().filter(|folder| find_folder(those, folder).is_some()).cloned().collect()
    };
    inside(one, other).into_iter().chain(inside(other, one)).collect()
}

/// Returns the folders of `wanted` that `granted` does not contain.
pub(super) fn find_outside<'f>(wanted: &'f Folders, granted: &Folders) -> impl Iterator<Item = &'f String> {
    wanted.iter().filter(|folder| find_folder(granted, folder).is_none())
}

//! Searching a directory and its ancestors for a marker.

use std::path::{Path, PathBuf};

use minds_process::SystemError;

/// The result of a search upwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpwardSearch {
    /// The directory where the search started: the given directory, or the parent of the given file.
    /// Absolute.
    pub start: PathBuf,
    /// The given file, if the path was a file. Absolute.
    pub file: Option<PathBuf>,
    /// The directory that was found. Absolute.
    pub root: Option<PathBuf>,
}

/// The maximum number of entries examined in one directory.
const MAX_ENTRIES: usize = 100_000;

/// Searches `path` (relative to `base`) and its ancestors for the nearest directory that contains one of
/// `markers`. A marker is a relative path; its last segment may be `*` followed by a suffix, which matches
/// any directory whose name has that suffix, ignoring case. The search does not leave the repository: it
/// stops at a directory that contains `.git`.
///
/// # Errors
///
/// Fails if `path` does not exist or is not accessible.
pub fn find_upwards(base: &Path, path: &Path, markers: &[&str]) -> Result<UpwardSearch, SystemError> {
    let joined = base.join(path);
    let failed = |error| SystemError::new("read", path, error);
    let metadata = std::fs::metadata(&joined).map_err(failed)?;
    // Links are resolved only for a path with `..`; any other path keeps the names that the user gave.
    let climbs = joined.components().any(|part| part == std::path::Component::ParentDir);
    let absolute = if climbs { joined.canonicalize().map_err(failed)? } else { clean(&joined) };
    let (start, file) = if metadata.is_dir() {
        (absolute, None)
    } else {
        (absolute.parent().unwrap_or(&absolute).to_owned(), Some(absolute))
    };
    let mut root = None;
    'search: for directory in start.ancestors() {
        for marker in markers {
            match contains(directory, marker) {
                Ok(true) => {
                    root = Some(directory.to_owned());
                    break 'search;
                }
                // An ancestor may be inaccessible; the starting directory must not be.
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied && directory == start => {
                    return Err(failed(error));
                }
                Ok(false) | Err(_) => {}
            }
        }
        if std::fs::symlink_metadata(directory.join(".git")).is_ok() {
            break;
        }
    }
    Ok(UpwardSearch { start, file, root })
}

/// Returns whether a directory contains an entry that matches a marker.
fn contains(directory: &Path, marker: &str) -> std::io::Result<bool> {
    let (parent, name) = marker.rsplit_once('/').unwrap_or(("", marker));
    let Some(ending) = name.strip_prefix('*') else {
        return std::fs::symlink_metadata(directory.join(marker)).map(|_| true);
    };
    // A pattern only searches for candidates, so an unreadable directory has none.
    let Ok(entries) = std::fs::read_dir(directory.join(parent)) else { return Ok(false) };
    let entries = entries.take(MAX_ENTRIES).flatten();
    let is_match = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let end = name.get(name.len().saturating_sub(ending.len())..).unwrap_or_default();
        end.eq_ignore_ascii_case(ending.as_bytes()) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    Ok(entries.into_iter().any(is_match))
}

/// Returns the canonical path of the directory at `path`, without symbolic links, `.` and `..`.
///
/// # Errors
///
/// Fails if `path` does not exist, is not a directory, or is not accessible.
pub fn real_directory(path: &Path) -> Result<PathBuf, SystemError> {
    let failed = |error| SystemError::new("read", path, error);
    let real = path.canonicalize().map_err(failed)?;
    let is_directory = std::fs::metadata(&real).map_err(failed)?.is_dir();
    if is_directory { Ok(real) } else { Err(failed(std::io::ErrorKind::NotADirectory.into())) }
}

/// Returns whether `path` is a directory; symbolic links are followed.
pub fn is_directory(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns the path that prevents a directory from existing or being created at `path`: the nearest existing
/// path at or above it that is not a directory, such as a file or a dangling link.
pub fn obstacle_to_directory(path: &Path) -> Option<PathBuf> {
    let nearest = path.ancestors().find(|place| std::fs::symlink_metadata(place).is_ok())?;
    if is_directory(nearest) { None } else { Some(nearest.to_owned()) }
}

/// Returns a path without `.` segments and repeated separators.
fn clean(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != std::path::Component::CurDir).collect()
}

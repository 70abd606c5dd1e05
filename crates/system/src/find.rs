//! The nearest directory upwards that has something.

use std::path::{Path, PathBuf};

use crate::SystemError;

/// Where a search upwards ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where the search started: the directory that was given, or that of the file that was given. Absolute.
    pub start: PathBuf,
    /// The file that was given, if it was one. Absolute.
    pub file: Option<PathBuf>,
    /// The directory that was found. Absolute.
    pub root: Option<PathBuf>,
}

/// The most entries of a directory among which one is looked for.
const MAX_ENTRIES: usize = 100_000;

/// Looks for the nearest directory at or above `path`, which is taken relative to `base`, that holds one of `markers`:
/// relative paths, of which the last name may be `*` with an ending: any directory whose name ends so, in any letter case. The search does not leave the repository: it ends at a directory that holds `.git`.
///
/// # Errors
///
/// Fails if there is nothing at `path`, or it cannot be looked into.
pub fn find_upwards(base: &Path, path: &Path, markers: &[&str]) -> Result<Found, SystemError> {
    let joined = base.join(path);
    let failed = |error| SystemError::new("read", path, error);
    let metadata = std::fs::metadata(&joined).map_err(failed)?;
    // Only a path with `..` needs the links on its way resolved; any other keeps the names that the user gave.
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
            match has(directory, marker) {
                Ok(true) => {
                    root = Some(directory.to_owned());
                    break 'search;
                }
                // What lies further up may be closed; what was asked for must be open.
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
    Ok(Found { start, file, root })
}

/// Returns whether a directory holds what a marker names.
fn has(directory: &Path, marker: &str) -> std::io::Result<bool> {
    let (parent, name) = marker.rsplit_once('/').unwrap_or(("", marker));
    let Some(ending) = name.strip_prefix('*') else {
        return std::fs::symlink_metadata(directory.join(marker)).map(|_| true);
    };
    // Such a marker is looked for, and not asked for: what may not be seen is none.
    let Ok(entries) = std::fs::read_dir(directory.join(parent)) else { return Ok(false) };
    let entries = entries.take(MAX_ENTRIES).flatten();
    let is_one = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let end = name.get(name.len().saturating_sub(ending.len())..).unwrap_or_default();
        end.eq_ignore_ascii_case(ending.as_bytes()) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    Ok(entries.into_iter().any(is_one))
}

/// Returns the path that leads to the directory at `path` without any link, `.` and `..`. Absolute.
///
/// # Errors
///
/// Fails if nothing is there, if it is no directory, or if it cannot be reached.
pub fn real_directory(path: &Path) -> Result<PathBuf, SystemError> {
    let failed = |error| SystemError::new("read", path, error);
    let real = path.canonicalize().map_err(failed)?;
    let is_directory = std::fs::metadata(&real).map_err(failed)?.is_dir();
    if is_directory { Ok(real) } else { Err(failed(std::io::ErrorKind::NotADirectory.into())) }
}

/// Returns whether a directory is at `path`; links are followed.
pub fn is_directory(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns what keeps a directory from being at `path`, or from being made there: the nearest thing at or above it that is
/// no directory, such as a file or a link to nothing.
pub fn obstacle_to_directory(path: &Path) -> Option<PathBuf> {
    let nearest = path.ancestors().find(|place| std::fs::symlink_metadata(place).is_ok())?;
    if is_directory(nearest) { None } else { Some(nearest.to_owned()) }
}

/// Returns a path without `.` and repeated separators.
fn clean(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != std::path::Component::CurDir).collect()
}

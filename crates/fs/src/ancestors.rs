//! Finding directories above a given directory.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use minds_process::SystemError;

/// A directory at or above another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// The number of steps up; 0 is the starting directory itself.
    pub steps: usize,
    /// The canonical path.
    pub path: PathBuf,
}

/// Returns the directories at and above `path` that contain an entry called `name` of any type, nearest
/// first, up to the file system root. A directory in which the lookup fails for a reason other than "not
/// found" is included. Symbolic links in `path` are resolved.
///
/// # Errors
///
/// Fails if `path` does not exist or cannot be accessed.
pub fn ancestors_with(path: &Path, name: &str) -> Result<Vec<Ancestor>, SystemError> {
    let real = std::fs::canonicalize(path).map_err(|error| SystemError::new("find", path, error))?;
    // A lookup that fails, for example without permission, may hide an existing entry.
    let holds = |directory: &Path| match std::fs::symlink_metadata(directory.join(name)) {
        Ok(_) => true,
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    let matching = real.ancestors().enumerate().filter(|(_, directory)| holds(directory));
    Ok(matching.map(|(steps, directory)| Ancestor { steps, path: directory.to_owned() }).collect())
}

/// Returns the canonical path of the user's home directory; none if `HOME` does not name an existing
/// directory.
pub fn home_directory() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    std::fs::canonicalize(Path::new(&home)).ok().filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_are_found_by_the_entries_they_contain() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a/b/c")).unwrap();
        std::fs::create_dir_all(real.join("a/.mark")).unwrap();
        std::fs::create_dir_all(real.join("a/b/c/.mark")).unwrap();
        std::os::unix::fs::symlink("nowhere", real.join("a/b/.mark")).unwrap();
        std::fs::write(real.join(".mark"), "not a directory").unwrap();
        std::fs::create_dir(real.join("a/.marks")).unwrap();
        std::os::unix::fs::symlink("a/b", real.join("link")).unwrap();
        let found = ancestors_with(&real.join("link/c"), ".mark").unwrap();
        let expected = ["a/b/c", "a/b", "a", ""].map(|path| real.join(path));
        let expected = expected.into_iter().enumerate().map(|(steps, path)| Ancestor { steps, path });
        assert_eq!(found, expected.collect::<Vec<_>>());
        let found = ancestors_with(&real.join("link/c"), ".marks").unwrap();
        assert_eq!(found, [Ancestor { steps: 2, path: real.join("a") }]);
        assert!(matches!(ancestors_with(&real.join("none"), ".mark"), Err(SystemError::NotFound { .. })));
    }
}

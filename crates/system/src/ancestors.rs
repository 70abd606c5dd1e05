//! Directories above a directory.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::SystemError;

/// A directory at or above another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// How many steps above it lies; 0 is the directory itself.
    pub steps: usize,
    /// Its real path.
    pub path: PathBuf,
}

/// Returns the directories at and above `path` that hold something called `name`, whatever it is, and those of which that is
/// not known, the nearest first, to the top of the file system. Links on the way to `path` are resolved.
///
/// # Errors
///
/// Fails if there is nothing at `path`, or it cannot be looked into.
pub fn ancestors_with(path: &Path, name: &str) -> Result<Vec<Ancestor>, SystemError> {
    let real = std::fs::canonicalize(path).map_err(|error| SystemError::new("find", path, error))?;
    // What cannot be looked at may be there.
    let holds = |directory: &Path| match std::fs::symlink_metadata(directory.join(name)) {
        Ok(_) => true,
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    let found = real.ancestors().enumerate().filter(|(_, directory)| holds(directory));
    Ok(found.map(|(steps, directory)| Ancestor { steps, path: directory.to_owned() }).collect())
}

/// Returns the real path of the user's home; none if the environment names none that is there.
pub fn home_directory() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    std::fs::canonicalize(Path::new(&home)).ok().filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_above_are_found_by_what_they_hold() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a/b/c")).unwrap();
        std::fs::create_dir_all(real.join("a/.mark")).unwrap();
        std::fs::create_dir_all(real.join("a/b/c/.mark")).unwrap();
        std::os::unix::fs::symlink("nowhere", real.join("a/b/.mark")).unwrap();
        std::fs::write(real.join(".mark"), "no directory").unwrap();
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

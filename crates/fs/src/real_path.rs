//! Real paths of files that need not exist.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use rustix::fs::Access;

/// The maximum number of symbolic links followed while resolving one path.
const MAX_LINKS: usize = 40;

/// Returns an absolute path without symbolic links, `.` and `..`. A link is followed also if its target does not exist, and
/// parts that do not exist are kept. No file is opened.
///
/// # Errors
///
/// Returns why the path cannot be resolved, as text for a message.
pub fn real_path(path: &Path) -> Result<PathBuf, &'static str> {
    if !path.is_absolute() {
        return Err("it is not an absolute path");
    }
    // Without a limit, no directory is examined for `..`.
    follow_links(Path::new("/"), path, path).map(|(real, _)| real)
}

/// Returns whether the entry at `path` is a directory, following links; `None` if nothing exists there. What cannot be
/// examined may be one.
pub fn may_be_directory(path: &Path) -> Option<bool> {
    match std::fs::metadata(path) {
        Ok(found) => Some(found.is_dir()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            // A link to nothing.
            std::fs::symlink_metadata(path).ok().map(|_| false)
        }
        Err(_) => Some(true),
    }
}

/// Returns whether this user can create files in the directory at `path`, or, if it does not exist, in the nearest directory
/// above it.
pub fn is_writable(path: &Path) -> bool {
    let existing = path.ancestors().find(|path| std::fs::symlink_metadata(path).is_ok());
    existing.is_some_and(|path| {
        path.is_dir() && rustix::fs::access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    })
}

/// Returns a path, which is relative to `start`, without symbolic links, and whether part of it is known to be missing.
pub(crate) fn follow_links(start: &Path, path: &Path, limit: &Path) -> Result<(PathBuf, bool), &'static str> {
    let mut real = start.to_owned();
    let (mut links, mut is_missing, mut is_directory) = (0, false, true);
    let parts = |path: &Path| -> Vec<OsString> {
        path.components().map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut ahead: VecDeque<OsString> = parts(path).into();
    while let Some(part) = ahead.pop_front() {
        match Path::new(&part).components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => {
                // Whether a name followed by `..` is a directory is checked only inside the limit.
                if !is_directory && real.starts_with(limit) {
                    is_missing |= !std::fs::symlink_metadata(&real).is_ok_and(|found| found.is_dir());
                }
                real.pop();
                is_directory = true;
            }
            Some(Component::Prefix(_) | Component::RootDir) => {
                real.push(&part);
                is_directory = true;
            }
            Some(Component::Normal(name)) => {
                real.push(name);
                is_directory = false;
                match std::fs::read_link(&real) {
                    Ok(target) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err("too many symbolic links are on its path");
                        }
                        real.pop();
                        is_directory = true;
                        for part in parts(&target).into_iter().rev() {
                            ahead.push_front(part);
                        }
                    }
                    Err(error) => {
                        is_missing |= matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                    }
                }
            }
        }
    }
    Ok((real, is_missing))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_directory_that_does_not_exist_is_writable_if_the_one_above_it_is() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(is_writable(folder.path()) && is_writable(&folder.path().join("a/b")));
        assert!(!is_writable(&folder.path().join("file/b")), "a file has no entries");
    }

    #[test]
    fn links_are_followed_also_to_what_does_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        symlink("../none/x", top.join("a/dangling")).unwrap();
        symlink("b", top.join("a/link")).unwrap();
        symlink("round", top.join("round")).unwrap();
        let real = |path: &str| real_path(&top.join(path));
        assert_eq!(real("a/dangling/y"), Ok(top.join("none/x/y")));
        assert_eq!(real("a/link/../c"), Ok(top.join("a/c")));
        assert_eq!(real("missing/./x"), Ok(top.join("missing/x")));
        real("round").unwrap_err();
        real_path(Path::new("a")).unwrap_err();
    }
}

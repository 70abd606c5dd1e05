//! Replacing this process by another program.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{Access, access};

/// Finds a program: beside this one, else in the folders of `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    find_program_beside(name).or_else(|| find_in(name, folders))
}

/// Finds a program beside the real file of this one.
pub fn find_program_beside(name: &str) -> Option<PathBuf> {
    let own = program_file().ok()?;
    find_in(name, own.parent().map(Path::to_owned).into_iter())
}

/// Returns the real path of the file of this program, for other programs that start it.
///
/// # Errors
///
/// Fails if the file was removed or replaced.
pub fn program_file() -> io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}

/// Returns whether a path is that of an executable file.
pub fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

fn find_in(name: &str, folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    folders.map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// Replaces this process by a program, which has its id, its environment and its open files. Returns only if that fails.
pub fn replace_program<S: AsRef<OsStr>>(program: &Path, args: &[S]) -> io::Error {
    Command::new(program).args(args).exec()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_first_executable_file_is_found() {
        let top = tempfile::tempdir().unwrap();
        let folder = |name: &str| top.path().join(name);
        for (name, mode) in [("a", 0o644), ("b", 0o755), ("c", 0o755)] {
            std::fs::create_dir(folder(name)).unwrap();
            let file = folder(name).join("tool");
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir_all(folder("d/tool")).unwrap();
        let find = |names: &[&str]| find_in("tool", names.iter().map(|name| folder(name)));
        assert_eq!(find(&["d", "a", "b", "c"]), Some(folder("b/tool")));
        assert_eq!(find(&["d", "none"]), None);
        assert!(find_program("no such program").is_none());
    }

    #[test]
    fn a_program_that_does_not_exist_replaces_nothing() {
        let error = replace_program::<&str>(Path::new("/no/such/program"), &[]);
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}

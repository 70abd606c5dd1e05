//! Data about a workspace that is stored outside of it.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use minds_process::{SystemError, program_folder};
use minds_vfs::{ContentHash, MountId};
use nix::unistd::Uid;

use crate::Root;
use crate::syscalls;

/// The number of hexadecimal digits that identify a workspace.
const DIGITS: usize = 32;

/// Returns the last segment of the canonical path of `path`; none if it has no name or one that is not valid
/// UTF-8.
///
/// # Errors
///
/// Fails if the directory does not exist.
pub fn directory_name(path: &Path) -> Result<Option<String>, SystemError> {
    let real = std::fs::canonicalize(path).map_err(|error| SystemError::new("find", path, error))?;
    Ok(real.file_name().and_then(|name| name.to_str()).map(ToOwned::to_owned))
}

/// Returns the folder for data about the workspace at `directory` that is not part of the workspace. It is
/// below `MINDS_HOME`, or below the platform's folder for application data, and need not exist.
///
/// # Errors
///
/// Fails if the workspace does not exist, or the environment does not name a folder.
pub fn state_folder(directory: &Path) -> Result<PathBuf, SystemError> {
    let real =
        std::fs::canonicalize(directory).map_err(|error| SystemError::new("find", directory, error))?;
    let id = ContentHash::of(real.as_os_str().as_bytes()).to_string();
    let digits: String = id.chars().skip_while(|c| *c != ':').skip(1).take(DIGITS).collect();
    Ok(program_folder()?.join("state").join(digits))
}

impl Root {
    /// Opens the directory at `path` as `mount`, and creates it first if it does not exist. New directories
    /// are accessible only to their owner.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be created or opened.
    pub fn open_private(path: &Path, mount: MountId) -> Result<Self, SystemError> {
        let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        created.map_err(|error| SystemError::new("create", path, error))?;
        Self::open(path, mount)
    }

    /// Opens the directory at `path` like [`Root::open_private`], and checks that it belongs to this user and that only its
    /// owner can access it. For sockets and keys, which the permissions of their directory protect.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be created or opened, belongs to another user, or is accessible to another user.
    pub fn open_own(path: &Path, mount: MountId) -> Result<Self, SystemError> {
        let root = Self::open_private(path, mount)?;
        let failed = |error| SystemError::new("use the folder", path, error);
        let (user, bits) = syscalls::owner(&root.handle).map_err(failed)?;
        if user != Uid::effective().as_raw() {
            return Err(failed(io::Error::other("it belongs to another user")));
        }
        if bits & 0o077 != 0 {
            return Err(failed(io::Error::other("another user can access it: set its mode to 700")));
        }
        Ok(root)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn new_state_folders_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let opened = Root::open_private(&path, MountId::WORKSPACE);
        assert!(opened.is_ok() && Root::open_private(&path, MountId::WORKSPACE).is_ok());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::metadata(folder.path().join("a")).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_another_user_can_access_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        assert!(Root::open_own(&path, MountId::WORKSPACE).is_ok());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
        let error = Root::open_own(&path, MountId::WORKSPACE).unwrap_err();
        assert!(error.to_string().contains("another user can access it"), "{error}");
    }

    #[test]
    fn a_workspace_is_identified_by_its_real_path() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        let folder_of_real = state_folder(&real).unwrap();
        assert_eq!(folder_of_real, state_folder(&link).unwrap());
        assert_ne!(folder_of_real, state_folder(folder.path()).unwrap());
        assert_eq!(folder_of_real.file_name().unwrap().len(), DIGITS);
        assert!(matches!(state_folder(&folder.path().join("none")), Err(SystemError::NotFound { .. })));
        assert_eq!(directory_name(&link.join(".")).unwrap().as_deref(), Some("real"));
        assert!(directory_name(&folder.path().join("none")).is_err());
    }
}

//! Data about a workspace that is stored outside of it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use minds_document::ContentHash;
use minds_paths::MountId;
use nix::unistd::{Uid, User};

use crate::{Root, SystemError};

/// The number of hexadecimal digits that identify a workspace.
const DIGITS: usize = 32;

/// Returns the current time in milliseconds since the Unix epoch (UTC).
pub fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the name of the user who runs the program: from `USER` or `LOGNAME`, else from the user database
/// for the effective user id, else the id itself as in `uid-1000`.
pub fn user_name() -> String {
    let names = ["USER", "LOGNAME"].into_iter().filter_map(|variable| std::env::var(variable).ok());
    let id = Uid::effective();
    // Services and sandboxes may start programs without these variables.
    let by_id = || User::from_uid(id).ok().flatten().map(|user| user.name);
    names
        .map(|name| name.trim().to_owned())
        .find(|name| !name.is_empty())
        .or_else(by_id)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("uid-{id}"))
}

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

/// Returns the data folder of the program: `MINDS_HOME`, else a folder in the platform's location for
/// application data. It need not exist.
///
/// # Errors
///
/// Fails if the environment does not name a folder.
pub fn program_folder() -> Result<PathBuf, SystemError> {
    let given = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    if let Some(home) = given("MINDS_HOME") {
        let path = PathBuf::from(home);
        return if path.is_absolute() { Ok(path) } else { Ok(crate::current_directory()?.join(path)) };
    }
    if let Some(data) = given("XDG_DATA_HOME").and_then(absolute) {
        return Ok(data.join("minds"));
    }
    let folder =
        if cfg!(target_os = "macos") { "Library/Application Support/minds" } else { ".local/share/minds" };
    given("HOME").and_then(absolute).map(|home| home.join(folder)).ok_or(SystemError::NoHome)
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

//! What is remembered about a workspace outside of it, and when.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use minds_document::ContentHash;
use minds_paths::MountId;
use nix::unistd::{Uid, User};

use crate::{Root, SystemError};

/// How many hexadecimal digits name a workspace.
const DIGITS: usize = 32;

/// Returns the time in milliseconds since 1970 in UTC.
pub fn now() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the name of the user who runs the program: that of the environment, else that of the user database for the
/// effective user id, else the id itself as in `uid-1000`.
pub fn user_name() -> String {
    let names = ["USER", "LOGNAME"].into_iter().filter_map(|variable| std::env::var(variable).ok());
    let id = Uid::effective();
    // Services and sandboxes start programs without these variables.
    let by_id = || User::from_uid(id).ok().flatten().map(|user| user.name);
    names
        .map(|name| name.trim().to_owned())
        .find(|name| !name.is_empty())
        .or_else(by_id)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("uid-{id}"))
}

/// Returns the name of the directory at `path`, without where it lies; none if it has none, or one that is no text.
///
/// # Errors
///
/// Fails if there is no such directory.
pub fn directory_name(path: &Path) -> Result<Option<String>, SystemError> {
    let real = std::fs::canonicalize(path).map_err(|error| SystemError::new("find", path, error))?;
    Ok(real.file_name().and_then(|name| name.to_str()).map(ToOwned::to_owned))
}

/// Returns the folder for what is remembered about the workspace at `directory` and is not a part of it. It is below
/// `MINDS_HOME`, or below the folder of the platform for the data of programs, and need not exist.
///
/// # Errors
///
/// Fails if the workspace does not exist, or the environment names no folder.
pub fn state_folder(directory: &Path) -> Result<PathBuf, SystemError> {
    let real =
        std::fs::canonicalize(directory).map_err(|error| SystemError::new("find", directory, error))?;
    let id = ContentHash::of(real.as_os_str().as_bytes()).to_string();
    let digits: String = id.chars().skip_while(|sign| *sign != ':').skip(1).take(DIGITS).collect();
    Ok(program_folder()?.join("state").join(digits))
}

/// Returns the folder of the program: `MINDS_HOME`, else a folder where the platform keeps the data of programs. It need not
/// exist.
///
/// # Errors
///
/// Fails if the environment names no folder.
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
    /// Opens the directory at `path` as `mount`, and makes it first if it is not there; only its owner can look into what
    /// is made.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made or opened.
    pub fn open_private(path: &Path, mount: MountId) -> Result<Self, SystemError> {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|error| SystemError::new("make", path, error))?;
        Self::open(path, mount)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_remembered_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let opened = Root::open_private(&path, MountId::WORKSPACE);
        assert!(opened.is_ok() && Root::open_private(&path, MountId::WORKSPACE).is_ok());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::metadata(folder.path().join("a")).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_workspace_is_known_by_its_real_path() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        let known = state_folder(&real).unwrap();
        assert_eq!(known, state_folder(&link).unwrap());
        assert_ne!(known, state_folder(folder.path()).unwrap());
        assert_eq!(known.file_name().unwrap().len(), DIGITS);
        assert!(matches!(state_folder(&folder.path().join("none")), Err(SystemError::NotFound { .. })));
        assert_eq!(directory_name(&link.join(".")).unwrap().as_deref(), Some("real"));
        assert!(directory_name(&folder.path().join("none")).is_err());
    }
}

//! Files readable only by the user, for use by other programs of the user.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use minds_process::program_folder;
use minds_process::{SystemError, random};
use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};
use nix::unistd::Uid;

use crate::Root;
use crate::files::Lock;
use crate::syscalls::{Kind, Sharing};

/// The maximum number of files of earlier processes that are examined.
const MAX_STALE_FILES: usize = 1_000;

/// A file in a folder that only the user can access.
#[derive(Debug)]
pub struct PrivateFile {
    root: Root,
    name: WorkspacePath,
    path: PathBuf,
    /// Held while the process needs the file.
    lock: Option<Lock>,
}

impl PrivateFile {
    /// Writes text for the user to edit to a file with a unique name that ends with `name`. `name` is not a
    /// path. The file remains until it is removed explicitly, because it may hold the only copy of the text.
    ///
    /// # Errors
    ///
    /// Fails if the environment does not name a folder, or the file cannot be written.
    pub fn new(name: &str, text: &[u8]) -> Result<Self, SystemError> {
        let folder = program_folder()?.join("edits");
        let root = Root::open_private(&folder, MountId::WORKSPACE)?;
        Self::write(root, &folder, name, text, false)
    }

    /// Writes text that is meaningful only while this process runs, such as an address, to a file with a
    /// unique name that ends with `name`. `name` is not a path. Files of earlier processes are removed.
    ///
    /// # Errors
    ///
    /// Fails if the environment does not name a folder, or the file cannot be written.
    pub fn new_transient(name: &str, text: &[u8]) -> Result<Self, SystemError> {
        let folder = session_folder()?;
        let root = Root::open_private(&folder, MountId::WORKSPACE)?;
        remove_stale_files(&root);
        Self::write(root, &folder, name, text, true)
    }

    fn write(
        root: Root,
        folder: &Path,
        name: &str,
        text: &[u8],
        is_transient: bool,
    ) -> Result<Self, SystemError> {
        let failed = |error: String| SystemError::new("write", folder, std::io::Error::other(error));
        let digits = random::<8>().map_err(|error| failed(error.to_string()))?;
        let name = format!("{:016x}-{name}", u64::from_be_bytes(digits));
        let place = WorkspacePath::parse(&name).map_err(|error| failed(error.to_string()))?;
        let view = root.no_follow();
        let lock = if is_transient { Some(view.lock(&place, Sharing::Exclusive)) } else { None };
        let lock = lock.transpose().map_err(|error| failed(error.to_string()))?;
        view.create(&place, text, FileMode::Private).map_err(|error| failed(error.to_string()))?;
        Ok(Self { root, name: place, path: folder.join(name), lock })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file. A failure has no consequence but a stale file, so it is ignored.
    pub fn remove(&self) {
        let _ = self.root.no_follow().remove_file(&self.name, Expected::Any);
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        if self.lock.is_some() {
            self.remove();
        }
    }
}

/// Returns the folder for files and sockets that end with the user's session: in `XDG_RUNTIME_DIR` if that is a folder of this
/// user, else in the data folder of the program. It need not exist.
///
/// # Errors
///
/// Fails if the environment does not name a folder.
pub fn session_folder() -> Result<PathBuf, SystemError> {
    runtime_folder(std::env::var_os("XDG_RUNTIME_DIR"))
        .map_or_else(|| program_folder().map(|folder| folder.join("run")), Ok)
}

/// Returns the folder for files that end with the user's session; none if it does not exist or belongs to another user.
fn runtime_folder(variable: Option<OsString>) -> Option<PathBuf> {
    let folder = PathBuf::from(variable?);
    let metadata = std::fs::metadata(&folder).ok()?;
    let is_own = metadata.is_dir() && metadata.uid() == Uid::effective().as_raw();
    (folder.is_absolute() && is_own).then(|| folder.join("minds"))
}

/// Removes the transient files of processes that have exited. Files that cannot be removed are harmless.
fn remove_stale_files(root: &Root) {
    let view = root.no_follow();
    let Ok(listing) = view.list(&WorkspacePath::root(), MAX_STALE_FILES) else { return };
    for entry in listing.entries.iter().filter(|entry| entry.kind == Kind::File) {
        if let Ok(Some(_lock)) = view.place(&entry.real).and_then(|place| place.try_lock(Sharing::Exclusive))
        {
            let _ = view.remove_file(&entry.real, Expected::Any);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_transient_file_is_private_and_removed_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("run");
        let open = || Root::open_private(&top, MountId::WORKSPACE).unwrap();
        let one = PrivateFile::write(open(), &top, "one.html", b"secret", true).unwrap();
        let bits = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((bits(one.path()), bits(&top)), (0o600, 0o700));
        std::fs::write(top.join("left.html"), "of a process that died").unwrap();
        remove_stale_files(&open());
        let names =
            || std::fs::read_dir(&top).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        assert!(one.path().exists() && !top.join("left.html").exists(), "{:?}", names());
        drop(one);
        assert!(names().is_empty(), "{:?}", names());
        let persistent = PrivateFile::write(open(), &top, "two.md", b"text", false).unwrap();
        let path = persistent.path().to_owned();
        drop(persistent);
        assert!(path.exists());
    }

    #[test]
    fn a_session_folder_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(runtime_folder(Some(folder.path().into())), Some(folder.path().join("minds")));
        assert_eq!(runtime_folder(Some(folder.path().join("none").into())), None);
        assert_eq!(runtime_folder(Some("relative".into())), None);
        assert_eq!(runtime_folder(Some("".into())), None);
        assert_eq!(runtime_folder(None), None);
    }
}

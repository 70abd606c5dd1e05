//! Files that only the user can read, for other programs of the user.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use minds_document::{Expected, FileMode};
use minds_paths::{MountId, WorkspacePath};

use crate::files::Lock;
use crate::state::program_folder;
use crate::syscalls::{Kind, Sharing};
use crate::{Root, SystemError, random};

/// The number of files of earlier processes that are looked for at most.
const MAX_LEFT: usize = 1_000;

/// A file in a folder into which only the user can look.
#[derive(Debug)]
pub struct PrivateFile {
    root: Root,
    name: WorkspacePath,
    path: PathBuf,
    /// Held as long as the process needs the file.
    lock: Option<Lock>,
}

impl PrivateFile {
    /// Writes a text that the user edits to a file with a name of its own that ends with `name`, which is not a path. It stays
    /// until it is removed: it may hold what is nowhere else.
    ///
    /// # Errors
    ///
    /// Fails if the environment names no folder, or it cannot be written.
    pub fn new(name: &str, text: &[u8]) -> Result<Self, SystemError> {
        let folder = program_folder()?.join("edits");
        let root = Root::open_private(&folder, MountId::WORKSPACE)?;
        Self::write(root, &folder, name, text, false)
    }

    /// Writes a text that means something only as long as this process runs, such as an address, to a file with a name of
    /// its own that ends with `name`, which is not a path. Files of earlier processes are removed.
    ///
    /// # Errors
    ///
    /// Fails if the environment names no folder, or it cannot be written.
    pub fn transient(name: &str, text: &[u8]) -> Result<Self, SystemError> {
        let folder = runtime_folder(std::env::var_os("XDG_RUNTIME_DIR"))
            .map_or_else(|| program_folder().map(|folder| folder.join("run")), Ok)?;
        let root = Root::open_private(&folder, MountId::WORKSPACE)?;
        remove_left(&root);
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
        let view = root.scoped();
        let lock = if is_transient { Some(view.lock(&place, Sharing::Exclusive)) } else { None };
        let lock = lock.transpose().map_err(|error| failed(error.to_string()))?;
        view.create(&place, text, FileMode::Private).map_err(|error| failed(error.to_string()))?;
        Ok(Self { root, name: place, path: folder.join(name), lock })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it. What stays hurts nobody but the disk.
    pub fn remove(&self) {
        let _ = self.root.scoped().remove_file(&self.name, Expected::Any);
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        if self.lock.is_some() {
            self.remove();
        }
    }
}

/// Returns the folder of the user for what ends with the session; none if there is none.
fn runtime_folder(given: Option<OsString>) -> Option<PathBuf> {
    let folder = PathBuf::from(given?);
    folder.is_absolute().then(|| folder.join("minds")).filter(|_| folder.is_dir())
}

/// Removes the transient files whose process has died. What cannot be removed is in nobody's way.
fn remove_left(root: &Root) {
    let view = root.scoped();
    let Ok(listing) = view.list(&WorkspacePath::root(), MAX_LEFT) else { return };
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
    fn a_transient_file_is_private_and_goes_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("run");
        let open = || Root::open_private(&top, MountId::WORKSPACE).unwrap();
        let one = PrivateFile::write(open(), &top, "one.html", b"secret", true).unwrap();
        let bits = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((bits(one.path()), bits(&top)), (0o600, 0o700));
        std::fs::write(top.join("left.html"), "of a process that died").unwrap();
        remove_left(&open());
        let names =
            || std::fs::read_dir(&top).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        assert!(one.path().exists() && !top.join("left.html").exists(), "{:?}", names());
        drop(one);
        assert!(names().is_empty(), "{:?}", names());
        let kept = PrivateFile::write(open(), &top, "two.md", b"text", false).unwrap();
        let path = kept.path().to_owned();
        drop(kept);
        assert!(path.exists());
    }

    #[test]
    fn only_a_folder_that_exists_is_one_of_the_session() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(runtime_folder(Some(folder.path().into())), Some(folder.path().join("minds")));
        assert_eq!(runtime_folder(Some(folder.path().join("none").into())), None);
        assert_eq!(runtime_folder(Some("relative".into())), None);
        assert_eq!(runtime_folder(Some("".into())), None);
        assert_eq!(runtime_folder(None), None);
    }
}

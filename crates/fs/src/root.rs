//! An open directory.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use minds_process::SystemError;
use minds_vfs::{MountId, WorkspacePath};

use crate::syscalls::{self, Access, FileId, Handle};

/// An open directory. The handle is the permission: the kernel resolves every path beneath it, and symbolic
/// links that lead outside are refused.
#[derive(Debug)]
pub struct Root {
    pub(crate) handle: Handle,
    pub(crate) mount: MountId,
    /// Whether the kernel can resolve paths beneath a directory; assumed until a call fails.
    resolves: AtomicBool,
    /// Whether symbolic links that stay below the root are followed by the resolving methods.
    pub(crate) follows_links: bool,
    /// The directories that were already checked for stale files.
    pub(crate) swept: Mutex<BTreeSet<FileId>>,
}

impl Root {
    /// Opens the directory at `path` as `mount`.
    ///
    /// # Errors
    ///
    /// Fails if the directory does not exist or cannot be opened.
    pub fn open(path: &Path, mount: MountId) -> Result<Self, SystemError> {
        let handle = syscalls::open_root(path).map_err(|error| SystemError::new("open", path, error))?;
        let (resolves, swept) = (AtomicBool::new(true), Mutex::default());
        Ok(Self { handle, mount, resolves, follows_links: true, swept })
    }

    /// Opens the directory at an absolute path like [`Root::open`], if no part of the path is a symbolic link. For a path that
    /// was resolved earlier and must not lead to another directory now.
    ///
    /// # Errors
    ///
    /// Fails if the path is not absolute, a part of it is a symbolic link or not a directory, or it cannot be opened.
    pub fn open_real(path: &Path, mount: MountId) -> Result<Self, SystemError> {
        let failed = |error| SystemError::new("open", path, error);
        let inner = path.to_str().and_then(|path| path.strip_prefix('/'));
        let inner = inner.ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
        let inner = WorkspacePath::normalize(inner).map_err(|error| failed(io::Error::other(error)))?;
        let top = Self::open(Path::new("/"), mount)?;
        let opened = top.open_without_links(&inner, Access::Directory);
        let handle = opened.map_err(|refusal| failed(io::Error::other(refusal.kind)))?;
        Ok(Self { handle, ..top })
    }

    /// Returns the same root in which symbolic links are never followed: not by [`Root::resolving`],
    /// [`Root::snapshot`] or [`Root::apply`].
    #[must_use]
    pub fn without_links(mut self) -> Self {
        self.follows_links = false;
        self
    }

    /// Waits until the names in this directory are on disk, including all earlier changes of them.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be opened, or the disk does not confirm it.
    pub fn sync_entries(&self) -> io::Result<()> {
        let directory = syscalls::open_entry(&self.handle, ".", Access::Directory)?;
        syscalls::sync_directory(&directory)
    }

    /// Returns whether the kernel should be asked to resolve a path.
    pub(crate) fn kernel_resolves(&self) -> bool {
        self.resolves.load(Ordering::Relaxed)
    }

    /// Records that the kernel does not support the call, if that is the error.
    pub(crate) fn note_kernel_error(&self, error: &io::Error) {
        if error.kind() == io::ErrorKind::Unsupported {
            self.resolves.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_real_path_has_no_links() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("real/inner")).unwrap();
        std::fs::write(top.join("file"), "x").unwrap();
        symlink("real", top.join("link")).unwrap();
        let open = |path: &Path| Root::open_real(path, MountId::WORKSPACE).is_ok();
        assert!(open(&top) && open(&top.join("real/inner")) && open(Path::new("/")));
        for path in ["link", "link/inner", "file", "none", "real/../link"] {
            assert!(!open(&top.join(path)), "{path}");
        }
        assert!(!open(Path::new("real")) && !open(Path::new("")));
    }
}

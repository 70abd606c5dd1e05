//! An open directory.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use minds_paths::MountId;

use crate::SystemError;
use crate::syscalls::{self, FileId, Handle};

/// A directory that is open. The handle is the permission: every path is resolved beneath it by the system, and links
/// that lead out of it are refused.
#[derive(Debug)]
pub struct Root {
    pub(crate) handle: Handle,
    pub(crate) mount: MountId,
    /// Whether the kernel resolves paths beneath a directory; not known until it is asked.
    resolves: AtomicBool,
    /// Whether links that stay below the root are followed where a verb would follow them.
    pub(crate) follows_links: bool,
    /// The directories in which stale files were looked for already.
    pub(crate) swept: Mutex<BTreeSet<FileId>>,
}

impl Root {
    /// Opens the directory at `path` as `mount`.
    ///
    /// # Errors
    ///
    /// Fails if there is no such directory, or it may not be opened.
    pub fn open(path: &Path, mount: MountId) -> Result<Self, SystemError> {
        let handle = syscalls::open_root(path).map_err(|error| SystemError::new("open", path, error))?;
        let (resolves, swept) = (AtomicBool::new(true), Mutex::default());
        Ok(Self { handle, mount, resolves, follows_links: true, swept })
    }

    /// Returns the same root, of which no verb follows any link any more: neither [`Root::resolving`], nor
    /// [`Root::snapshot`], nor [`Root::apply`].
    #[must_use]
    pub fn without_links(mut self) -> Self {
        self.follows_links = false;
        self
    }

    /// Returns whether the kernel is worth being asked to resolve a path.
    pub(crate) fn kernel_resolves(&self) -> bool {
        self.resolves.load(Ordering::Relaxed)
    }

    /// Notes that the kernel has no such call, if that is what the error says.
    pub(crate) fn kernel_refused(&self, error: &io::Error) {
        if error.kind() == io::ErrorKind::Unsupported {
            self.resolves.store(false, Ordering::Relaxed);
        }
    }
}

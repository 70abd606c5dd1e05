//! An open directory.

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use minds_document::{FileMode, Scope, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId};

use crate::SystemError;
use crate::syscalls::{self, FileId, Handle};

/// The number of bytes that are read of a file at most, 16 MiB, and one more by which a larger file is recognised.
pub const MAX_FILE_BYTES: u64 = (16 << 20) + 1;

/// A directory that is open. The handle is the permission: every path is resolved beneath it by the system, and links
/// that lead out of it are refused.
#[derive(Debug)]
pub struct Root {
    pub(crate) dir: Dir,
    pub(crate) handle: Handle,
    pub(crate) mount: MountId,
    /// Whether the kernel resolves paths beneath a directory; not known until it is asked.
    resolves: AtomicBool,
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
        let dir = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|error| SystemError::new("open", path, error))?;
        let handle = syscalls::open_root(path).map_err(|error| SystemError::new("open", path, error))?;
        let (resolves, swept) = (AtomicBool::new(true), Mutex::default());
        Ok(Self { dir, handle, mount, resolves, swept })
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

    /// Reads the places of `scope` that lie in this mount. What is not there is not in the snapshot; what is there and
    /// cannot be read is in it as such.
    ///
    /// In the place of a single file a symbolic link is followed as long as it stays below the root, so that a workspace
    /// can share a file with another; below a directory none is.
    pub fn snapshot(&self, scope: &Scope) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for below in scope.below.iter().filter(|below| below.directory.mount == self.mount) {
            self.read_below(below, &mut snapshot);
        }
        for location in scope.files.iter().filter(|location| location.mount == self.mount) {
            if let Some((parent, entry)) = self.closed_parent(location) {
                snapshot.insert(parent, entry);
                continue;
            }
            if let Some(entry) = self.entry(location) {
                snapshot.insert(location.clone(), entry);
            }
        }
        snapshot
    }

    /// Returns the directory that holds `location`, if it is there and cannot be looked into: then nothing is known about
    /// what it holds, and that is said once.
    pub(crate) fn closed_parent(&self, location: &Location) -> Option<(Location, SnapshotEntry)> {
        let path = location.path.parent().filter(|parent| !parent.is_root())?;
        let reason = match self.dir.open_dir(path.as_str()) {
            Ok(_) => return None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.dir.symlink_metadata(path.as_str()).ok()?;
                "it is a symbolic link to nothing".to_owned()
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => "it is no directory".to_owned(),
            Err(error) => reason(&error),
        };
        let parent = Location::new(location.mount.clone(), path);
        Some((parent, SnapshotEntry::Unreadable { reason }))
    }

    fn entry(&self, location: &Location) -> Option<SnapshotEntry> {
        let path = location.path.as_str();
        match self.read(path, MAX_FILE_BYTES) {
            Ok(entry) => Some(entry),
            // A link to nothing is there all the same.
            Err(error) if is_absent(&error) => {
                let link = self.dir.symlink_metadata(path).ok()?.is_symlink();
                link.then(|| SnapshotEntry::Unreadable {
                    reason: "it is a symbolic link to nothing".to_owned(),
                })
            }
            Err(error) => Some(SnapshotEntry::Unreadable { reason: reason(&error) }),
        }
    }

    /// Reads what stands at `path`, of a file no more than `most` bytes.
    pub(crate) fn read(&self, path: &str, most: u64) -> io::Result<SnapshotEntry> {
        let file = self.dir.open_with(path, &reading())?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Ok(SnapshotEntry::Directory);
        }
        if !metadata.is_file() {
            return Ok(SnapshotEntry::Special);
        }
        let expected = usize::try_from(metadata.len().min(most)).unwrap_or_default();
        Ok(SnapshotEntry::File { bytes: shared(file.take(most), expected)?, mode: mode(&metadata) })
    }

    /// Returns the whole content of a regular file, without a limit, and its permissions; for a file that is replaced.
    pub(crate) fn content(&self, path: &str) -> io::Result<(Vec<u8>, FileMode)> {
        let mut file: File = self.dir.open_with(path, &reading())?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok((bytes, mode(&metadata)))
    }
}

/// Reads to the end what probably has `expected` bytes. They are read to where they stay: memory that was never used before
/// costs more than reading into it.
fn shared(mut file: impl io::Read, expected: usize) -> io::Result<Arc<[u8]>> {
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, expected).collect();
    let mut filled = 0;
    // Nobody else has it yet.
    while let Some(room) = Arc::get_mut(&mut bytes).and_then(|bytes| bytes.get_mut(filled..))
        && !room.is_empty()
    {
        match file.read(room) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // The file may have changed its length meanwhile.
    let mut rest = Vec::new();
    file.read_to_end(&mut rest)?;
    if filled == expected && rest.is_empty() {
        return Ok(bytes);
    }
    let read = bytes.get(..filled).unwrap_or_default();
    Ok(Arc::from([read, &rest].concat()))
}

/// Options under which opening a pipe or a device does not wait.
fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    options
}

#[cfg(unix)]
fn is_no_file(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn is_no_file(_: &io::Error) -> bool {
    false
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns why something could not be read, without any path of the machine.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            "it is a symbolic link that leads out of the workspace".to_owned()
        }
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        // A socket cannot be opened at all.
        _ if is_no_file(error) => "it is no regular file".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(unix)]
pub(crate) fn mode(metadata: &cap_std::fs::Metadata) -> FileMode {
    use cap_std::fs::PermissionsExt as _;
    const ANY_MAY_RUN: u32 = 0o111;
    const OTHERS: u32 = 0o077;
    let bits = metadata.permissions().mode();
    if bits & ANY_MAY_RUN != 0 {
        FileMode::Executable
    } else if bits & OTHERS == 0 {
        FileMode::Private
    } else {
        FileMode::Regular
    }
}

#[cfg(not(unix))]
pub(crate) fn mode(_: &cap_std::fs::Metadata) -> FileMode {
    FileMode::Regular
}

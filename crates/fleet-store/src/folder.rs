//! The state folder of an agent.

use std::path::Path;

use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::{FileError, FileErrorKind, OpenFile, ProcessLock, Root, View};
use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};

use crate::failure::{config_failure, storage};

/// The lock of this crate. The local bus locks the same folder, with another file.
const LOCK: &str = "store.lock";
const IGNORE: &str = ".gitignore";
/// The maximum size of a file that is read as a whole, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The state folder of an agent, which this process has locked.
#[derive(Debug)]
pub(crate) struct Folder {
    root: Root,
    _lock: ProcessLock,
}

impl Folder {
    /// Opens the folder, and creates it first if it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let root = Root::open_own(path, MountId::WORKSPACE).map_err(config_failure)?;
        let lock =
            root.lock_process(LOCK).map_err(|error| crate::failure::file_failure("lock", LOCK, &error))?;
        let running =
            || Failure::new(ErrorCode::DuplicateInstance, "another process uses the files of the agent");
        let folder = Self { root, _lock: lock.ok_or_else(running)? };
        // The state of an agent is not a part of the repository that contains it.
        match folder.view().create(&path_of(IGNORE)?, b"*\n", FileMode::Private) {
            Err(error) if error.kind() != FileErrorKind::AlreadyExists => Err(storage(error)),
            _ => Ok(folder),
        }
    }

    /// Returns the files; symbolic links are not followed.
    pub(crate) fn view(&self) -> View<'_> {
        self.root.no_follow()
    }

    /// Waits until the names of the files are on disk.
    pub(crate) fn sync_names(&self) -> Result<(), Failure> {
        self.root
            .sync_entries()
            .map_err(|error| crate::failure::file_failure("write", "the state folder", &error))
    }

    /// Opens a file for reading; none if it does not exist.
    pub(crate) fn open_file(&self, name: &str) -> Result<Option<OpenFile>, Failure> {
        match self.view().open(&path_of(name)?) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
            Err(error) => Err(storage(error)),
        }
    }

    /// Returns the content of a file; none if it does not exist.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let file = self.open_file(name)?;
        file.map(|file| file.read(MAX_BYTES).map(|file| file.bytes).map_err(storage)).transpose()
    }

    /// Replaces a file atomically, and durably if this succeeds.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8], expected: Expected) -> Result<(), ReplaceError> {
        let path = path_of(name).map_err(ReplaceError::Path)?;
        self.view().replace(&path, bytes, FileMode::Private, expected).map_err(ReplaceError::File)
    }

    /// Returns whether a file exists.
    pub(crate) fn has(&self, name: &str) -> Result<bool, Failure> {
        match self.view().metadata(&path_of(name)?) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(false),
            Err(error) => Err(storage(error)),
        }
    }

    /// Moves a file to a name that does not exist.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Failure> {
        self.view().rename(&path_of(from)?, &path_of(to)?).map_err(storage)
    }

    /// Removes a file. Its name may be on disk after a power failure.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        self.view().remove_file_unsynced(&path_of(name)?).map_err(storage)
    }
}

/// Why a file was not replaced, or not durably.
#[derive(Debug)]
pub(crate) enum ReplaceError {
    /// The name is not valid.
    Path(Failure),
    /// The system refused it.
    File(FileError),
}

impl ReplaceError {
    /// Returns the kind of error of the system.
    pub(crate) fn kind(&self) -> Option<FileErrorKind> {
        match self {
            Self::Path(_) => None,
            Self::File(error) => Some(error.kind()),
        }
    }

    /// Returns the failure.
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Path(failure) => failure,
            Self::File(error) => storage(error),
        }
    }
}

/// Returns the path of a name.
pub(crate) fn path_of(name: &str) -> Result<WorkspacePath, Failure> {
    WorkspacePath::parse(name).map_err(storage)
}

//! Files of a workspace in memory.

use minds_document::limits;
use minds_vfs::{Location, MountId, PathError, Snapshot, SnapshotEntry, WorkspacePath};

/// The maximum size of a file in bytes: 16 MiB.
pub const MAX_FILE_BYTES: usize = limits::MAX_BYTES;

/// Files of a workspace in memory, by path.
///
/// A file with more than [`MAX_FILE_BYTES`] bytes is not kept; a check reports it as too large, as it does for a file
/// on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(Snapshot);

impl Files {
    /// Returns an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, and returns the files. See [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a valid path in a workspace.
    pub fn with(mut self, path: &str, contents: impl AsRef<[u8]>) -> Result<Self, PathError> {
        self.insert(path, contents)?;
        Ok(self)
    }

    /// Adds a file, or replaces the file at its path.
    ///
    /// `path` is relative to the workspace, with `/` between its segments, such as `.minds/team.yaml`; it has at most
    /// 4,096 bytes. The contents may be any bytes: what is not valid UTF-8 is a finding of a check.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a valid path in a workspace: it is absolute, is too long, or contains `..`, a backslash
    /// or a character that is not displayed.
    pub fn insert(&mut self, path: &str, contents: impl AsRef<[u8]>) -> Result<(), PathError> {
        let path = WorkspacePath::parse(path)?;
        let contents = contents.as_ref();
        if contents.len() > MAX_FILE_BYTES {
            let entry = SnapshotEntry::TooLarge { limit: MAX_FILE_BYTES as u64 };
            self.0.insert(Location::new(MountId::WORKSPACE, path), entry);
        } else {
            self.0 = std::mem::take(&mut self.0).with_file(path, contents);
        }
        Ok(())
    }

    /// Returns the files as the libraries receive them.
    pub fn snapshot(&self) -> &Snapshot {
        &self.0
    }
}

impl From<Snapshot> for Files {
    fn from(snapshot: Snapshot) -> Self {
        Self(snapshot)
    }
}

//! A request to read files, as a value.

use crate::{Location, WorkspacePath};

/// The locations to read: single files, and files in directories.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The files.
    pub files: Vec<Location>,
    /// The directories, with the files to read in each.
    pub directories: Vec<DirectoryScope>,
}

/// Which files in a directory to read, and how many at most.
///
/// The directories on the way are part of the scope, too: their existence may be significant.
#[derive(Clone, Debug)]
pub struct DirectoryScope {
    /// The directory.
    pub directory: Location,
    /// The maximum depth of a file: 1 is a file in the directory itself. Directories whose name begins with a dot are
    /// skipped.
    pub depth: usize,
    /// Returns whether the file at a path of the mount is to be read.
    pub wants: fn(&WorkspacePath) -> bool,
    /// Returns whether a file that is not read is in the snapshot all the same, as
    /// [`SnapshotEntry::Unread`](crate::SnapshotEntry::Unread).
    pub names: fn(&WorkspacePath) -> bool,
    /// The maximum number of entries in all directories, selected or not; if there are more, no file is read.
    pub max_entries: usize,
    /// The maximum number of bytes to read of a file.
    pub max_bytes: u64,
    /// The maximum number of bytes to read of all files together.
    pub max_total_bytes: u64,
}

impl Scope {
    /// Returns the scope of single files.
    pub fn of_files(files: impl IntoIterator<Item = Location>) -> Self {
        Self { files: files.into_iter().collect(), directories: Vec::new() }
    }

    /// Returns whether the file at `location` is to be read.
    pub fn has(&self, location: &Location) -> bool {
        self.files.contains(location) || self.directories.iter().any(|below| below.has(location))
    }
}

impl DirectoryScope {
    fn has(&self, location: &Location) -> bool {
        location.mount == self.directory.mount
            && location.path.is_at_or_below(&self.directory.path)
            && (self.wants)(&location.path)
    }
}

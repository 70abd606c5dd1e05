//! What is to be read, as a value.

use minds_paths::{Location, WorkspacePath};

/// Places that are to be read: single files, and some of those below directories.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The files.
    pub files: Vec<Location>,
    /// The directories, and which files below them.
    pub below: Vec<Below>,
}

/// Which files below a directory are to be read, and how many at most.
///
/// The directories on the way belong to the scope too: that they are there may mean something.
#[derive(Clone, Debug)]
pub struct Below {
    /// The directory.
    pub directory: Location,
    /// How deep a file lies at most: 1 is a file of the directory itself. Directories whose name begins with a dot are not
    /// entered.
    pub depth: usize,
    /// Says of a path of the mount whether it is the place of a file that is to be read.
    pub wants: fn(&WorkspacePath) -> bool,
    /// Says of the path of a file that is not read whether it is in the snapshot all the same, as
    /// [`SnapshotEntry::Unread`](crate::SnapshotEntry::Unread).
    pub names: fn(&WorkspacePath) -> bool,
    /// How many entries the directories hold at most, wanted or not; of more none is read.
    pub most_entries: usize,
    /// How many bytes are read of a file at most.
    pub most_bytes: u64,
    /// How many bytes are read of all files together at most.
    pub most_bytes_together: u64,
}

impl Scope {
    /// Returns the scope of single files.
    pub fn of_files(files: impl IntoIterator<Item = Location>) -> Self {
        Self { files: files.into_iter().collect(), below: Vec::new() }
    }

    /// Returns whether `location` is the place of a file that is to be read.
    pub fn has(&self, location: &Location) -> bool {
        self.files.contains(location) || self.below.iter().any(|below| below.has(location))
    }
}

impl Below {
    fn has(&self, location: &Location) -> bool {
        location.mount == self.directory.mount
            && location.path.is_at_or_below(&self.directory.path)
            && (self.wants)(&location.path)
    }
}

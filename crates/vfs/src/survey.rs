//! A request to list directories and read the beginning of files without following links, as a value.

use std::collections::BTreeMap;

use crate::WorkspacePath;

use crate::SnapshotEntry;

/// What to read in one step: the entries of directories, without their content, and the beginning of files. No link
/// is followed: the caller resolves links, so that a directory and a tree of a git repository give the same results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Directories to list.
    pub directories: Vec<WorkspacePath>,
    /// Files whose beginning to read.
    pub files: Vec<WorkspacePath>,
    /// The maximum number of bytes to read of a file. A longer file is returned truncated to this length.
    pub max_bytes: u64,
    /// The maximum number of entries of a directory; a directory with more is not listed.
    pub max_entries: usize,
}

/// The result of a [`Survey`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurveyResult {
    /// The entries at the requested paths, and in the requested directories. A path that is absent does not exist, or
    /// can only be reached through a link. A file in a directory is [`SnapshotEntry::Unread`] unless it was
    /// requested.
    pub entries: BTreeMap<WorkspacePath, SnapshotEntry>,
    /// For each directory the names that cannot be part of a path: not UTF-8, or with characters that paths cannot
    /// have.
    pub unnamed: BTreeMap<WorkspacePath, Vec<String>>,
}

impl Survey {
    /// Returns whether nothing is requested.
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty() && self.files.is_empty()
    }
}

impl SurveyResult {
    /// Sets an entry. An entry that was only listed does not replace one that was read.
    pub fn insert(&mut self, path: WorkspacePath, entry: SnapshotEntry) {
        if entry == SnapshotEntry::Unread && self.entries.contains_key(&path) {
            return;
        }
        self.entries.insert(path, entry);
    }

    /// Adds the result of another part of the same survey.
    pub fn append(&mut self, other: Self) {
        for (path, entry) in other.entries {
            self.insert(path, entry);
        }
        self.unnamed.extend(other.unnamed);
    }
}

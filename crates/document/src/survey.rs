//! A look around without following any link, as a value.

use std::collections::BTreeMap;

use minds_paths::WorkspacePath;

use crate::SnapshotEntry;

/// What is to be looked at in one step: directories, of which the entries are named but not read, and files, of which the
/// beginning is read. Nothing is reached through a link: whoever asks resolves links, so that a folder and a tree of a
/// repository give the same answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Directories whose entries are wanted.
    pub directories: Vec<WorkspacePath>,
    /// Files whose beginning is wanted.
    pub files: Vec<WorkspacePath>,
    /// How many bytes are read of a file at most. A file that has more is given with so many.
    pub most_bytes: u64,
    /// How many entries a directory has at most; of one that has more none is named.
    pub most_entries: usize,
}

/// The answer to a [`Survey`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surveyed {
    /// What stands at the places that were asked for, and at those in the directories; what is not in it is not there, or
    /// could only be reached through a link. A file in a directory is [`SnapshotEntry::Unread`] unless it was asked for.
    pub entries: BTreeMap<WorkspacePath, SnapshotEntry>,
    /// The names in each directory that are no path of a workspace: no text, or with characters that none may have.
    pub unnamed: BTreeMap<WorkspacePath, Vec<String>>,
}

impl Survey {
    /// Returns whether there is nothing to be looked at.
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty() && self.files.is_empty()
    }
}

impl Surveyed {
    /// Sets what stands at a place. What was read is not forgotten for what was only named.
    pub fn insert(&mut self, path: WorkspacePath, entry: SnapshotEntry) {
        if entry == SnapshotEntry::Unread && self.entries.contains_key(&path) {
            return;
        }
        self.entries.insert(path, entry);
    }

    /// Adds the answer to another part of the same survey.
    pub fn append(&mut self, other: Self) {
        for (path, entry) in other.entries {
            self.insert(path, entry);
        }
        self.unnamed.extend(other.unnamed);
    }
}

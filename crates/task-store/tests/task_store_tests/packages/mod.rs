//! Task packages on disk: what comes back, what is undone, and what is found out.

mod bodies;
mod migrating;
mod undoing;
mod verifying;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_task_store::{Author, ChangeResult, Edit, Package, Request, Tasks};
use minds_taskdoc::{Section, TaskError};
use minds_vfs::MountId;
use tempfile::TempDir;

/// A workspace with the package `demo`.
pub(crate) struct Place {
    folder: TempDir,
    root: Root,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self::empty();
        place.tasks().create("demo", &author()).expect("the package can be made");
        place
    }

    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let root = Root::open(folder.path(), MountId::WORKSPACE).expect("it can be opened");
        Self { folder, root }
    }

    pub(crate) fn tasks(&self) -> Tasks<'_> {
        Tasks::open(&self.root).expect("nothing says where tasks lie")
    }

    pub(crate) fn package(&self) -> Package<'_> {
        self.tasks().find(Some("demo")).expect("the package exists")
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join("tasks/demo.tsk").join(below)
    }

    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).expect("the file exists")
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        fs::write(self.path(below), text).expect("the file can be written");
    }

    pub(crate) fn change(&self, section: &str, edit: Edit) -> Result<ChangeResult, TaskError> {
        let request = Request { section: Section::parse_qualified(section).unwrap(), edit, expected: None };
        self.package().change(&author(), &request)
    }

    /// Replaces a section, and returns the id of the change.
    pub(crate) fn set(&self, section: &str, text: &str) -> String {
        let changed = self.change(section, Edit::Set(text.to_owned())).expect("it is set");
        changed.entry.map(|entry| entry.id.to_string()).unwrap_or_default()
    }

    /// Returns what a section holds.
    pub(crate) fn text(&self, section: &str) -> Option<String> {
        let section = Section::parse_qualified(section).unwrap();
        self.package().section(&section).unwrap().map(|found| found.text)
    }

    /// Returns the codes of what is wrong.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        let report = self.package().verify().expect("the package can be read");
        report.diagnostics.iter().map(|found| found.rule.code).collect()
    }

    /// Returns all files below the workspace with what they hold.
    pub(crate) fn disk(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        walk(self.folder.path(), &mut files);
        files
    }
}

pub(crate) fn author() -> Author {
    Author::operator("ann", 1_767_603_600_000)
}

fn walk(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), files);
            files.insert(entry.path(), Vec::new());
        } else {
            files.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
}

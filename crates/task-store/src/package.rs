//! Reading task packages.

use std::sync::Arc;

use minds_fs::{FileError, FileErrorKind, Kind, OpenFile, ReadFile, Root};
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_JOURNAL_BYTES, MAX_SECTION_BYTES};
use minds_taskdoc::{
    Extras, InjectedBodies, Journal, Maintainers, PackageName, Section, TaskCode, TaskError,
};
use minds_vfs::{ContentHash, WorkspacePath};

use crate::errors::task_error;

/// The maximum number of entries of a package.
pub(crate) const MAX_ENTRIES: usize = 2_048;

/// A task package. Nothing is cached: each method reads from disk.
#[derive(Clone, Debug)]
pub struct Package<'r> {
    pub(crate) root: &'r Root,
    name: PackageName,
    path: WorkspacePath,
    maintainers: Arc<Maintainers>,
}

/// The content of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionText {
    /// The text, byte for byte.
    pub text: String,
    /// Its hash.
    pub hash: ContentHash,
}

impl<'r> Package<'r> {
    pub(crate) fn new(
        root: &'r Root,
        name: PackageName,
        path: WorkspacePath,
        maintainers: Arc<Maintainers>,
    ) -> Self {
        Self { root, name, path, maintainers }
    }

    /// Returns the name.
    pub fn name(&self) -> &PackageName {
        &self.name
    }

    /// Returns the path in the workspace.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Returns who may change the package, according to the settings when it was opened.
    pub fn maintainers(&self) -> &Maintainers {
        &self.maintainers
    }

    /// Returns the content of a section; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file with a single hard link, is too large, or is not valid UTF-8.
    pub fn section(&self, section: &Section) -> Result<Option<SectionText>, TaskError> {
        let found = self.text(section)?;
        Ok(found.map(|text| SectionText { hash: ContentHash::of(text.as_bytes()), text }))
    }

    /// Returns the sections that are always in the context, with the reason for each section that cannot be
    /// read, so that one invalid file does not hide the remaining sections.
    pub fn bodies(&self) -> InjectedBodies {
        let mut bodies = InjectedBodies::new();
        for section in Section::injected_sections() {
            match self.text(&section) {
                Ok(Some(text)) => bodies.set(section, text),
                Ok(None) => {}
                Err(error) => bodies.set_unread(section, error),
            }
        }
        bodies
    }

    /// Returns the other sections.
    ///
    /// # Errors
    ///
    /// Fails if the package cannot be listed.
    pub fn extras(&self) -> Result<Extras, TaskError> {
        let files = self.section_files()?;
        Ok(Extras::of(files.iter().map(String::as_str)))
    }

    /// Returns all sections that are regular files, in order.
    ///
    /// # Errors
    ///
    /// Fails if the package cannot be listed.
    pub fn sections(&self) -> Result<Vec<Section>, TaskError> {
        let mut sections: Vec<Section> =
            self.section_files()?.iter().filter_map(|path| Section::of_path(path)).collect();
        sections.sort();
        Ok(sections)
    }

    /// Returns the paths, relative to the package, of files at the paths of sections.
    fn section_files(&self) -> Result<Vec<String>, TaskError> {
        let view = self.root.no_follow();
        let top = view.list(&self.path, MAX_ENTRIES).map_err(|error| task_error(&error))?;
        let mut left = MAX_ENTRIES.saturating_sub(top.entries.len() + top.unnamed);
        let mut files = Vec::new();
        for entry in top.entries {
            let Some(name) = entry.real.file_name() else { continue };
            match entry.kind {
                Kind::File => files.push(name.to_owned()),
                // The history directory is not a category and may be large.
                Kind::Directory if name != HISTORY => {
                    let inner = view.list(&entry.real, left).map_err(|error| task_error(&error))?;
                    left = left.saturating_sub(inner.entries.len() + inner.unnamed);
                    let inner = inner.entries.iter().filter(|entry| entry.kind == Kind::File);
                    let names = inner.filter_map(|entry| entry.real.file_name());
                    files.extend(names.map(|file| format!("{name}/{file}")));
                }
                _ => {}
            }
        }
        Ok(files)
    }

    fn text(&self, section: &Section) -> Result<Option<String>, TaskError> {
        let Some(bytes) = self.bytes(&section.path(), MAX_SECTION_BYTES)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|_| {
            let message = format!("`{section}` is not valid UTF-8");
            TaskError::new(TaskCode::InvalidUtf8, message).next("replace it with `minds task set`")
        })
    }

    /// Returns the journal, including a change that was made and is not yet in the file.
    ///
    /// # Errors
    ///
    /// Fails if it exists and cannot be read.
    pub fn journal(&self) -> Result<Journal, TaskError> {
        Ok(Journal::read(&self.settled_journal()?))
    }

    /// Returns the size of the journal in bytes, which grows with every change; `None` if there is no
    /// journal.
    pub fn journal_size(&self) -> Option<u64> {
        let journal = self.path_of(JOURNAL).ok()?;
        self.root.no_follow().metadata(&journal).ok().map(|found| found.size)
    }

    /// Returns the contents of the journal file; `None` if it does not exist.
    pub(crate) fn journal_bytes(&self) -> Result<Option<Vec<u8>>, TaskError> {
        self.bytes(JOURNAL, MAX_JOURNAL_BYTES)
    }

    /// Returns the contents of a file of the package; `None` if it does not exist.
    pub(crate) fn bytes(&self, below: &str, most: u64) -> Result<Option<Vec<u8>>, TaskError> {
        self.bytes_at(&self.path_of(below)?, most)
    }

    /// Returns the contents of a file; `None` if it does not exist.
    pub(crate) fn bytes_at(&self, path: &WorkspacePath, most: u64) -> Result<Option<Vec<u8>>, TaskError> {
        optional(self.root.no_follow().read(path, most).map(|file| file.bytes))
    }

    /// Returns a file of the package with its permissions; `None` if it does not exist.
    pub(crate) fn file(&self, below: &str, most: u64) -> Result<Option<ReadFile>, TaskError> {
        optional(self.root.no_follow().read(&self.path_of(below)?, most))
    }

    /// Opens a file of the package; `None` if it does not exist.
    pub(crate) fn open(&self, below: &str) -> Result<Option<OpenFile>, TaskError> {
        optional(self.root.no_follow().open(&self.path_of(below)?))
    }

    /// Returns the path of an entry of the package.
    pub(crate) fn path_of(&self, below: &str) -> Result<WorkspacePath, TaskError> {
        self.path.join(below).map_err(|error| TaskError::new(TaskCode::TooLarge, error.to_string()))
    }
}

fn optional<T>(result: Result<T, FileError>) -> Result<Option<T>, TaskError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
        Err(error) => Err(task_error(&error)),
    }
}

//! What a task package holds.

use std::sync::Arc;

use minds_document::ContentHash;
use minds_paths::WorkspacePath;
use minds_system::{FileError, FileErrorKind, Kind, OpenFile, ReadFile, Root};
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_JOURNAL_BYTES, MAX_SECTION_BYTES};
use minds_taskdoc::{Bodies, Extras, Journal, Maintainers, PackageName, Section, TaskCode, TaskError};

use super::fault::fault;

/// The most entries of a package that are looked at.
pub(super) const MAX_ENTRIES: usize = 2_048;

/// A task package. Nothing of it is remembered: each question is answered by what is on disk then.
#[derive(Clone, Debug)]
pub struct Package<'r> {
    pub(super) root: &'r Root,
    name: PackageName,
    path: WorkspacePath,
    maintainers: Arc<Maintainers>,
}

/// What a section holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionText {
    /// The text, byte for byte.
    pub text: String,
    /// Its hash.
    pub hash: ContentHash,
}

impl<'r> Package<'r> {
    pub(super) fn new(
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

    /// Returns where it lies in the workspace.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Returns who may change it, as the settings said when it was found.
    pub fn maintainers(&self) -> &Maintainers {
        &self.maintainers
    }

    /// Returns what a section holds; none if it is not there.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name, too large, or no text in UTF-8.
    pub fn section(&self, section: &Section) -> Result<Option<SectionText>, TaskError> {
        let found = self.text(section)?;
        Ok(found.map(|text| SectionText { hash: ContentHash::of(text.as_bytes()), text }))
    }

    /// Returns the sections that are always in the context, with the reason for each that exists and cannot be read: one
    /// unusual file must not hide the others.
    pub fn bodies(&self) -> Bodies {
        let mut bodies = Bodies::new();
        for section in Section::injected_sections() {
            match self.text(&section) {
                Ok(Some(text)) => bodies.set(section, text),
                Ok(None) => {}
                Err(error) => bodies.set_unread(section, error),
            }
        }
        bodies
    }

    /// Returns which sections there are besides those.
    ///
    /// # Errors
    ///
    /// Fails if the package cannot be looked through.
    pub fn extras(&self) -> Result<Extras, TaskError> {
        let files = self.section_files()?;
        Ok(Extras::of(files.iter().map(String::as_str)))
    }

    /// Returns all sections that are there as regular files, in their order.
    ///
    /// # Errors
    ///
    /// Fails if the package cannot be looked through.
    pub fn sections(&self) -> Result<Vec<Section>, TaskError> {
        let mut sections: Vec<Section> =
            self.section_files()?.iter().filter_map(|path| Section::of_path(path)).collect();
        sections.sort();
        Ok(sections)
    }

    /// Returns the paths below the package of the files that lie where sections lie.
    fn section_files(&self) -> Result<Vec<String>, TaskError> {
        let view = self.root.scoped();
        let top = view.list(&self.path, MAX_ENTRIES).map_err(|error| fault(&error))?;
        let mut left = MAX_ENTRIES.saturating_sub(top.entries.len() + top.unnamed);
        let mut files = Vec::new();
        for entry in top.entries {
            let Some(name) = entry.real.file_name() else { continue };
            match entry.kind {
                Kind::File => files.push(name.to_owned()),
                // What changes are kept in is no category, and may hold much.
                Kind::Directory if name != HISTORY => {
                    let inner = view.list(&entry.real, left).map_err(|error| fault(&error))?;
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
            let message = format!("`{section}` is no text in UTF-8");
            TaskError::new(TaskCode::InvalidUtf8, message).next("write it anew with `minds task set`")
        })
    }

    /// Returns the journal, with the line of a change that was made and is not written down yet.
    ///
    /// # Errors
    ///
    /// Fails if it is there and cannot be read.
    pub fn journal(&self) -> Result<Journal, TaskError> {
        Ok(Journal::read(&self.settled_journal()?))
    }

    /// Returns how many bytes the journal has, which grows with every change; none if there is none.
    pub fn journal_size(&self) -> Option<u64> {
        let journal = self.below(JOURNAL).ok()?;
        self.root.scoped().metadata(&journal).ok().map(|found| found.size)
    }

    /// Returns the journal as it is; none if there is none.
    pub(super) fn journal_bytes(&self) -> Result<Option<Vec<u8>>, TaskError> {
        self.bytes(JOURNAL, MAX_JOURNAL_BYTES)
    }

    /// Returns what a file of the package holds; none if it is not there.
    pub(super) fn bytes(&self, below: &str, most: u64) -> Result<Option<Vec<u8>>, TaskError> {
        self.bytes_at(&self.below(below)?, most)
    }

    /// Returns what a file holds; none if it is not there.
    pub(super) fn bytes_at(&self, path: &WorkspacePath, most: u64) -> Result<Option<Vec<u8>>, TaskError> {
        found(self.root.scoped().read(path, most).map(|file| file.bytes))
    }

    /// Returns a file of the package with its permissions; none if it is not there.
    pub(super) fn file(&self, below: &str, most: u64) -> Result<Option<ReadFile>, TaskError> {
        found(self.root.scoped().read(&self.below(below)?, most))
    }

    /// Opens a file of the package; none if it is not there.
    pub(super) fn open(&self, below: &str) -> Result<Option<OpenFile>, TaskError> {
        found(self.root.scoped().open(&self.below(below)?))
    }

    /// Returns the path of something in the package.
    pub(super) fn below(&self, below: &str) -> Result<WorkspacePath, TaskError> {
        self.path.join(below).map_err(|error| TaskError::new(TaskCode::TooLarge, error.to_string()))
    }
}

fn found<T>(result: Result<T, FileError>) -> Result<Option<T>, TaskError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(&error)),
    }
}

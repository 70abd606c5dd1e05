//! What a task package holds.

use minds_document::ContentHash;
use minds_paths::WorkspacePath;
use minds_system::{FileErrorKind, Kind, Root};
use minds_taskdoc::package::{JOURNAL, MAX_JOURNAL_BYTES, MAX_SECTION_BYTES};
use minds_taskdoc::{Bodies, Extras, Journal, PackageName, Section, TaskCode, TaskError};

use super::fault::fault;

/// The most entries of a package that are looked at.
const MOST_ENTRIES: usize = 2_048;

/// A task package. Nothing of it is remembered: each question is answered by what is on disk then.
#[derive(Clone, Debug)]
pub struct Package<'r> {
    pub(super) root: &'r Root,
    name: PackageName,
    path: WorkspacePath,
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
    pub(super) fn new(root: &'r Root, name: PackageName, path: WorkspacePath) -> Self {
        Self { root, name, path }
    }

    /// Returns the name.
    pub fn name(&self) -> &PackageName {
        &self.name
    }

    /// Returns where it lies in the workspace.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Returns what a section holds; none if it is not there.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name, too large, or no text in UTF-8.
    pub fn section(&self, section: &Section) -> Result<Option<SectionText>, TaskError> {
        let Some(bytes) = self.bytes(&section.path(), MAX_SECTION_BYTES)? else { return Ok(None) };
        let hash = ContentHash::of(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| {
            let message = format!("`{section}` is no text in UTF-8");
            TaskError::new(TaskCode::InvalidUtf8, message).next("write it anew with `minds task set`")
        })?;
        Ok(Some(SectionText { text, hash }))
    }

    /// Returns the sections that are always in the context.
    ///
    /// # Errors
    ///
    /// Fails if one of them is there and cannot be read.
    pub fn bodies(&self) -> Result<Bodies, TaskError> {
        let mut bodies = Bodies::new();
        for section in Section::injected() {
            if let Some(found) = self.section(&section)? {
                bodies.set(section, found.text);
            }
        }
        Ok(bodies)
    }

    /// Returns which sections there are besides those.
    ///
    /// # Errors
    ///
    /// Fails if the package cannot be looked through.
    pub fn extras(&self) -> Result<Extras, TaskError> {
        let listing = self.root.scoped().walk(&self.path, MOST_ENTRIES).map_err(|error| fault(&error))?;
        let prefix = format!("{}/", self.path);
        let files = listing.entries.iter().filter(|entry| entry.kind == Kind::File);
        Ok(Extras::of(files.filter_map(|entry| entry.real.as_str().strip_prefix(prefix.as_str()))))
    }

    /// Returns the journal.
    ///
    /// # Errors
    ///
    /// Fails if it is there and cannot be read.
    pub fn journal(&self) -> Result<Journal, TaskError> {
        Ok(Journal::read(&self.journal_bytes()?.unwrap_or_default()))
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
        match self.root.scoped().read(&self.below(below)?, most) {
            Ok(file) => Ok(Some(file.bytes)),
            Err(error) if error.kind() == FileErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(&error)),
        }
    }

    /// Returns the path of something in the package.
    pub(super) fn below(&self, below: &str) -> Result<WorkspacePath, TaskError> {
        self.path.join(below).map_err(|error| TaskError::new(TaskCode::TooLarge, error.to_string()))
    }
}

//! The decoded files of a compose root.

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, SourceFile};
use minds_document::{Document, Spanned};
use minds_vfs::{Snapshot, WorkspacePath};

use crate::model::Compose;
use crate::place::{Place, PlaceError};
use crate::project::Project;
use crate::reader::Reader;
use crate::runtime::Runtime;

/// The contents of all files of a compose root.
#[derive(Debug, Default)]
pub struct ComposeFamily {
    /// The path of the compose root in the snapshot.
    pub root: WorkspacePath,
    /// `team-compose.yaml`, or `None` if there is no compose root.
    pub compose: Option<ComposeFile>,
    /// The project files in the order of `projects`, without duplicates.
    pub projects: Vec<ProjectFile>,
    /// The entries that list a project file a second time, each with the first entry for the same file.
    pub duplicate_entries: Vec<(Spanned<String>, Spanned<String>)>,
    /// The runtime descriptors by runtime id, including those that could not be read.
    pub runtimes: BTreeMap<String, RuntimeFile>,
    /// The ids of descriptors that are ignored because their file name ends in `.yml`.
    pub misnamed_runtimes: Vec<String>,
    /// Whether further descriptors may exist because the directory could not be read.
    pub has_unknown_runtimes: bool,
    /// The source files that could be read: referenced files and descriptors. A file can occur twice.
    pub sources: Vec<SourceFile>,
    /// The role prompts, keyed by their paths as written.
    pub prompts: BTreeMap<String, Prompt>,
}

/// The contents of `team-compose.yaml`, as far as it could be read.
#[derive(Debug)]
pub struct ComposeFile {
    /// The document, or `None` if it could not be parsed.
    pub document: Option<Document>,
    /// The decoded contents, or `None` if the document is not a mapping.
    pub compose: Option<Compose>,
}

/// A project file, as far as it could be read.
#[derive(Debug)]
pub struct ProjectFile {
    /// The entry in `team-compose.yaml`.
    pub entry: Spanned<String>,
    /// The location of the file, or why the entry is not a usable path.
    pub place: Result<Place, PlaceError>,
    /// Why the file could not be read, if it could not.
    pub reason: Option<String>,
    /// Whether the file is not read because it is outside the permitted directories.
    pub is_outside: bool,
    /// The document, or `None` if it could not be parsed.
    pub document: Option<Document>,
    /// The decoded contents, or `None` if the document is not a mapping.
    pub project: Option<Project>,
}

/// A runtime descriptor, as far as it could be read.
#[derive(Debug)]
pub struct RuntimeFile {
    /// The document, or `None` if it could not be parsed.
    pub document: Option<Document>,
    /// The decoded contents, or `None` if the document is not a mapping.
    pub runtime: Option<Runtime>,
}

/// A role prompt.
#[derive(Clone, Debug)]
pub enum Prompt {
    /// The file does not exist.
    Missing(Place),
    /// The file cannot be read, with the reason.
    Unusable(String),
    /// The file is outside the permitted directories, with the reason.
    Outside(String),
    /// The contents, which need not be valid UTF-8.
    Text(SourceFile),
}

impl ComposeFamily {
    /// Reads a compose root from `snapshot`, which must contain all its files; see [`Reader`] for how to
    /// collect them. Without a compose root the result is empty and nothing is reported.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        let mut reader = Reader::start(snapshot);
        while !reader.pending().is_empty() {
            reader.advance(snapshot);
        }
        reader.finish()
    }

    /// Returns the contents and the document of `team-compose.yaml`, if it could be decoded.
    pub fn readable(&self) -> Option<(&Compose, &Document)> {
        let file = self.compose.as_ref()?;
        Some((file.compose.as_ref()?, file.document.as_ref()?))
    }
}

impl ProjectFile {
    /// Returns the contents and the document of the file, if it could be decoded.
    pub fn readable(&self) -> Option<(&Project, &Document)> {
        Some((self.project.as_ref()?, self.document.as_ref()?))
    }
}

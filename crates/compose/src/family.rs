//! The files of a compose root, read.

use std::collections::BTreeMap;

use minds_diagnostics::{Parsed, SourceFile};
use minds_document::{Document, Snapshot, Spanned};
use minds_paths::WorkspacePath;

use crate::model::Compose;
use crate::place::{Place, PlaceError};
use crate::project::Project;
use crate::reader::Reader;
use crate::runtime::Runtime;

/// What the files of a compose root say together.
#[derive(Debug, Default)]
pub struct ComposeFamily {
    /// The compose root, in what was read.
    pub root: WorkspacePath,
    /// `team-compose.yaml`; none if there is no compose root.
    pub compose: Option<ComposeFile>,
    /// The project files, in the order in which they are named, each once.
    pub projects: Vec<ProjectFile>,
    /// The entries of project files that an earlier entry names already: the first and the further one.
    pub repeated: Vec<(Spanned<String>, Spanned<String>)>,
    /// The descriptors, by the id of the runtime. Those that could not be read are there all the same.
    pub runtimes: BTreeMap<String, RuntimeFile>,
    /// The ids of descriptors that are not read, because their name ends in `.yml`.
    pub misnamed_runtimes: Vec<String>,
    /// Whether other descriptors may be there.
    pub has_unknown_runtimes: bool,
    /// The texts that could be read, of files that are named and of descriptors; one may be there twice.
    pub texts: Vec<SourceFile>,
    /// The role prompts, by their paths as they are written.
    pub prompts: BTreeMap<String, Prompt>,
}

/// `team-compose.yaml` as far as it could be read.
#[derive(Debug)]
pub struct ComposeFile {
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if it is no mapping.
    pub compose: Option<Compose>,
}

/// A project file as far as it could be read.
#[derive(Debug)]
pub struct ProjectFile {
    /// The entry in `team-compose.yaml`.
    pub entry: Spanned<String>,
    /// Where the file stands; or why the entry names none.
    pub place: Result<Place, PlaceError>,
    /// Why there is no text, if there is none.
    pub reason: Option<String>,
    /// Whether that is because the file is outside the area that may be read.
    pub is_outside: bool,
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if it is no mapping.
    pub project: Option<Project>,
}

/// A descriptor of a runtime as far as it could be read.
#[derive(Debug)]
pub struct RuntimeFile {
    /// The tree; none if there is no reliable one.
    pub document: Option<Document>,
    /// What it says; none if it is no mapping.
    pub runtime: Option<Runtime>,
}

/// A role prompt.
#[derive(Clone, Debug)]
pub enum Prompt {
    /// Nothing is there.
    Missing(Place),
    /// There is something that is no text: why.
    Unusable(String),
    /// It is outside the area that may be read: why, in words.
    Outside(String),
    /// Its text, which need not be UTF-8.
    Text(SourceFile),
}

impl ComposeFamily {
    /// Reads the files of a compose root, which are all in `snapshot`; see [`Reader`]. Without a compose root there is
    /// nothing, and nothing is reported.
    pub fn load(snapshot: &Snapshot) -> Parsed<Self> {
        let mut reader = Reader::start(snapshot);
        while !reader.wanted().is_empty() {
            reader.go_on(snapshot);
        }
        reader.finish()
    }

    /// Returns what `team-compose.yaml` says and its tree, if there is something to speak about.
    pub fn readable(&self) -> Option<(&Compose, &Document)> {
        let file = self.compose.as_ref()?;
        Some((file.compose.as_ref()?, file.document.as_ref()?))
    }
}

impl ProjectFile {
    /// Returns what the file says and its tree, if there is something to speak about.
    pub fn readable(&self) -> Option<(&Project, &Document)> {
        Some((self.project.as_ref()?, self.document.as_ref()?))
    }
}

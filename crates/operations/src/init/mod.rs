//! First configurations, and the settings that editors need for them.

mod compose;
mod fleet;
mod import;
mod team;

use std::collections::BTreeSet;
use std::path::Path;

use minds_fs::{ApplyError, Root};
use minds_process::current_directory;
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};
use minds_workspace::unified_diff;

pub use self::import::{ImportedEntry, ImportedFiles, InitFromOutcome, InitFromRequest, init_from};
use self::team::CurrentFile;
use crate::editor::{Editor, EditorSchema};
use crate::{OperationError, locate};

/// What to write, and how.
#[derive(Clone, Copy, Debug)]
pub struct InitRequest<'r> {
    /// The directory, which must exist.
    pub base: &'r Path,
    /// The configuration.
    pub scaffold: Scaffold<'r>,
    /// Whether to write the files, all or none; otherwise only the changes are returned.
    pub write: bool,
}

impl<'r> InitRequest<'r> {
    /// Returns a request for a first team in `base`, which writes nothing.
    pub fn new(base: &'r Path) -> Self {
        Self { base, scaffold: Scaffold::Team { editors: &[], schemas: &[] }, write: false }
    }
}

/// A first configuration. It has comments and no findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaffold<'r> {
    /// A team with one member in `.minds/`, and the settings with which editors use the schemas of its files.
    ///
    /// With editors, the team is written only if there is no `.minds/` yet. The schemas in `.minds/.schema/` belong to this
    /// program and are replaced. Settings keep all their contents; if they cannot be merged safely, nothing is written.
    Team {
        /// The editors.
        editors: &'r [Editor],
        /// The schemas.
        schemas: &'r [EditorSchema],
    },
    /// A compose root with one project in `.team/`.
    Compose,
    /// A fleet in `.ateam/`: the project, a model, the transport, and one agent.
    Fleet,
}

/// The result of writing a first configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitOutcome {
    /// All files are up to date, or would be without [`InitRequest::write`].
    Done(InitDone),
    /// This file already exists, so nothing was written.
    Exists(String),
    /// Settings of editors could not be merged, so nothing was written.
    Refused(Vec<Refusal>),
}

/// The written files. All paths are relative to the directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitDone {
    /// The new or changed files.
    pub written: Vec<String>,
    /// The files that were already up to date.
    pub unchanged: Vec<String>,
    /// Whether a first configuration was written.
    pub is_first: bool,
    /// The changes as a unified diff; empty if there are none.
    pub diff: String,
}

/// An existing settings file that cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file, relative to the directory.
    pub file: String,
    /// The reason, for a message.
    pub reason: String,
    /// The required settings, to be added by hand.
    pub snippet: String,
}

/// Writes a first configuration. It never overwrites: if one of its files exists, nothing is written.
///
/// # Errors
///
/// Fails if the directory does not exist, or cannot be written.
pub fn init(request: &InitRequest<'_>) -> Result<InitOutcome, OperationError> {
    let directory = locate::directory(&current_directory()?, request.base)?;
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    let mut plan = Plan::default();
    match request.scaffold {
        Scaffold::Team { editors, schemas } => team::add(&mut plan, &root, editors, schemas),
        Scaffold::Compose => plan.write_first(compose::FILES),
        Scaffold::Fleet => plan.write_first(&fleet::files(&directory)?),
    }
    if !plan.refused.is_empty() {
        return Ok(InitOutcome::Refused(plan.refused));
    }
    let applied = if request.write { root.apply(&plan.changes) } else { root.expect_states(&plan.changes) };
    match applied {
        Ok(()) => Ok(InitOutcome::Done(plan.done)),
        Err(ApplyError::Unexpected { location, .. }) if plan.first.contains(location.path.as_str()) => {
            Ok(InitOutcome::Exists(location.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

/// The files to write, and the result to return.
#[derive(Default)]
struct Plan {
    changes: ChangeSet,
    done: InitDone,
    refused: Vec<Refusal>,
    /// The paths of the first configuration, if it is written.
    first: BTreeSet<&'static str>,
}

impl Plan {
    /// Adds the files of a first configuration with their contents.
    fn write_first(&mut self, files: &[(&'static str, impl AsRef<str>)]) {
        self.done.is_first = true;
        for &(path, ref text) in files {
            self.first.insert(path);
            self.write(path, &CurrentFile::Nothing, text.as_ref());
        }
    }

    /// Adds a file that must not exist.
    fn write_new(&mut self, path: &str, text: &str) {
        self.write(path, &CurrentFile::Nothing, text);
    }

    fn refuse(&mut self, path: &str, reason: String, snippet: String) {
        self.refused.push(Refusal { file: path.to_owned(), reason, snippet });
    }

    /// Adds a file, and a part of the diff.
    fn write(&mut self, path: &str, found: &CurrentFile, new: &str) {
        let (old, mode, expected) = match found {
            CurrentFile::Nothing => (None, FileMode::Regular, Expected::Absent),
            CurrentFile::File { bytes, .. } if bytes.as_slice() == new.as_bytes() => {
                self.done.unchanged.push(path.to_owned());
                return;
            }
            CurrentFile::File { bytes, mode } => {
                (Some(String::from_utf8_lossy(bytes)), *mode, Expected::Content(ContentHash::of(bytes)))
            }
        };
        self.done.diff.push_str(&unified_diff(path, old.as_deref(), new));
        self.done.written.push(path.to_owned());
        let Ok(place) = WorkspacePath::parse(path) else { return };
        let write = Change::Write { bytes: new.as_bytes().to_vec(), mode, expected };
        // The paths are distinct, so the changes do not conflict.
        let _ = self.changes.add(Location::new(MountId::WORKSPACE, place), write);
    }
}

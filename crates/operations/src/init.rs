//! A first configuration, and the settings that editors need for it.

use std::collections::BTreeMap;
use std::path::Path;

use minds_document::{
    Change, ChangeSet, ContentHash, Expected, FileMode, HARD_LINKED, Scope, Snapshot, SnapshotEntry,
};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{ApplyError, Root, current_directory};

use crate::diff::unified_diff;
use crate::editor::{Editor, EditorSchema};
use crate::{OperationError, locate};

/// The files of a first configuration with their contents.
const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", include_str!("../templates/team.yaml")),
    (".minds/team/coder/persona.md", include_str!("../templates/persona.md")),
];

/// The directory that shows that a workspace has a configuration.
const CONFIGURATION: &str = ".minds";

/// The maximum size of an editor's settings file: 1 MiB.
const MAX_SETTINGS_BYTES: usize = 1 << 20;

/// The result of writing a first configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitOutcome {
    /// All files are up to date, or would be without `write`.
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

/// Writes a commented `.minds/` without findings into `directory`, and configures editors to use the schemas
/// of its files.
///
/// The first configuration never overwrites: if one of its files exists, nothing is written. With editors it
/// is written only if there is no `.minds/` yet. The schemas in `.minds/.schema/` belong to this program and
/// are replaced. Editor settings keep all their contents; if they cannot be merged safely, nothing is
/// written. All files are written, or none. Without `write`, only the changes are returned.
///
/// # Errors
///
/// Fails if the directory does not exist, or cannot be written.
pub fn init(
    directory: &Path,
    editors: &[Editor],
    schemas: &[EditorSchema],
    write: bool,
) -> Result<InitOutcome, OperationError> {
    let directory = locate::directory(&current_directory()?, directory)?;
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    let mut plan = Plan::default();
    if editors.is_empty() || !exists(&root, CONFIGURATION) {
        plan.write_first();
    }
    if !editors.is_empty() {
        plan.write_editors(&root, editors, schemas);
    }
    if !plan.refused.is_empty() {
        return Ok(InitOutcome::Refused(plan.refused));
    }
    let applied = if write { root.apply(&plan.changes) } else { root.expect_states(&plan.changes) };
    match applied {
        Ok(()) => Ok(InitOutcome::Done(plan.done)),
        Err(ApplyError::Unexpected { location, .. }) if is_first(&location) => {
            Ok(InitOutcome::Exists(location.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

fn is_first(location: &Location) -> bool {
    FILES.iter().any(|(path, _)| *path == location.path.as_str())
}

/// The files to write, and the result to return.
#[derive(Default)]
struct Plan {
    changes: ChangeSet,
    done: InitDone,
    refused: Vec<Refusal>,
}

impl Plan {
    /// Adds the files of a first configuration.
    fn write_first(&mut self) {
        self.done.is_first = true;
        for (path, text) in FILES {
            self.write(path, &CurrentFile::Nothing, text);
        }
    }

    /// Adds the schemas and the settings of editors; each file once.
    fn write_editors(&mut self, root: &Root, editors: &[Editor], schemas: &[EditorSchema]) {
        for schema in schemas {
            let path = schema.path();
            match read(root, &path) {
                // Schemas are generated, so any contents may be replaced.
                Ok(found) => self.write(&path, &found, &schema.text),
                Err(reason) => self.refuse(&path, reason, schema.text.clone()),
            }
        }
        let settings: BTreeMap<&str, _> = editors
            .iter()
            .flat_map(|editor| editor.settings())
            .map(|setting| (setting.path, setting.merge))
            .collect();
        for (path, merge) in settings {
            let merged = read(root, path).and_then(|found| {
                let (mark, text) = found.text()?;
                let new = format!("{mark}{}", merge(text, schemas)?);
                Ok((found, new))
            });
            match merged {
                // An empty file is not created.
                Ok((CurrentFile::Nothing, new)) if new.is_empty() => {}
                Ok((found, new)) => self.write(path, &found, &new),
                Err(reason) => self.refuse(path, reason, merge("", schemas).unwrap_or_default()),
            }
        }
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

/// The current contents of a path.
enum CurrentFile {
    Nothing,
    File { bytes: Vec<u8>, mode: FileMode },
}

impl CurrentFile {
    /// Returns the byte order mark, if there is one, and the text.
    fn text(&self) -> Result<(&'static str, &str), String> {
        const MARK: &str = "\u{feff}";
        let Self::File { bytes, .. } = self else { return Ok(("", "")) };
        let text = str::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
        Ok(text.strip_prefix(MARK).map_or(("", text), |text| (MARK, text)))
    }
}

/// Reads a file, or returns why it cannot be read.
fn read(root: &Root, path: &str) -> Result<CurrentFile, String> {
    let Ok(place) = WorkspacePath::parse(path) else {
        return Err("it is not a valid path in a workspace".to_owned());
    };
    let snapshot = root.snapshot(&Scope::of_files([Location::new(MountId::WORKSPACE, place)]));
    let Some((_, entry)) = snapshot.iter().next() else { return Ok(CurrentFile::Nothing) };
    match entry {
        SnapshotEntry::File { bytes, .. } if bytes.len() > MAX_SETTINGS_BYTES => {
            Err("it is larger than 1 MiB".to_owned())
        }
        SnapshotEntry::File { bytes, mode } => Ok(CurrentFile::File { bytes: bytes.to_vec(), mode: *mode }),
        SnapshotEntry::Directory => Err("it is a directory".to_owned()),
        SnapshotEntry::Link { .. } => Err("it is a symbolic link".to_owned()),
        SnapshotEntry::Special => Err("it is not a regular file".to_owned()),
        SnapshotEntry::HardLinked => Err(HARD_LINKED.to_owned()),
        SnapshotEntry::Unread | SnapshotEntry::TooLarge { .. } => Err("it was not read".to_owned()),
        SnapshotEntry::Outside { reason }
        | SnapshotEntry::Untrusted { reason }
        | SnapshotEntry::Unreadable { reason } => Err(reason.clone()),
    }
}

fn exists(root: &Root, path: &str) -> bool {
    let place = WorkspacePath::parse(path).map(|path| Location::new(MountId::WORKSPACE, path));
    place.is_ok_and(|place| !Snapshot::is_empty(&root.snapshot(&Scope::of_files([place]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_plan() {
        let mut plan = Plan::default();
        plan.write_first();
        assert_eq!(plan.changes.len(), FILES.len());
        assert_eq!(plan.done.written.len(), FILES.len());
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let run = || init(directory.path(), &[], &[], true).unwrap();
        assert!(matches!(run(), InitOutcome::Done(done) if done.written.len() == 2));
        let outcome = crate::check(directory.path(), &[]).unwrap();
        assert!(outcome.report.diagnostics.is_empty(), "{:?}", outcome.report.diagnostics);
        assert_eq!(run(), InitOutcome::Exists(".minds/team.yaml".into()));
    }
}

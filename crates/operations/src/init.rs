//! A first configuration, and what editors need to know about it.

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

/// The files of a first configuration, and what is in them.
const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", include_str!("../templates/team.yaml")),
    (".minds/team/coder/persona.md", include_str!("../templates/persona.md")),
];

/// The directory by which a workspace is known that has its first configuration.
const CONFIGURATION: &str = ".minds";

/// The number of bytes from which a file is no settings that somebody wrote: 1 MiB.
const MAX_SETTINGS_BYTES: usize = 1 << 20;

/// What came of a first configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitOutcome {
    /// All files are as they should be; or would be, if nothing was to be written.
    Done(InitDone),
    /// This file is there already, so nothing was written.
    Exists(String),
    /// Settings of editors could not be merged, so nothing was written.
    Refused(Vec<Refusal>),
}

/// Which files were written. All paths are relative to the directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitDone {
    /// The files that are new or changed.
    pub written: Vec<String>,
    /// The files that are as they were, because they say already what they should.
    pub unchanged: Vec<String>,
    /// Whether a first configuration is among what was written.
    pub is_first: bool,
    /// The changes as a unified diff; empty if there are none.
    pub diff: String,
}

/// Settings that are there, and into which nothing can be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file, relative to the directory.
    pub file: String,
    /// Why, in words for a message.
    pub reason: String,
    /// What the file should say, for somebody who puts it in by hand.
    pub snippet: String,
}

/// Writes a commented `.minds/` that checks clean into `directory`, and tells editors which schemas its files have.
///
/// The first configuration never overwrites: if one of its files is there, nothing is written. With editors it is only
/// written where there is no `.minds/` yet. The schemas in `.minds/.schema/` belong to this program and are replaced;
/// settings of editors keep all that they say, and where that is not sure, nothing is written. All files are written, or
/// none; without `write` it is only said what would be.
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

/// What is to be written, and what is to be said about it.
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
            self.write(path, &Found::Nothing, text);
        }
    }

    /// Adds the schemas and the settings of editors; each file once.
    fn write_editors(&mut self, root: &Root, editors: &[Editor], schemas: &[EditorSchema]) {
        for schema in schemas {
            let path = schema.path();
            match read(root, &path) {
                // Whatever it says, it is not what somebody wrote.
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
                // What nobody needs is not made.
                Ok((Found::Nothing, new)) if new.is_empty() => {}
                Ok((found, new)) => self.write(path, &found, &new),
                Err(reason) => self.refuse(path, reason, merge("", schemas).unwrap_or_default()),
            }
        }
    }

    fn refuse(&mut self, path: &str, reason: String, snippet: String) {
        self.refused.push(Refusal { file: path.to_owned(), reason, snippet });
    }

    /// Adds a file, and a part of the diff.
    fn write(&mut self, path: &str, found: &Found, new: &str) {
        let (old, mode, expected) = match found {
            Found::Nothing => (None, FileMode::Regular, Expected::Absent),
            Found::File { bytes, .. } if bytes.as_slice() == new.as_bytes() => {
                self.done.unchanged.push(path.to_owned());
                return;
            }
            Found::File { bytes, mode } => {
                (Some(String::from_utf8_lossy(bytes)), *mode, Expected::Content(ContentHash::of(bytes)))
            }
        };
        self.done.diff.push_str(&unified_diff(path, old.as_deref(), new));
        self.done.written.push(path.to_owned());
        let Ok(place) = WorkspacePath::parse(path) else { return };
        let write = Change::Write { bytes: new.as_bytes().to_vec(), mode, expected };
        // The places differ, so no change excludes another.
        let _ = self.changes.add(Location::new(MountId::WORKSPACE, place), write);
    }
}

/// What stands at the place of a file.
enum Found {
    Nothing,
    File { bytes: Vec<u8>, mode: FileMode },
}

impl Found {
    /// Returns the byte order mark, if there is one, and the text.
    fn text(&self) -> Result<(&'static str, &str), String> {
        const MARK: &str = "\u{feff}";
        let Self::File { bytes, .. } = self else { return Ok(("", "")) };
        let text = str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        Ok(text.strip_prefix(MARK).map_or(("", text), |text| (MARK, text)))
    }
}

/// Reads a file; says why, if something is there that is no readable file.
fn read(root: &Root, path: &str) -> Result<Found, String> {
    let Ok(place) = WorkspacePath::parse(path) else { return Err("it is no path of a workspace".to_owned()) };
    let snapshot = root.snapshot(&Scope::of_files([Location::new(MountId::WORKSPACE, place)]));
    let Some((_, entry)) = snapshot.iter().next() else { return Ok(Found::Nothing) };
    match entry {
        SnapshotEntry::File { bytes, .. } if bytes.len() > MAX_SETTINGS_BYTES => {
            Err("it is larger than 1 MiB".to_owned())
        }
        SnapshotEntry::File { bytes, mode } => Ok(Found::File { bytes: bytes.to_vec(), mode: *mode }),
        SnapshotEntry::Directory => Err("it is a directory".to_owned()),
        SnapshotEntry::Link { .. } => Err("it is a symbolic link".to_owned()),
        SnapshotEntry::Special => Err("it is no regular file".to_owned()),
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

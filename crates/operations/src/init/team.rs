//! A first team, and the settings that editors need for it.

use std::collections::BTreeMap;

use minds_fs::Root;
use minds_vfs::{FileMode, HARD_LINKED, Location, MountId, Scope, Snapshot, SnapshotEntry, WorkspacePath};

use super::Plan;
use crate::editor::{Editor, EditorSchema};

/// The files of a first team with their contents.
const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", include_str!("../../templates/team.yaml")),
    (".minds/team/coder/persona.md", include_str!("../../templates/persona.md")),
];

/// The directory that shows that a workspace has a configuration.
const CONFIGURATION: &str = ".minds";

/// The maximum size of an editor's settings file: 1 MiB.
const MAX_SETTINGS_BYTES: usize = 1 << 20;

/// Adds a first team, unless only the editors of an existing one are configured, and the settings of editors.
pub(super) fn add(plan: &mut Plan, root: &Root, editors: &[Editor], schemas: &[EditorSchema]) {
    if editors.is_empty() || !exists(root, CONFIGURATION) {
        plan.write_first(FILES);
    }
    if !editors.is_empty() {
        write_editors(plan, root, editors, schemas);
    }
}

/// Adds the schemas and the settings of editors; each file once.
fn write_editors(plan: &mut Plan, root: &Root, editors: &[Editor], schemas: &[EditorSchema]) {
    for schema in schemas {
        let path = schema.path();
        match read(root, &path) {
            // Schemas are generated, so any contents may be replaced.
            Ok(found) => plan.write(&path, &found, &schema.text),
            Err(reason) => plan.refuse(&path, reason, schema.text.clone()),
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
            Ok((found, new)) => plan.write(path, &found, &new),
            Err(reason) => plan.refuse(path, reason, merge("", schemas).unwrap_or_default()),
        }
    }
}

/// The current contents of a path.
pub(super) enum CurrentFile {
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

/// Returns whether a path exists.
pub(super) fn exists(root: &Root, path: &str) -> bool {
    let place = WorkspacePath::parse(path).map(|path| Location::new(MountId::WORKSPACE, path));
    place.is_ok_and(|place| !Snapshot::is_empty(&root.snapshot(&Scope::of_files([place]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InitOutcome, InitRequest, init};

    #[test]
    fn every_file_is_in_the_plan() {
        let mut plan = Plan::default();
        plan.write_first(FILES);
        assert_eq!(plan.changes.len(), FILES.len());
        assert_eq!(plan.done.written.len(), FILES.len());
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let run = || init(&InitRequest { write: true, ..InitRequest::new(directory.path()) }).unwrap();
        assert!(matches!(run(), InitOutcome::Done(done) if done.written.len() == 2));
        let outcome = crate::check(&crate::CheckRequest::new(directory.path())).unwrap();
        assert!(outcome.report.diagnostics.is_empty(), "{:?}", outcome.report.diagnostics);
        assert_eq!(run(), InitOutcome::Exists(".minds/team.yaml".into()));
    }
}

//! A first configuration.

use std::path::Path;

use minds_document::{Change, ChangeSet, Expected, FileMode};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{ApplyError, Root, current_directory};

use crate::OperationError;

/// The files of a first configuration, and what is in them.
const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", include_str!("../templates/team.yaml")),
    (".minds/team/coder/persona.md", include_str!("../templates/persona.md")),
];

/// What came of a first configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitOutcome {
    /// These files were written, relative to the directory.
    Written(Vec<String>),
    /// This file is there already, so nothing was written.
    Exists(String),
}

/// Writes a commented `.minds/` that checks clean into `directory`. Nothing is ever overwritten: if one of the files is
/// there, none is written.
///
/// # Errors
///
/// Fails if the directory does not exist, or cannot be written.
pub fn init(directory: &Path) -> Result<InitOutcome, OperationError> {
    let directory = crate::locate::directory(&current_directory()?, directory)?;
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    match root.apply(&plan()) {
        Ok(()) => Ok(InitOutcome::Written(FILES.iter().map(|(path, _)| (*path).to_owned()).collect())),
        Err(ApplyError::Unexpected { location, .. }) => Ok(InitOutcome::Exists(location.to_string())),
        Err(error) => Err(error.into()),
    }
}

fn plan() -> ChangeSet {
    let mut changes = ChangeSet::new();
    for (path, text) in FILES {
        let Ok(path) = WorkspacePath::parse(path) else { continue };
        let write = Change::Write {
            bytes: text.as_bytes().to_vec(),
            mode: FileMode::Regular,
            expected: Expected::Absent,
        };
        // The places differ, so no change excludes another.
        let _ = changes.add(Location::new(MountId::WORKSPACE, path), write);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_plan() {
        assert_eq!(plan().len(), FILES.len());
    }

    #[test]
    fn a_second_run_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(init(directory.path()), Ok(InitOutcome::Written(files)) if files.len() == 2));
        let outcome = crate::check(directory.path(), &[]).unwrap();
        assert!(outcome.report.diagnostics.is_empty(), "{:?}", outcome.report.diagnostics);
        assert_eq!(init(directory.path()).unwrap(), InitOutcome::Exists(".minds/team.yaml".into()));
    }
}

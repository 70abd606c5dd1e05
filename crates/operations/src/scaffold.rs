//! First configurations of compose roots.

use std::path::Path;

use minds_document::{Change, ChangeSet, Expected, FileMode};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{ApplyError, Root, current_directory};

use crate::diff::unified_diff;
use crate::init::{InitDone, InitOutcome};
use crate::{OperationError, locate};

/// A first configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scaffold {
    /// A compose root with one project.
    Compose,
}

impl Scaffold {
    /// Returns the files with their contents.
    const fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Compose => &[
                (".team/team-compose.yaml", include_str!("../templates/compose/team-compose.yaml")),
                (".team/projects/main.yaml", include_str!("../templates/compose/main.yaml")),
                (".team/roles/guide.md", include_str!("../templates/compose/guide.md")),
                (".team/roles/lead.md", include_str!("../templates/compose/lead.md")),
                (".team/roles/coder.md", include_str!("../templates/compose/coder.md")),
                (".team/.gitignore", "state/\n"),
            ],
        }
    }
}

/// Writes a first configuration into `directory`. Without `write`, only the changes are returned. If one of
/// its files exists, nothing is written.
///
/// # Errors
///
/// Fails if the directory does not exist, or cannot be written.
pub fn write_scaffold(
    directory: &Path,
    scaffold: Scaffold,
    write: bool,
) -> Result<InitOutcome, OperationError> {
    let directory = locate::directory(&current_directory()?, directory)?;
    let root = Root::open(&directory, MountId::WORKSPACE)?;
    let (mut changes, mut done) = (ChangeSet::new(), InitDone { is_first: true, ..InitDone::default() });
    for (path, text) in scaffold.files() {
        let Ok(place) = WorkspacePath::parse(path) else { continue };
        let (mode, expected) = (FileMode::Regular, Expected::Absent);
        let bytes = text.as_bytes().to_vec();
        // The paths are distinct, so the changes do not conflict.
        let _ =
            changes.add(Location::new(MountId::WORKSPACE, place), Change::Write { bytes, mode, expected });
        done.diff.push_str(&unified_diff(path, None, text));
        done.written.push((*path).to_owned());
    }
    match if write { root.apply(&changes) } else { root.expect_states(&changes) } {
        Ok(()) => Ok(InitOutcome::Done(done)),
        Err(ApplyError::Unexpected { location, .. }) => Ok(InitOutcome::Exists(location.to_string())),
        Err(error) => Err(error.into()),
    }
}

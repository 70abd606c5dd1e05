//! Checks in memory.

use minds_diagnostics::Report;
use minds_vfs::{Location, MountId, PathError, WorkspacePath};
use minds_workspace::Checked;

use crate::Files;

/// Why a string could not be checked. Problems in its content are findings and never errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The path is not valid in a workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// No family that is included has a file at this path, so nothing would be checked.
    #[error("`{path}` is not a file that minds can check")]
    UnknownFile {
        /// The path.
        path: WorkspacePath,
    },
}

/// Checks the files of a workspace, and their references to each other.
///
/// The team family is always checked; each feature adds the files of its family. Files that no family knows and that no
/// other file refers to have no findings. The report has no root. Secrets are replaced by `*` in it.
///
/// [`Summary::is_clean`](minds_diagnostics::Summary::is_clean) returns whether the files pass.
pub fn check(files: &Files) -> Report {
    report(minds_workspace::check(files.snapshot()))
}

/// Checks `text` as if it were the only file of a workspace, at `path`. What other files could define is then missing, for
/// example the providers of `.minds/llm.yaml`: pass all files to [`check`] if they are known.
///
/// `path` is relative to the workspace, such as `.minds/team.yaml`, and determines the format. `text` with more than
/// [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES) bytes is reported as too large.
///
/// # Errors
///
/// Fails if `path` is not valid in a workspace, or is not the path of a file that is checked.
pub fn check_text(path: &str, text: &str) -> Result<Report, CheckError> {
    let parsed = WorkspacePath::parse(path)?;
    let files = Files::new().with(path, text)?;
    if is_checked(&parsed) { Ok(check(&files)) } else { Err(CheckError::UnknownFile { path: parsed }) }
}

pub(crate) fn report(checked: Checked) -> Report {
    let Checked { files, diagnostics, allowed, .. } = checked;
    Report { root: String::new(), files, diagnostics, allowed: allowed.values().sum() }
}

/// Returns whether a family that is included has a file at `path`.
fn is_checked(path: &WorkspacePath) -> bool {
    let location = Location::new(MountId::WORKSPACE, path.clone());
    let is_in_scope = minds_workspace::scope().has(&location);
    #[cfg(feature = "compose")]
    let is_in_scope = is_in_scope || minds_workspace::compose_scope().has(&location);
    #[cfg(feature = "clients")]
    let is_in_scope = is_in_scope || !minds_clients::select([path]).is_empty();
    let is_in_package = cfg!(feature = "tasks") && path.segments().any(minds_vfs::portable::is_encapsulated);
    is_in_scope || is_in_package
}

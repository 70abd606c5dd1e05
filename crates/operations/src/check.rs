//! Checking a workspace.

use std::path::{Path, PathBuf};

use minds_diagnostics::Report;
use minds_paths::MountId;
use minds_system::Root;

use crate::{OperationError, locate};

/// What a check found.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// The findings, and the files that were looked at.
    pub report: Report,
    /// Why nothing was looked at, if nothing was.
    pub nothing: Option<String>,
}

/// Checks the workspace to which `paths` belong; see [`locate`](crate::locate()). Nothing is written.
///
/// # Errors
///
/// Fails if a path does not exist, the paths belong to different workspaces, or the workspace cannot be opened.
pub fn check(base: &Path, paths: &[PathBuf]) -> Result<CheckOutcome, OperationError> {
    let located = locate(base, paths)?;
    let Some(directory) = located.directory else {
        let reason = format!(
            "nothing to check: no `.minds/`, `.team/team-compose.yaml`, `.ateam/` or `mind.toml` at or above `{}`",
            located.root
        );
        let report = Report { root: located.root, ..Report::default() };
        return Ok(CheckOutcome { report, nothing: Some(reason) });
    };
    let snapshot = Root::open(&directory, MountId::WORKSPACE)?.snapshot(&minds_workspace::scope());
    let mut checked = minds_workspace::check(&snapshot);
    if !located.only.is_empty() {
        // A directory that could not be looked into is said about every file that was asked for in it.
        let asked = |file: &str| {
            let holds = |only: &String| {
                only == file || only.strip_prefix(file).is_some_and(|rest| rest.starts_with('/'))
            };
            located.only.iter().any(holds)
        };
        checked.files.retain(|file| asked(file));
        checked
            .diagnostics
            .retain(|found| found.primary.as_ref().is_some_and(|label| asked(label.source.name())));
    }
    let nothing = checked.files.is_empty().then(|| match located.only.as_slice() {
        [] => format!("nothing to check: `{}` holds no file that minds reads", located.root),
        [file] => format!("nothing to check: `{file}` is not a file that minds reads"),
        _ => "nothing to check: these are not files that minds reads".to_owned(),
    });
    let report = Report { root: located.root, files: checked.files, diagnostics: checked.diagnostics };
    Ok(CheckOutcome { report, nothing })
}

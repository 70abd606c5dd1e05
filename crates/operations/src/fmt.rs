//! Formatting a workspace.

use std::path::{Path, PathBuf};

use minds_diagnostics::Report;
use minds_fs::Root;
use minds_vfs::{MountId, Snapshot};
use minds_workspace::FormatResult;

use crate::check::{TaskFiles, describe_nothing_to_do, read, with_text};
use crate::{FileSelection, OperationError, UnsavedText, locate};
use minds_workspace::unified_diff;

/// The result of formatting.
#[derive(Clone, Debug)]
pub struct FmtOutcome {
    /// The files that can be formatted, and findings about those that are not changed.
    pub report: Report,
    /// The changed files, relative to the workspace, with their new contents.
    pub changed: Vec<(String, String)>,
    /// Positions, as `file:line:column`, at which formatting might change the meaning. These files are not
    /// changed.
    pub unsure: Vec<String>,
    /// The changes as a unified diff; empty if there are none.
    pub diff: String,
    /// Why there was nothing to do, if so.
    pub nothing: Option<String>,
}

/// What to format, and how.
#[derive(Clone, Copy, Debug)]
pub struct FmtRequest<'r> {
    /// The directory to which paths are relative.
    pub base: &'r Path,
    /// Files and directories of one workspace; see [`locate`](crate::locate()).
    pub paths: &'r [PathBuf],
    /// An unsaved document to format instead of the paths. It is never written; the outcome contains its new text if that
    /// differs.
    pub text: Option<UnsavedText<'r>>,
    /// Whether to write the files, all or none; otherwise only the changes are returned.
    pub write: bool,
}

impl<'r> FmtRequest<'r> {
    /// Returns a request for the workspace to which `base` belongs, which writes nothing.
    pub fn new(base: &'r Path) -> Self {
        Self { base, paths: &[], text: None, write: false }
    }
}

/// Formats what a request selects; see [`minds_workspace::format()`]. A file that cannot be formatted is not changed, and
/// does not prevent formatting of other files.
///
/// # Errors
///
/// Fails if [`check`](crate::check()) would fail, or if a file changed meanwhile or cannot be written; then
/// nothing is written.
pub fn fmt(request: &FmtRequest<'_>) -> Result<FmtOutcome, OperationError> {
    let (located, snapshot) = if let Some(text) = &request.text {
        with_text(request.base, text, TaskFiles::WithoutTasks)?
    } else {
        let located = locate(request.base, request.paths)?;
        if let (true, Some(directory)) = (request.write, &located.directory) {
            // Otherwise a partial change would be read, and completed afterwards.
            Root::open(directory, MountId::WORKSPACE)?.recover_interrupted()?;
        }
        let snapshot = read(&located)?;
        (located, snapshot)
    };
    let formatted = snapshot.as_ref().map(|snapshot| format(&located, snapshot)).unwrap_or_default();
    // Without `write` the checkout may be read-only.
    if let (true, None, Some(snapshot), Some(directory)) =
        (request.write, &request.text, &snapshot, &located.directory)
    {
        Root::open(directory, MountId::WORKSPACE)?.apply(&formatted.plan(snapshot))?;
    }
    Ok(outcome(&located, formatted))
}

fn format(located: &FileSelection, snapshot: &Snapshot) -> FormatResult {
    minds_workspace::format(snapshot, |file| located.selects(file))
}

fn outcome(located: &FileSelection, formatted: FormatResult) -> FmtOutcome {
    let mut diff = String::new();
    let mut changed = Vec::new();
    for (location, (before, after)) in formatted.files {
        let name = location.to_string();
        diff.push_str(&unified_diff(&name, Some(&before), &after));
        changed.push((name, after));
    }
    let diagnostics = formatted.problems.into_sorted();
    let nothing =
        describe_nothing_to_do("format", located, formatted.seen.is_empty() && diagnostics.is_empty());
    let root = located.root.clone();
    let report = Report { root, files: formatted.seen, diagnostics, ..Report::default() };
    FmtOutcome { report, changed, unsure: formatted.unsure, diff, nothing }
}

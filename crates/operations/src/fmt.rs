//! Formatting a workspace.

use std::path::{Path, PathBuf};

use minds_diagnostics::Report;
use minds_document::Snapshot;
use minds_paths::MountId;
use minds_system::Root;
use minds_workspace::Formatted;

use crate::check::{Extent, describe_nothing_to_do, read, with_text};
use crate::diff::unified_diff;
use crate::{Located, OperationError, locate};

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

/// Formats the selected files; see [`minds_workspace::format()`]. With `write` the files are written, all or
/// none; otherwise only the changes are returned. A file that cannot be formatted is not changed, and does
/// not prevent formatting of other files.
///
/// # Errors
///
/// Fails if [`check`](crate::check()) would fail, or if a file changed meanwhile or cannot be written; then
/// nothing is written.
pub fn fmt(base: &Path, paths: &[PathBuf], write: bool) -> Result<FmtOutcome, OperationError> {
    let located = locate(base, paths)?;
    if let (true, Some(directory)) = (write, &located.directory) {
        // Otherwise a partial change would be read, and completed afterwards.
        Root::open(directory, MountId::WORKSPACE)?.recover_interrupted()?;
    }
    let snapshot = read(&located)?;
    let formatted = snapshot.as_ref().map(|snapshot| format(&located, snapshot)).unwrap_or_default();
    // Without `write` the checkout may be read-only.
    if let (true, Some(snapshot), Some(directory)) = (write, &snapshot, &located.directory) {
        Root::open(directory, MountId::WORKSPACE)?.apply(&formatted.plan(snapshot))?;
    }
    Ok(outcome(&located, formatted))
}

/// Formats an unsaved document as if it were the file `name`, which need not exist. Nothing is written; the
/// outcome contains the new text if it differs.
///
/// # Errors
///
/// Fails if [`check_text`](crate::check_text()) would fail.
pub fn fmt_text(base: &Path, name: &Path, text: Vec<u8>) -> Result<FmtOutcome, OperationError> {
    let (located, snapshot) = with_text(base, name, text, Extent::WithoutTasks)?;
    let formatted = snapshot.as_ref().map(|snapshot| format(&located, snapshot)).unwrap_or_default();
    Ok(outcome(&located, formatted))
}

fn format(located: &Located, snapshot: &Snapshot) -> Formatted {
    minds_workspace::format(snapshot, |file| located.asks_for(file))
}

fn outcome(located: &Located, formatted: Formatted) -> FmtOutcome {
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

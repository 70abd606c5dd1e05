//! Formatting a workspace.

use std::path::{Path, PathBuf};

use minds_diagnostics::Report;
use minds_document::Snapshot;
use minds_paths::MountId;
use minds_system::Root;
use minds_workspace::Formatted;

use crate::check::{Extent, nothing_to, read, with_text};
use crate::diff::unified_diff;
use crate::{Located, OperationError, locate};

/// What formatting did, or would do.
#[derive(Clone, Debug)]
pub struct FmtOutcome {
    /// The files that can be formatted, and why some of them are left as they are.
    pub report: Report,
    /// The files that changed, relative to the workspace, with their new texts.
    pub changed: Vec<(String, String)>,
    /// Where it is not certain that a file would say the same, as `file:line:column`: it is left as it is.
    pub unsure: Vec<String>,
    /// The changes as a unified diff; empty if there are none.
    pub diff: String,
    /// Why nothing was looked at, if nothing was.
    pub nothing: Option<String>,
}

/// Brings the files that were asked for into their canonical form; see [`minds_workspace::format()`]. With `write` the
/// files are written, all or none; else it is only said what would change. A file that cannot be formatted is left as it
/// is, and keeps no other from being formatted.
///
/// # Errors
///
/// Fails where [`check`](crate::check()) fails, and if a file changed meanwhile or cannot be written; then nothing is.
pub fn fmt(base: &Path, paths: &[PathBuf], write: bool) -> Result<FmtOutcome, OperationError> {
    let located = locate(base, paths)?;
    if let (true, Some(directory)) = (write, &located.directory) {
        // Else half of a change that was interrupted would be read, and finished afterwards.
        Root::open(directory, MountId::WORKSPACE)?.recover_interrupted()?;
    }
    let snapshot = read(&located)?;
    let formatted = snapshot.as_ref().map(|snapshot| format(&located, snapshot)).unwrap_or_default();
    // Only looking needs no permission to write: a checkout may be read-only.
    if let (true, Some(snapshot), Some(directory)) = (write, &snapshot, &located.directory) {
        Root::open(directory, MountId::WORKSPACE)?.apply(&formatted.plan(snapshot))?;
    }
    Ok(outcome(&located, formatted))
}

/// Formats one document as if it stood at `name`, which need not exist. Nothing is written: the new text is in the
/// outcome, if it differs.
///
/// # Errors
///
/// Fails where [`check_text`](crate::check_text()) fails.
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
    let nothing = nothing_to("format", located, formatted.seen.is_empty() && diagnostics.is_empty());
    let root = located.root.clone();
    let report = Report { root, files: formatted.seen, diagnostics, ..Report::default() };
    FmtOutcome { report, changed, unsure: formatted.unsure, diff, nothing }
}

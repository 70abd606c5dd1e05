//! Fixing a workspace.

use std::path::{Path, PathBuf};

use minds_paths::MountId;
use minds_system::Root;

use crate::check::{outcome, read_with_tasks};
use crate::diff::unified_diff;
use crate::{CheckOutcome, CheckRequest, Located, OperationError, compose_root, locate};

/// The result of fixing.
#[derive(Clone, Debug)]
pub struct FixOutcome {
    /// The check after fixing.
    pub check: CheckOutcome,
    /// How many findings were fixed.
    pub fixed: usize,
    /// The files that changed, relative to the workspace.
    pub files: Vec<String>,
    /// The changes as a unified diff, empty if there are none. Secrets are replaced with `*`.
    pub diff: String,
}

/// Applies all fixes of findings in the selected files; see [`minds_workspace::fix`]. With `write` the files
/// are written, all or none; otherwise only the changes are returned.
///
/// # Errors
///
/// Fails if [`check`](crate::check()) would fail, or if a file changed meanwhile or cannot be written; then
/// nothing is written.
pub fn fix(base: &Path, paths: &[PathBuf], write: bool) -> Result<FixOutcome, OperationError> {
    fix_requested(base, &CheckRequest { paths, ..CheckRequest::default() }, write)
}

/// Fixes only the compose root at `root`, which is relative to `base`. Nothing outside of it is changed.
///
/// # Errors
///
/// Fails if [`fix`] would fail, or if there is no compose root at `root`.
pub fn fix_root(base: &Path, root: &Path, write: bool) -> Result<FixOutcome, OperationError> {
    fix_requested(base, &CheckRequest { root: Some(root), ..CheckRequest::default() }, write)
}

/// Fixes the files of a request. Its host and `everywhere` are ignored.
///
/// # Errors
///
/// Fails if [`fix`] or [`fix_root`] would fail.
pub fn fix_requested(
    base: &Path,
    request: &CheckRequest<'_>,
    write: bool,
) -> Result<FixOutcome, OperationError> {
    let located = match request.root {
        Some(root) => compose_root::locate(base, Some(root))?,
        None => locate(base, request.paths)?,
    };
    fix_located(&Located { allows_outside: request.allows_outside, ..located }, write)
}

fn fix_located(located: &Located, write: bool) -> Result<FixOutcome, OperationError> {
    if let (true, Some(directory)) = (write, &located.directory) {
        // Otherwise a partial change would be read, and completed afterwards.
        Root::open(directory, MountId::WORKSPACE)?.recover_interrupted()?;
    }
    let snapshot = read_with_tasks(located)?;
    let (Some(before), Some(directory)) = (&snapshot, &located.directory) else {
        let check = outcome(None, located, snapshot.as_ref());
        return Ok(FixOutcome { check, fixed: 0, files: Vec::new(), diff: String::new() });
    };
    let fixed = minds_workspace::fix_only(before, |found| {
        found.primary.as_ref().is_some_and(|label| located.asks_for(label.source.name()))
    });
    // Without `write` the checkout may be read-only.
    if write {
        Root::open(directory, MountId::WORKSPACE)?.apply(&fixed.plan(before))?;
    }
    let mut diff = String::new();
    for (location, (old, new)) in &fixed.files {
        diff.push_str(&unified_diff(&location.to_string(), Some(old), new));
    }
    Ok(FixOutcome {
        check: outcome(None, located, Some(&fixed.snapshot)),
        fixed: fixed.count,
        files: fixed.files.keys().map(ToString::to_string).collect(),
        diff,
    })
}

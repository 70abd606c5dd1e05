//! Mending a workspace.

use std::path::{Path, PathBuf};

use minds_paths::MountId;
use minds_system::Root;

use crate::check::{outcome, read_with_tasks};
use crate::diff::unified_diff;
use crate::{CheckOutcome, CheckRequest, Located, OperationError, compose_root, locate};

/// What mending did, or would do.
#[derive(Clone, Debug)]
pub struct FixOutcome {
    /// The check after mending.
    pub check: CheckOutcome,
    /// How many findings were mended.
    pub fixed: usize,
    /// The files that changed, relative to the workspace.
    pub files: Vec<String>,
    /// The changes as a unified diff; empty if there are none. Secrets are shown as `*`.
    pub diff: String,
}

/// Applies every fix that the findings of a check offer, in the files that were asked for; see
/// [`minds_workspace::fix`]. With `write` the files are written, all or none; else it is only said what would change.
///
/// # Errors
///
/// Fails where [`check`](crate::check()) fails, and if a file changed meanwhile or cannot be written; then nothing is.
pub fn fix(base: &Path, paths: &[PathBuf], write: bool) -> Result<FixOutcome, OperationError> {
    fix_requested(base, &CheckRequest { paths, ..CheckRequest::default() }, write)
}

/// Does the same for the compose root at `root` alone, which is relative to `base`; nothing outside of it is changed.
///
/// # Errors
///
/// Fails where [`fix`] fails, and if there is no compose root at `root`.
pub fn fix_root(base: &Path, root: &Path, write: bool) -> Result<FixOutcome, OperationError> {
    fix_requested(base, &CheckRequest { root: Some(root), ..CheckRequest::default() }, write)
}

/// Does the same for what a request names, of which the host and `everywhere` mean nothing here.
///
/// # Errors
///
/// Fails where [`fix`] and [`fix_root`] fail.
pub fn fix_requested(
    base: &Path,
    request: &CheckRequest<'_>,
    write: bool,
) -> Result<FixOutcome, OperationError> {
    let located = match request.root {
        Some(root) => compose_root::located(base, Some(root))?,
        None => locate(base, request.paths)?,
    };
    fix_located(&Located { allows_outside: request.allows_outside, ..located }, write)
}

fn fix_located(located: &Located, write: bool) -> Result<FixOutcome, OperationError> {
    if let (true, Some(directory)) = (write, &located.directory) {
        // Else half of a change that was interrupted would be read, and finished afterwards.
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
    // Only looking needs no permission to write: a checkout may be read-only.
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

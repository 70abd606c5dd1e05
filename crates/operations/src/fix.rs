//! Fixing a workspace.

use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_vfs::MountId;

use crate::check::{outcome, read_with_tasks};
use crate::workspaces::{Workspaces, with_prefix};
use crate::{CheckOutcome, FileSelection, OperationError, compose_root};
use minds_workspace::unified_diff;

/// The result of fixing.
#[derive(Clone, Debug, Default)]
pub struct FixOutcome {
    /// The check after fixing.
    pub check: CheckOutcome,
    /// How many findings were fixed.
    pub fixed: usize,
    /// The files that changed, relative to the workspace, or to the base if there are several workspaces.
    pub files: Vec<String>,
    /// The changes as a unified diff, empty if there are none. Secrets are replaced with `*`.
    pub diff: String,
}

/// What to fix, and how.
#[derive(Clone, Copy, Debug)]
pub struct FixRequest<'r> {
    /// The directory to which paths are relative.
    pub base: &'r Path,
    /// Files and directories, as for a check; see [`CheckRequest`](crate::CheckRequest).
    pub paths: &'r [PathBuf],
    /// A compose root to fix instead of the paths. Nothing outside of it is changed.
    pub root: Option<&'r Path>,
    /// Whether the files of a compose root may name files outside the repository.
    pub allows_outside: bool,
    /// Whether to write the files, all or none of a workspace; otherwise only the changes are returned.
    pub write: bool,
}

impl<'r> FixRequest<'r> {
    /// Returns a request for the workspace to which `base` belongs, which writes nothing.
    pub fn new(base: &'r Path) -> Self {
        Self { base, paths: &[], root: None, allows_outside: false, write: false }
    }
}

/// Applies all fixes of findings in the selected files; see [`minds_workspace::fix`].
///
/// # Errors
///
/// Fails if [`check`](crate::check()) would fail, or if a file changed meanwhile or cannot be written; then
/// nothing is written.
pub fn fix(request: &FixRequest<'_>) -> Result<FixOutcome, OperationError> {
    let allows_outside = request.allows_outside;
    if let Some(root) = request.root {
        let located = compose_root::locate(request.base, Some(root))?;
        return fix_located(&FileSelection { allows_outside, ..located }, "", request.write);
    }
    let workspaces = Workspaces::find(request.base, request.paths)?;
    // Nothing is written before this is known of all.
    workspaces.ensure_trusted()?;
    let mut outcomes = Vec::with_capacity(workspaces.selected.len());
    let mut joined = FixOutcome::default();
    for located in workspaces.iter_trusted() {
        let located = FileSelection { allows_outside, ..located.clone() };
        let prefix = workspaces.prefix(located.directory.as_deref());
        let fixed = fix_located(&located, &prefix, request.write)?;
        // A repository without files of clients matters only if there is no other workspace.
        let is_empty = fixed.check.report.files.is_empty() && fixed.check.report.diagnostics.is_empty();
        if located.is_of_clients && is_empty && workspaces.selected.len() > 1 && located.only.is_empty() {
            continue;
        }
        joined.fixed += fixed.fixed;
        joined.files.extend(fixed.files);
        joined.diff.push_str(&fixed.diff);
        outcomes.push((prefix, fixed.check));
    }
    joined.check = workspaces.join(outcomes);
    Ok(joined)
}

/// Fixes one workspace. The names of files begin with `prefix`.
fn fix_located(located: &FileSelection, prefix: &str, write: bool) -> Result<FixOutcome, OperationError> {
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
        found.primary.as_ref().is_some_and(|label| located.selects(label.source.name()))
    });
    // Without `write` the checkout may be read-only.
    if write {
        Root::open(directory, MountId::WORKSPACE)?.apply(&fixed.plan(before))?;
    }
    let mut diff = String::new();
    for (location, (old, new)) in &fixed.files {
        diff.push_str(&unified_diff(&with_prefix(prefix, &location.to_string()), Some(old), new));
    }
    Ok(FixOutcome {
        check: outcome(None, located, Some(&fixed.snapshot)),
        fixed: fixed.count,
        files: fixed.files.keys().map(|file| with_prefix(prefix, &file.to_string())).collect(),
        diff,
    })
}

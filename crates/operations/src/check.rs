//! Checking a workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minds_diagnostics::Report;
use minds_document::{Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::Root;
use minds_workspace::{Host, TeamFamily};

use crate::{Located, OperationError, fleet, locate};

/// What a check found.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// The findings, and the files that were looked at.
    pub report: Report,
    /// Why nothing was looked at, if nothing was.
    pub nothing: Option<String>,
    /// Whether the workspace asks for warnings to count like errors.
    pub strict: bool,
    /// What was read.
    pub family: Arc<TeamFamily>,
}

/// Checks the workspace to which `paths` belong; see [`locate`](crate::locate()). Nothing is written.
///
/// # Errors
///
/// Fails if a path does not exist, the paths belong to different workspaces, or the workspace cannot be opened.
pub fn check(base: &Path, paths: &[PathBuf]) -> Result<CheckOutcome, OperationError> {
    check_on(None, base, paths)
}

/// Does the same, and checks what depends on the machine on which the team would run, if that is asked for; see
/// [`this_host`].
///
/// # Errors
///
/// Fails where [`check`] fails.
pub fn check_on(host: Option<&Host>, base: &Path, paths: &[PathBuf]) -> Result<CheckOutcome, OperationError> {
    let located = locate(base, paths)?;
    let snapshot = read(&located)?;
    Ok(outcome(host, &located, snapshot.as_ref()))
}

/// Returns what is known of the machine on which the program runs.
pub fn this_host() -> Host {
    Host::new(minds_system::variables())
}

/// Checks one document as if it stood at `name`, which need not exist: what an editor holds and has not saved. Only its
/// findings are in the outcome.
///
/// # Errors
///
/// Fails if the directory of `name` does not exist, or the workspace cannot be opened.
pub fn check_text(base: &Path, name: &Path, text: Vec<u8>) -> Result<CheckOutcome, OperationError> {
    check_text_on(None, base, name, text)
}

/// Does the same, and checks what depends on the machine on which the team would run, if that is asked for; see
/// [`this_host`].
///
/// # Errors
///
/// Fails where [`check_text`] fails.
pub fn check_text_on(
    host: Option<&Host>,
    base: &Path,
    name: &Path,
    text: Vec<u8>,
) -> Result<CheckOutcome, OperationError> {
    let (located, snapshot) = with_text(base, name, text)?;
    Ok(outcome(host, &located, snapshot.as_ref()))
}

/// Reads the files of the workspace in which `name` would stand, with `text` in its place, and asks for it alone.
pub(crate) fn with_text(
    base: &Path,
    name: &Path,
    text: Vec<u8>,
) -> Result<(Located, Option<Snapshot>), OperationError> {
    let parent = match name.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut located = locate(base, &[parent])?;
    let within = located.below.clone().unwrap_or_default();
    let file = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = if within.is_empty() { file } else { format!("{within}/{file}") };
    let mut snapshot = read(&located)?;
    if let (Some(snapshot), Ok(path)) = (&mut snapshot, WorkspacePath::parse(&file)) {
        let location = Location::new(MountId::WORKSPACE, path);
        if minds_workspace::scope().has(&location) {
            let mode = minds_document::FileMode::Regular;
            snapshot.insert(location, SnapshotEntry::File { bytes: text.into(), mode });
        }
        if let Some(directory) = &located.directory {
            fleet::add_named(directory, snapshot)?;
        }
    }
    located.only = vec![file];
    Ok((located, snapshot))
}

/// Reads the files of a workspace; nothing if there is no workspace.
pub(crate) fn read(located: &Located) -> Result<Option<Snapshot>, OperationError> {
    let Some(directory) = &located.directory else { return Ok(None) };
    let root = Root::open(directory, MountId::WORKSPACE)?;
    let mut snapshot = root.snapshot(&minds_workspace::scope());
    fleet::add_layers(directory, &root, &mut snapshot)?;
    Ok(Some(snapshot))
}

/// Checks what was read of a workspace, and keeps what was asked for.
pub(crate) fn outcome(host: Option<&Host>, located: &Located, snapshot: Option<&Snapshot>) -> CheckOutcome {
    let Some(snapshot) = snapshot else {
        let report = Report { root: located.root.clone(), ..Report::default() };
        return CheckOutcome {
            report,
            nothing: nothing_to("check", located, true),
            strict: false,
            family: Arc::default(),
        };
    };
    let mut checked = minds_workspace::check_on(host, snapshot);
    if !located.only.is_empty() {
        checked.files.retain(|file| located.asks_for(file));
        checked.allowed.retain(|file, _| located.asks_for(file));
        checked.diagnostics.retain(|found| {
            found.primary.as_ref().is_some_and(|label| located.asks_for(label.source.name()))
        });
    }
    let nothing = nothing_to("check", located, checked.files.is_empty());
    let report = Report {
        root: located.root.clone(),
        files: checked.files,
        diagnostics: checked.diagnostics,
        allowed: checked.allowed.values().sum(),
    };
    CheckOutcome { report, nothing, strict: checked.strict, family: checked.family }
}

/// Says why there is nothing to check, or to do whatever `verb` says, if every file for it `is_missing`.
pub(crate) fn nothing_to(verb: &str, located: &Located, is_missing: bool) -> Option<String> {
    let root = &located.root;
    let reason = match located.only.as_slice() {
        _ if located.directory.is_none() => {
            format!("no `.minds/`, `.team/team-compose.yaml`, `.ateam/` or `mind.toml` at or above `{root}`")
        }
        [] => format!("`{root}` holds no file that minds reads"),
        [file] => format!("`{file}` is not a file that minds reads"),
        _ => "these are not files that minds reads".to_owned(),
    };
    is_missing.then(|| format!("nothing to {verb}: {reason}"))
}

//! Checking a workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minds_compose::ComposeFamily;
use minds_diagnostics::{Parsed, Report};
use minds_document::{Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::Root;
use minds_workspace::{Checked, Host, TeamFamily};

use crate::task::look::{Reach, is_section, look};
use crate::{Located, OperationError, compose_root, fleet, locate, named};

/// What a check found.
#[derive(Clone, Debug, Default)]
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

/// What is checked, and how.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest<'r> {
    /// Files and directories of one workspace; see [`locate`](crate::locate()).
    pub paths: &'r [PathBuf],
    /// The compose root that is checked alone, whatever the paths.
    pub root: Option<&'r Path>,
    /// The machine on which the team would run, if what depends on it is checked too; see [`this_host`].
    pub host: Option<&'r Host>,
    /// Whether task packages are looked for anywhere in the workspace, except where ignore files leave them out.
    pub everywhere: bool,
    /// Whether the files of a compose root may name files outside the repository.
    pub allows_outside: bool,
}

/// Checks what a request names. Nothing is written.
///
/// # Errors
///
/// Fails if a path does not exist, the paths belong to different workspaces, there is no compose root where one is named, or
/// the files cannot be opened.
pub fn check_requested(base: &Path, request: &CheckRequest<'_>) -> Result<CheckOutcome, OperationError> {
    let (located, extent) = match request.root {
        Some(root) => (compose_root::located(base, Some(root)), Extent::WithoutTasks),
        None => (locate(base, request.paths), Extent::WithTasks),
    };
    let located = match located {
        Err(OperationError::Untrusted(found)) => return found.outcome(),
        located => located?,
    };
    let everywhere = request.everywhere && request.root.is_none();
    let located = Located { everywhere, allows_outside: request.allows_outside, ..located };
    let loaded = load(&located, extent, None)?;
    Ok(outcome_of(request.host, &located, loaded))
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
    check_requested(base, &CheckRequest { paths, host, ..CheckRequest::default() })
}

/// Does the same with the task packages anywhere in the workspace, except where ignore files leave them out.
///
/// # Errors
///
/// Fails where [`check`] fails.
pub fn check_everywhere(
    host: Option<&Host>,
    base: &Path,
    paths: &[PathBuf],
) -> Result<CheckOutcome, OperationError> {
    check_requested(base, &CheckRequest { paths, host, everywhere: true, ..CheckRequest::default() })
}

/// Does the same for the compose root at `root` alone, which is relative to `base`.
///
/// # Errors
///
/// Fails if there is no compose root at `root`, or it cannot be opened.
pub fn check_root_on(host: Option<&Host>, base: &Path, root: &Path) -> Result<CheckOutcome, OperationError> {
    check_requested(base, &CheckRequest { root: Some(root), host, ..CheckRequest::default() })
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
    check_text_requested(base, name, text, &CheckRequest { host, ..CheckRequest::default() })
}

/// Does the same as a request says, of which the paths, the root and `everywhere` mean nothing here.
///
/// # Errors
///
/// Fails where [`check_text`] fails.
pub fn check_text_requested(
    base: &Path,
    name: &Path,
    text: Vec<u8>,
    request: &CheckRequest<'_>,
) -> Result<CheckOutcome, OperationError> {
    let host = request.host;
    let read = loaded_with_text(base, name, text, Extent::WithTasks, request.allows_outside);
    let (located, loaded) = match read {
        Err(OperationError::Untrusted(found)) => return found.outcome(),
        read => read?,
    };
    Ok(outcome_of(host, &located, loaded))
}

/// What of a workspace is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything but task packages.
    WithoutTasks,
    /// Task packages as well.
    WithTasks,
}

/// Reads what `extent` says of the workspace in which `name` would stand, with `text` in its place, and asks for it alone.
pub(crate) fn with_text(
    base: &Path,
    name: &Path,
    text: Vec<u8>,
    extent: Extent,
) -> Result<(Located, Option<Snapshot>), OperationError> {
    let (located, loaded) = loaded_with_text(base, name, text, extent, false)?;
    Ok((located, loaded.map(|loaded| loaded.snapshot)))
}

fn loaded_with_text(
    base: &Path,
    name: &Path,
    text: Vec<u8>,
    extent: Extent,
    allows_outside: bool,
) -> Result<(Located, Option<Loaded>), OperationError> {
    let parent = match name.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut located = Located { allows_outside, ..locate(base, &[parent])? };
    let within = located.below.clone().unwrap_or_default();
    let file = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = if within.is_empty() { file } else { format!("{within}/{file}") };
    let unsaved = WorkspacePath::parse(&file).ok().map(|path| {
        let mode = minds_document::FileMode::Regular;
        (Location::new(MountId::WORKSPACE, path), SnapshotEntry::File { bytes: text.into(), mode })
    });
    let loaded = load(&located, extent, unsaved.as_ref())?;
    located.only = vec![file];
    Ok((located, loaded))
}

/// Reads the files of a workspace; nothing if there is no workspace.
pub(crate) fn read(located: &Located) -> Result<Option<Snapshot>, OperationError> {
    Ok(load(located, Extent::WithoutTasks, None)?.map(|loaded| loaded.snapshot))
}

/// Does the same with its task packages.
pub(crate) fn read_with_tasks(located: &Located) -> Result<Option<Snapshot>, OperationError> {
    Ok(load(located, Extent::WithTasks, None)?.map(|loaded| loaded.snapshot))
}

/// The files of a workspace, and what of them was understood already, because it names other files.
struct Loaded {
    snapshot: Snapshot,
    compose: Parsed<ComposeFamily>,
}

/// Reads what `extent` says, with a text that is not saved in the place of a file.
fn load(
    located: &Located,
    extent: Extent,
    unsaved: Option<&(Location, SnapshotEntry)>,
) -> Result<Option<Loaded>, OperationError> {
    let Some(directory) = &located.directory else { return Ok(None) };
    let root = Root::open(directory, MountId::WORKSPACE)?;
    let scope =
        if located.is_compose_root { minds_workspace::compose_scope() } else { minds_workspace::scope() };
    let mut snapshot = root.snapshot(&scope);
    let has_tasks = extent == Extent::WithTasks && !located.is_compose_root;
    if has_tasks {
        let reach = Reach { everywhere: located.everywhere, named: located.packages.clone() };
        look(&root, &reach, &mut snapshot);
    }
    let is_read = |location: &Location| scope.has(location) || (has_tasks && is_section(&location.path));
    if !located.is_compose_root {
        fleet::add_layers(directory, &root, &mut snapshot)?;
    }
    if let Some((location, entry)) = unsaved.filter(|(location, _)| is_read(location)) {
        snapshot.insert(location.clone(), entry.clone());
        fleet::add_named(directory, &mut snapshot)?;
    }
    let compose = named::read(located, &mut snapshot, unsaved)?.finish();
    Ok(Some(Loaded { snapshot, compose }))
}

/// Checks what was read of a workspace, and keeps what was asked for.
pub(crate) fn outcome(host: Option<&Host>, located: &Located, snapshot: Option<&Snapshot>) -> CheckOutcome {
    kept(located, snapshot.map(|snapshot| minds_workspace::check_on(host, snapshot)))
}

/// Does the same without understanding again what was understood.
fn outcome_of(host: Option<&Host>, located: &Located, loaded: Option<Loaded>) -> CheckOutcome {
    let check = |Loaded { snapshot, compose }| minds_workspace::check_read(host, &snapshot, compose);
    kept(located, loaded.map(check))
}

/// Returns what was asked for of what a check found, if there was anything to check.
fn kept(located: &Located, checked: Option<Checked>) -> CheckOutcome {
    let Some(mut checked) = checked else {
        let report = Report { root: located.root.clone(), ..Report::default() };
        return CheckOutcome {
            report,
            nothing: nothing_to("check", located, true),
            strict: false,
            family: Arc::default(),
        };
    };
    if !located.only.is_empty() {
        checked.files.retain(|file| located.asks_for(file));
        checked.allowed.retain(|file, _| located.asks_for(file));
        checked.diagnostics.retain(|found| {
            found.primary.as_ref().is_some_and(|label| located.asks_for(label.source.name()))
        });
    }
    let is_missing = checked.files.is_empty() && checked.diagnostics.is_empty();
    let nothing = nothing_to("check", located, is_missing);
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
            format!(
                "no `.minds/`, `.team/team-compose.yaml`, `.ateam/`, `mind.toml` or task package in `tasks/` at or above `{root}`"
            )
        }
        [] => format!("`{root}` holds no file that minds {verb}s"),
        [file] => format!("`{file}` is not a file that minds {verb}s"),
        _ => format!("these are not files that minds {verb}s"),
    };
    is_missing.then(|| format!("nothing to {verb}: {reason}"))
}

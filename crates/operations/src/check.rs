//! Checking a workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minds_compose::ComposeFamily;
use minds_diagnostics::{Parsed, Report};
use minds_fs::{Root, real_directory};
use minds_process::current_directory;
use minds_task_store::{ScanScope, is_section, scan_packages};
use minds_trust::UntrustedDirectory;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath, diagnose_untrusted};
use minds_workspace::{Checked, Host, TeamFamily};

use crate::locate::{locate_with_clients, relative};
use crate::workspaces::{SelectedWorkspace, Workspaces};
use crate::{FileSelection, OperationError, client_files, compose_root, fleet, referenced_files};

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckOutcome {
    /// The findings and the checked files.
    pub report: Report,
    /// Why there was nothing to do, if so.
    pub nothing: Option<String>,
    /// Whether the settings of the workspace treat warnings as errors.
    pub strict: bool,
    /// What was read.
    pub family: Arc<TeamFamily>,
}

/// What to check, and how.
#[derive(Clone, Copy, Debug)]
pub struct CheckRequest<'r> {
    /// The directory to which paths are relative.
    pub base: &'r Path,
    /// Files and directories. Of a directory, the workspace to which it belongs is checked, and all workspaces in it that
    /// ignore files do not exclude.
    pub paths: &'r [PathBuf],
    /// A compose root to check instead of the paths.
    pub root: Option<&'r Path>,
    /// An unsaved document to check instead of the paths and the root. The outcome contains only its findings.
    pub text: Option<UnsavedText<'r>>,
    /// The machine to check against; `None` skips checks that depend on the machine. See [`this_host`].
    pub host: Option<&'r Host>,
    /// Whether to search the whole workspace for task packages, except ignored files.
    pub everywhere: bool,
    /// Whether the files of a compose root may name files outside the repository.
    pub allows_outside: bool,
}

/// An unsaved document.
#[derive(Clone, Copy, Debug)]
pub struct UnsavedText<'r> {
    /// The name of the file, which need not exist; its directory must.
    pub name: &'r Path,
    /// The content.
    pub bytes: &'r [u8],
}

impl<'r> CheckRequest<'r> {
    /// Returns a request for the workspace to which `base` belongs.
    pub fn new(base: &'r Path) -> Self {
        Self {
            base,
            paths: &[],
            root: None,
            text: None,
            host: None,
            everywhere: false,
            allows_outside: false,
        }
    }
}

/// Checks what a request selects. Nothing is written.
///
/// # Errors
///
/// Fails if a path does not exist, the given compose root does not exist, the files cannot be opened, or a directory has
/// too many entries to find the workspaces in it.
pub fn check(request: &CheckRequest<'_>) -> Result<CheckOutcome, OperationError> {
    if request.text.is_some() || request.root.is_some() {
        return match read_one(request) {
            Err(OperationError::Untrusted(found)) => report_untrusted(&found),
            read => read.map(|(located, loaded)| outcome_of(request.host, &located, loaded)),
        };
    }
    let workspaces = Workspaces::find(request.base, request.paths)?;
    let mut outcomes = Vec::with_capacity(workspaces.selected.len());
    for selected in &workspaces.selected {
        outcomes.push(match selected {
            SelectedWorkspace::Trusted(located) => {
                let Some((located, loaded)) = read_workspace(request, located, &workspaces)? else {
                    continue;
                };
                let prefix = workspaces.prefix(located.directory.as_deref());
                (prefix, outcome_of(request.host, &located, loaded))
            }
            SelectedWorkspace::Untrusted(found) => {
                (workspaces.prefix(Some(&found.directory)), report_untrusted(found)?)
            }
        });
    }
    Ok(workspaces.join(outcomes))
}

/// Reads a workspace. None if it is a repository without files of clients, and there are other workspaces.
fn read_workspace(
    request: &CheckRequest<'_>,
    located: &FileSelection,
    workspaces: &Workspaces,
) -> Result<Option<ReadWorkspace>, OperationError> {
    let CheckRequest { everywhere, allows_outside, .. } = *request;
    let mut located = FileSelection { everywhere, allows_outside, ..located.clone() };
    let mut loaded = load(&located, TaskFiles::WithTasks, None)?;
    if located.is_of_clients && loaded.as_ref().is_some_and(|loaded| !loaded.has_client_files) {
        if workspaces.selected.len() > 1 && located.only.is_empty() {
            return Ok(None);
        }
        located.directory = None;
        loaded = None;
    }
    Ok(Some((located, loaded)))
}

/// What is selected in a workspace, and its files; `None` if there is no workspace.
pub(crate) type ReadWorkspace = (FileSelection, Option<LoadedFiles>);

/// Reads the files that a request selects, of each workspace; `None` if there is no workspace.
///
/// # Errors
///
/// Fails if a path does not exist, or if a workspace is not trusted.
pub(crate) fn read_request(
    request: &CheckRequest<'_>,
) -> Result<(Workspaces, Vec<ReadWorkspace>), OperationError> {
    if request.text.is_some() || request.root.is_some() {
        let read = read_one(request)?;
        return Ok((Workspaces::of_one(read.0.clone()), vec![read]));
    }
    let workspaces = Workspaces::find(request.base, request.paths)?;
    workspaces.ensure_trusted()?;
    let mut read = Vec::with_capacity(workspaces.selected.len());
    for located in workspaces.iter_trusted() {
        read.extend(read_workspace(request, located, &workspaces)?);
    }
    Ok((workspaces, read))
}

/// Reads the files that a request with unsaved text or a compose root selects; `None` if there is no workspace.
fn read_one(request: &CheckRequest<'_>) -> Result<ReadWorkspace, OperationError> {
    if let Some(text) = &request.text {
        return loaded_with_text(request.base, text, TaskFiles::WithTasks, request.allows_outside);
    }
    let located = compose_root::locate(request.base, request.root)?;
    let located = FileSelection { allows_outside: request.allows_outside, ..located };
    let loaded = load(&located, TaskFiles::WithoutTasks, None)?;
    Ok((located, loaded))
}

/// Returns the result of a check of a workspace that is not trusted: only one finding.
fn report_untrusted(found: &UntrustedDirectory) -> Result<CheckOutcome, OperationError> {
    let mut outcome = CheckOutcome::default();
    outcome.report.root = relative(&real_directory(&current_directory()?)?, &found.directory);
    outcome.report.diagnostics = vec![diagnose_untrusted(&found.name, &found.reason)];
    outcome.nothing = Some(format!("nothing was read; {}", found.remedy));
    Ok(outcome)
}

/// Returns the machine on which the program runs.
pub fn this_host() -> Host {
    Host::new(minds_process::variables())
}

/// Which files of a workspace to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskFiles {
    /// Everything but task packages.
    WithoutTasks,
    /// Task packages as well.
    WithTasks,
}

/// Reads the files of the workspace that would contain an unsaved document, and selects only this document.
pub(crate) fn with_text(
    base: &Path,
    text: &UnsavedText<'_>,
    extent: TaskFiles,
) -> Result<(FileSelection, Option<Snapshot>), OperationError> {
    let (located, loaded) = loaded_with_text(base, text, extent, false)?;
    Ok((located, loaded.map(|loaded| loaded.snapshot)))
}

fn loaded_with_text(
    base: &Path,
    text: &UnsavedText<'_>,
    extent: TaskFiles,
    allows_outside: bool,
) -> Result<(FileSelection, Option<LoadedFiles>), OperationError> {
    let UnsavedText { name, bytes } = *text;
    let parent = match name.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut located = FileSelection { allows_outside, ..locate_with_clients(base, &[parent])? };
    let within = located.below.clone().unwrap_or_default();
    let file = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = if within.is_empty() { file } else { format!("{within}/{file}") };
    let unsaved = WorkspacePath::parse(&file).ok().map(|path| {
        let mode = minds_vfs::FileMode::Regular;
        (Location::new(MountId::WORKSPACE, path), SnapshotEntry::File { bytes: bytes.to_vec().into(), mode })
    });
    let loaded = load(&located, extent, unsaved.as_ref())?;
    located.only = vec![file];
    Ok((located, loaded))
}

/// Reads the files of a workspace; `None` if there is no workspace.
pub(crate) fn read(located: &FileSelection) -> Result<Option<Snapshot>, OperationError> {
    Ok(load(located, TaskFiles::WithoutTasks, None)?.map(|loaded| loaded.snapshot))
}

/// Reads the files of a workspace including task packages.
pub(crate) fn read_with_tasks(located: &FileSelection) -> Result<Option<Snapshot>, OperationError> {
    Ok(load(located, TaskFiles::WithTasks, None)?.map(|loaded| loaded.snapshot))
}

/// The files of a workspace, and its compose root, which is decoded while reading because its files refer to
/// further files.
pub(crate) struct LoadedFiles {
    pub(crate) snapshot: Snapshot,
    compose: Parsed<ComposeFamily>,
    has_client_files: bool,
}

/// Reads the files of a workspace, with an unsaved document in place of its file.
fn load(
    located: &FileSelection,
    extent: TaskFiles,
    unsaved: Option<&(Location, SnapshotEntry)>,
) -> Result<Option<LoadedFiles>, OperationError> {
    let Some(directory) = &located.directory else { return Ok(None) };
    let root = Root::open(directory, MountId::WORKSPACE)?;
    let scope =
        if located.is_compose_root { minds_workspace::compose_scope() } else { minds_workspace::scope() };
    let mut snapshot = root.snapshot(&scope);
    let has_tasks = extent == TaskFiles::WithTasks && !located.is_compose_root;
    if has_tasks {
        let reach = ScanScope { everywhere: located.everywhere, named: located.packages.clone() };
        scan_packages(&root, &reach, &mut snapshot);
    }
    let is_read = |location: &Location| {
        scope.has(location)
            || (has_tasks && is_section(&location.path))
            || !minds_clients::select([&location.path]).is_empty()
    };
    let mut has_client_files = false;
    if !located.is_compose_root {
        // Everything but a check ignores them: mistakes in them prevent nothing.
        if extent == TaskFiles::WithTasks {
            has_client_files = client_files::add(&root, &mut snapshot);
        }
        fleet::add_layers(directory, &root, &mut snapshot)?;
    }
    if let Some((location, entry)) = unsaved.filter(|(location, _)| is_read(location)) {
        snapshot.insert(location.clone(), entry.clone());
        fleet::add_referenced(directory, &mut snapshot)?;
    }
    let compose = referenced_files::read(located, &mut snapshot, unsaved)?.finish();
    Ok(Some(LoadedFiles { snapshot, compose, has_client_files }))
}

/// Checks the files of a workspace, and keeps the results for the selected files.
pub(crate) fn outcome(
    host: Option<&Host>,
    located: &FileSelection,
    snapshot: Option<&Snapshot>,
) -> CheckOutcome {
    filter_outcome(located, snapshot.map(|snapshot| minds_workspace::check_on(host, snapshot)))
}

/// Does the same without decoding the compose root again.
pub(crate) fn outcome_of(
    host: Option<&Host>,
    located: &FileSelection,
    loaded: Option<LoadedFiles>,
) -> CheckOutcome {
    let check = |LoadedFiles { snapshot, compose, .. }| minds_workspace::check_read(host, &snapshot, compose);
    filter_outcome(located, loaded.map(check))
}

/// Returns the results for the selected files.
fn filter_outcome(located: &FileSelection, checked: Option<Checked>) -> CheckOutcome {
    let Some(mut checked) = checked else {
        let report = Report { root: located.root.clone(), ..Report::default() };
        return CheckOutcome {
            report,
            nothing: describe_nothing_to_do("check", located, true),
            strict: false,
            family: Arc::default(),
        };
    };
    if !located.only.is_empty() {
        checked.files.retain(|file| located.selects(file));
        checked.allowed.retain(|file, _| located.selects(file));
        checked
            .diagnostics
            .retain(|found| found.primary.as_ref().is_some_and(|label| located.selects(label.source.name())));
    }
    let is_missing = checked.files.is_empty() && checked.diagnostics.is_empty();
    let nothing = describe_nothing_to_do("check", located, is_missing);
    let report = Report {
        root: located.root.clone(),
        files: checked.files,
        diagnostics: checked.diagnostics,
        allowed: checked.allowed.values().sum(),
    };
    CheckOutcome { report, nothing, strict: checked.strict, family: checked.family }
}

/// Returns why there is nothing to `verb`, if `is_missing`.
pub(crate) fn describe_nothing_to_do(
    verb: &str,
    located: &FileSelection,
    is_missing: bool,
) -> Option<String> {
    let root = &located.root;
    let reason = match located.only.as_slice() {
        _ if located.directory.is_none() => {
            // Only a check reads files of clients.
            let last = if verb == "check" {
                ", task package in `tasks/` or file of a client"
            } else {
                " or task package in `tasks/`"
            };
            format!(
                "no `.minds/`, `.team/team-compose.yaml`, `.ateam/`, `mind.toml`{last} at or above `{root}`"
            )
        }
        [] => format!("`{root}` contains no files that minds can {verb}"),
        [file] => format!("`{file}` is not a file that minds can {verb}"),
        _ => format!("minds cannot {verb} these files"),
    };
    is_missing.then(|| format!("nothing to {verb}: {reason}"))
}

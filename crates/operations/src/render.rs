//! Rendering compose roots, fleets and client files.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minds_diagnostics::Report;
use minds_fs::{ApplyError, Root};
use minds_process::variable;
use minds_render::clients::{ClientPlan, ClientRecord, Detail, TeamSettings};
use minds_render::parts::FilePart;
use minds_render::{
    Artifact, Item, Plan, PlanRefusal, Record, Setting, State, Target, TeamTarget, artifacts, team_servers,
};
use minds_vfs::{ChangeSet, MountId, WorkspacePath};

use crate::compose_root::CheckedRoot;
use crate::origins::{Origins, withheld_diff};
use crate::render_clients::{self, TeamServers};
use crate::render_targets::{WantedTargets, settings_for};
use crate::rendering_place::RenderingPlace;
use crate::{FileSelection, OperationError, compose_root, render_team, services};
use minds_workspace::{removal_diff, unified_diff};

/// The environment variable with the command of the MCP server for the team tools, and the default command.
const MCP_VARIABLE: &str = "TEAMCTL_TEAM_MCP";
const MCP_COMMAND: &str = "team-mcp";

/// How often an operation is tried because files change between reading and writing.
const MAX_ATTEMPTS: usize = 4;

/// What to render, and how.
#[derive(Clone, Copy, Debug)]
pub struct RenderRequest<'r> {
    /// The directory to which the root is relative, and where the search for it begins.
    pub base: &'r Path,
    /// The compose root, the `.ateam` directory of a fleet, or, if only client files are rendered, the
    /// workspace. `None` searches for it.
    pub root: Option<&'r Path>,
    /// The targets; if empty, the launch files of the agents, and units if the supervisor of the compose root
    /// is `systemd` or `launchd`.
    pub targets: &'r [Target],
    /// The command that runs an agent, the program first, for service targets. If empty, agents of a compose
    /// root are run by the script of `teamctl`.
    pub command: &'r [String],
    /// The command of the MCP server for the team tools. `None` means the variable `TEAMCTL_TEAM_MCP`, or
    /// `team-mcp`.
    pub mcp_command: Option<&'r str>,
    /// Whether to write the files; otherwise only the changes are returned.
    pub write: bool,
    /// Whether to overwrite files that were not rendered by minds, or changed since it was rendered.
    pub force: bool,
    /// Whether the files of a compose root may refer to files outside the repository.
    pub allows_outside: bool,
    /// How members are rendered for clients. `None` uses the settings of the previous rendering.
    pub settings: Option<&'r TeamSettings>,
}

impl<'r> RenderRequest<'r> {
    /// Returns a request for the compose root or fleet that is found from `base`, which writes nothing.
    pub fn new(base: &'r Path) -> Self {
        Self {
            base,
            root: None,
            targets: &[],
            command: &[],
            mcp_command: None,
            write: false,
            force: false,
            allows_outside: false,
            settings: None,
        }
    }
}

/// The result of rendering.
#[derive(Clone, Debug, Default)]
pub struct RenderOutcome {
    /// The findings. If there are errors, nothing is rendered.
    pub report: Report,
    /// The files sorted by path with the manifest last, followed by client files in the same order; empty if
    /// nothing is rendered.
    pub files: Vec<RenderedFile>,
    /// Whether writing would change anything.
    pub would_change: bool,
    /// Why nothing was written although `write` was set.
    pub refused: Option<PlanRefusal>,
}

/// Rendered files in memory.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The findings. If there are errors, nothing is rendered.
    pub report: Report,
    /// The files sorted by path, without the manifest.
    pub artifacts: Vec<Artifact>,
}

/// A rendered file and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// The path, relative to the compose root; for a client file, relative to the workspace.
    pub path: String,
    /// How it compares with the file on disk.
    pub state: State,
    /// The change as a unified diff, empty if there is none. Secrets are replaced with `*`.
    pub diff: String,
    /// The servers because of which a client file has drifted: they were not rendered by `minds`, or were
    /// changed since.
    pub drifted_servers: Vec<String>,
}

/// Renders a compose root, or a fleet if there is no compose root, and servers for MCP clients. With `write`
/// the changes are written, all or none; nothing is written if the files have errors. An interrupted run is
/// completed or rolled back first.
///
/// If only client files are rendered, neither is needed. Client files are in the workspace and contain the
/// servers of its `.minds/mcp.yaml` and a server for each agent of the compose root.
///
/// # Errors
///
/// Fails if there is nothing to render, the command that runs agents is invalid, the path cannot be written
/// into files, or files changed meanwhile or cannot be written; then nothing is written.
pub fn render(request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    // A concurrent run usually writes the same files; then nothing is left to write.
    retry_on_conflict(|| render_once(request))
}

/// Repeats `attempt` if a concurrent render or clean run changed files between reading and writing; in that
/// case nothing was written.
pub(crate) fn retry_on_conflict<T>(
    attempt: impl Fn() -> Result<T, OperationError>,
) -> Result<T, OperationError> {
    for _ in 1..MAX_ATTEMPTS {
        match attempt() {
            Err(OperationError::Apply(ApplyError::Unexpected { .. })) => {}
            // A concurrent run removed a directory that became empty.
            Err(OperationError::Apply(ApplyError::Io { source, .. }))
                if source.kind() == std::io::ErrorKind::NotFound => {}
            done => return done,
        }
    }
    attempt()
}

/// Files for agents in memory, with their targets.
pub(crate) struct AgentFiles {
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) targets: Vec<Target>,
}

fn render_once(request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    let WantedTargets { clients, team: team_targets, named, has_agents: wants_agents } =
        WantedTargets::of(request)?;
    let has_clients = !clients.is_empty() || !team_targets.is_empty();
    if !wants_agents {
        // Client files do not run a command.
        services::command(request.command, &[])?;
    }
    let place = RenderingPlace::for_request(request.base, request.root, wants_agents)?;
    // An interrupted run is completed even if the files have errors.
    place.settle()?;
    let mut outcome = RenderOutcome::default();
    outcome.report.root.clone_from(match &place.folder {
        Some((_, shown)) if !has_clients => shown,
        _ => &place.shown,
    });
    let allows_outside = request.allows_outside;
    let compose = place.compose.clone().map(|located| FileSelection { allows_outside, ..located });
    let compose = compose.map(compose_root::read_located).transpose()?;
    if let Some(compose) = &compose {
        outcome.report.files.clone_from(&compose.files);
        outcome.report.diagnostics.clone_from(&compose.found);
    }
    let origins = Origins::of(compose.as_ref());
    let mut made = None;
    if wants_agents && place.is_fleet {
        made = services::render_fleet(&place.workspace, &named, request.command, &mut outcome.report)?;
    }
    let workspace = place.open()?;
    let servers_of_team = (!clients.is_empty()).then(|| TeamServers::read(&workspace));
    if let Some(team) = &servers_of_team {
        outcome.report.files.extend(team.file.clone());
        outcome.report.diagnostics.extend(team.found.iter().cloned());
    }
    let (there, record) = render_clients::read_record(&workspace);
    let settings = settings_for(request, &record);
    let team_parts = outcome.add_team(&workspace, &team_targets, &settings, &record)?;
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    let from_environment = command_of_environment(request)?;
    let mcp_command = mcp_command(request, from_environment.as_deref());
    let mut servers = servers_of_team.map(|team| team.servers()).transpose()?.unwrap_or_default();
    if let Some(compose) = &compose {
        let setting = Setting { root: path_to_str(&compose.directory)?, mcp_command };
        if !clients.is_empty() {
            servers.extend(team_servers(&compose.family, &setting)?);
        }
        if wants_agents {
            let targets = services::targets_of(&compose.family, &named);
            let artifacts = artifacts(&compose.family, &setting)?;
            let (artifacts, found) =
                services::add_services(artifacts, &compose.family, setting.root, &targets, request.command)?;
            outcome.report.diagnostics.extend(found);
            made = Some(AgentFiles { artifacts, targets });
        }
    }
    // The documents are large; free their memory before reading more.
    drop(compose);
    let clients = has_clients.then(|| {
        let mut plan = minds_render::clients::plan(&record, &clients, &servers, &there);
        render_team::add_to_plan(&mut plan, &workspace, &team_parts, &team_targets, &settings);
        plan.add_manifest(&record, &there);
        plan
    });
    let clients = clients.map(|ClientPlan { plan, problems, details, .. }| {
        outcome.report.diagnostics.extend(minds_workspace::redact_problems(problems));
        (plan, details)
    });
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    let folder =
        place.folder.as_ref().map(|(folder, _)| Root::open(folder, MountId::WORKSPACE)).transpose()?;
    let mut withheld = origins.withheld_paths(made.iter().flat_map(|made| &made.artifacts));
    let agents = made.zip(folder).map(|(AgentFiles { artifacts, targets }, folder)| {
        let folder = folder.without_links();
        let record = Record::of(&folder.snapshot(&Record::scope()));
        withheld.extend(origins.previously_withheld_paths(&record));
        let existing = folder.snapshot(&Plan::scope(&artifacts, &record));
        (Plan::new(artifacts, &targets, &record, &existing), folder)
    });
    if let Some((plan, _)) = &agents {
        outcome.add(plan, &BTreeMap::new(), &withheld);
    }
    match (agents, clients) {
        (Some((plan, folder)), None) => {
            outcome.finish(&folder, request, || plan.changes(request.force))?;
        }
        (agents, Some((client_plan, details))) => {
            outcome.add(&client_plan, &details, &BTreeSet::new());
            outcome.finish(&workspace, request, || {
                let changes = client_plan.changes(request.force)?;
                match &agents {
                    Some((plan, _)) => place.merge_changes(changes, &plan.changes(request.force)?),
                    None => Ok(changes),
                }
            })?;
        }
        (None, None) => {}
    }
    Ok(outcome)
}

/// Renders a compose root in memory, without reading existing rendered files.
///
/// # Errors
///
/// Fails if there is no compose root, or its path cannot be written into files.
pub fn render_in_memory(request: &RenderRequest<'_>) -> Result<Rendering, OperationError> {
    let CheckedRoot { directory, shown, files, family, found } =
        compose_root::read(request.base, request.root, request.allows_outside)?;
    let root = path_to_str(&directory)?;
    let report = Report { root: shown, files, diagnostics: found, ..Report::default() };
    if report.summary().errors > 0 {
        return Ok(Rendering { report, artifacts: Vec::new() });
    }
    let from_environment = command_of_environment(request)?;
    let mcp_command = mcp_command(request, from_environment.as_deref());
    let artifacts = artifacts(&family, &Setting { root, mcp_command })?;
    Ok(Rendering { report, artifacts })
}

/// Returns the command from the environment, if the request has none.
fn command_of_environment(request: &RenderRequest<'_>) -> Result<Option<String>, OperationError> {
    match request.mcp_command {
        Some(_) => Ok(None),
        None => Ok(variable(MCP_VARIABLE)?),
    }
}

/// Returns the command of the MCP server for the team tools.
fn mcp_command<'r>(request: &RenderRequest<'r>, from_environment: Option<&'r str>) -> &'r str {
    let named = request.mcp_command.or(from_environment.filter(|command| !command.is_empty()));
    named.unwrap_or(MCP_COMMAND)
}

impl RenderOutcome {
    /// Renders the members of the team, adds the findings, and returns the parts of files.
    fn add_team(
        &mut self,
        workspace: &Root,
        targets: &[TeamTarget],
        settings: &TeamSettings,
        record: &ClientRecord,
    ) -> Result<Vec<FilePart>, OperationError> {
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        let made = render_team::render(workspace, targets, settings, render_team::recorded_parts(record))?;
        self.report.files.push(made.file);
        self.report.diagnostics.extend(made.found);
        Ok(made.parts)
    }

    /// Adds the files of a plan. The diffs of files in `withheld` are not shown.
    fn add(
        &mut self,
        plan: &Plan,
        details: &BTreeMap<WorkspacePath, Detail>,
        withheld: &BTreeSet<WorkspacePath>,
    ) {
        self.would_change |= plan.would_change();
        self.files.extend(plan.items().iter().map(|item| {
            let mut file = describe_file(item, details.get(&item.path));
            if withheld.contains(&item.path) && item.state != State::Unchanged {
                file.diff = withheld_diff(&file.path);
            }
            file
        }));
    }

    /// Writes the changes, if requested and not refused.
    fn finish(
        &mut self,
        disk: &Root,
        request: &RenderRequest<'_>,
        changes: impl FnOnce() -> Result<ChangeSet, PlanRefusal>,
    ) -> Result<(), OperationError> {
        if request.write {
            match changes() {
                Ok(changes) => disk.apply(&changes)?,
                Err(refused) => self.refused = Some(refused),
            }
        }
        Ok(())
    }
}

/// Returns a path as a string, if it has no control characters.
pub(crate) fn path_to_str(directory: &Path) -> Result<&str, OperationError> {
    let reason = match directory.to_str() {
        Some(path) if !path.contains(char::is_control) => return Ok(path),
        Some(_) => "it contains a control character, which could add lines to rendered files",
        None => "it is not valid UTF-8",
    };
    Err(OperationError::UnusableRoot { reason })
}

fn describe_file(item: &Item, detail: Option<&Detail>) -> RenderedFile {
    let path = item.path.to_string();
    if item.state == State::Unchanged && item.is_too_open {
        // A mode change, as git shows it.
        let diff = format!("diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100600\n");
        return RenderedFile { path, state: State::Changed, diff, drifted_servers: Vec::new() };
    }
    if item.state == State::Unchanged {
        return RenderedFile { path, state: item.state, diff: String::new(), drifted_servers: Vec::new() };
    }
    let (before, after) = match detail {
        Some(detail) => {
            (detail.before.as_deref().map(Cow::Borrowed), detail.after.as_deref().map(Cow::Borrowed))
        }
        None => (
            item.before.as_ref().map(|bytes| String::from_utf8_lossy(bytes)),
            item.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes)),
        ),
    };
    let diff = match &after {
        Some(after) => unified_diff(&path, before.as_deref(), after),
        // It is not removed.
        None if item.obstacle.is_some() => String::new(),
        None => removal_diff(&path, &before.unwrap_or_default()),
    };
    let drifted_servers = detail.map(|detail| detail.drifted.clone()).unwrap_or_default();
    RenderedFile { path, state: item.state, diff, drifted_servers }
}

//! Rendered files in memory.

use minds_compose::ComposeFamily;
use minds_core::{MCP_FILE, TeamFamily};
use minds_diagnostics::{Problems, Report};
use minds_render::clients::{self, Client, ClientRecord, ServerEntry};
use minds_render::services::{self, Command, CommandError, Placeholder};
use minds_render::{Artifact, RenderError, Setting, Target, artifacts, restrict, team_servers};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use crate::Files;
use crate::check::report;

/// Values that are in rendered files and not in the files of the workspace.
#[derive(Clone, Copy, Debug)]
pub struct RenderOptions<'o> {
    /// The compose root on the machine that runs the agents: an absolute path without symbolic links. Not used if the
    /// files contain no compose root.
    pub root: &'o str,
    /// The command of the MCP server for the team tools; `team-mcp` by default.
    pub mcp_command: &'o str,
    /// The command that runs an agent, the program first, for services; it may have
    /// [placeholders](minds_render::services::Placeholder). If it is empty, the script of `teamctl` runs the agents.
    pub command: &'o [&'o str],
}

/// Rendered files in memory.
#[derive(Clone, Debug)]
#[must_use]
pub struct Rendering {
    /// The findings. If there are errors, nothing is rendered.
    pub report: Report,
    /// The files, sorted by path, without the manifests that `minds render` writes.
    pub artifacts: Vec<Artifact>,
}

/// Why nothing could be rendered. Problems in the files are findings and never errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderFailure {
    /// A target is about agents, and there are none.
    #[error("`{target}` needs a compose root: the files contain no `team-compose.yaml`")]
    NoComposeRoot {
        /// The target.
        target: Target,
    },
    /// The path of the compose root cannot be written into files.
    #[error("`{}` cannot be the path of a compose root: {reason}", .root.escape_debug())]
    UnusableRoot {
        /// The path.
        root: String,
        /// The reason.
        reason: &'static str,
    },
    /// A target needs a command, and none is given.
    #[error("{}", .target.command_reason().unwrap_or("a target needs a command"))]
    NoCommand {
        /// The target.
        target: Target,
    },
    /// The command that runs an agent is invalid.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The existing file of a client cannot be changed.
    #[error("`{path}` cannot be changed: {reason}")]
    Obstacle {
        /// The path.
        path: WorkspacePath,
        /// The reason.
        reason: String,
    },
    /// The files could not be rendered completely.
    #[error(transparent)]
    Render(#[from] RenderError),
}

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        Self { root: "", mcp_command: "team-mcp", command: &[] }
    }
}

/// Renders files for `targets` in memory: launch files and services for the agents of a compose root, and the files of
/// MCP clients.
///
/// The compose root is the top directory of `files` or its directory `.team`. Paths of launch files and services are
/// relative to it; those of client files are relative to the workspace. A client file contains the servers of
/// `.minds/mcp.yaml` and one for each agent; if `files` has the client's file, the servers are merged into it.
///
/// All files are checked first, and nothing is rendered if there are errors. All artifacts together have at most
/// [`RenderError::MAX_BYTES`] bytes for each kind of target.
///
/// # Errors
///
/// Fails if there is no compose root for a target that needs one, or its path, the command or the existing file of a
/// client cannot be used.
pub fn render(
    files: &Files,
    targets: &[Target],
    options: &RenderOptions<'_>,
) -> Result<Rendering, RenderFailure> {
    let of_agents = targets.iter().find(|target| !matches!(target, Target::Mcp(_)));
    let compose = ComposeFamily::load(files.snapshot()).value;
    let compose = compose.compose.is_some().then_some(compose);
    if let (Some(target), None) = (of_agents, &compose) {
        return Err(RenderFailure::NoComposeRoot { target: *target });
    }
    let command = command(targets, options)?;
    if compose.is_some() {
        expect_usable_root(options.root)?;
    }
    let checked = minds_workspace::check(&without_client_files(files.snapshot()));
    let team = checked.family.clone();
    let mut rendering = Rendering { report: report(checked), artifacts: Vec::new() };
    if rendering.report.summary().errors > 0 {
        return Ok(rendering);
    }
    let setting = Setting { root: options.root, mcp_command: options.mcp_command };
    let mut problems = Problems::new();
    if let (Some(compose), Some(_)) = (&compose, of_agents) {
        rendering.artifacts = render_agents(compose, targets, &setting, command.as_ref(), &mut problems)?;
    }
    let clients: Vec<Client> =
        Client::ALL.into_iter().filter(|client| targets.contains(&Target::Mcp(*client))).collect();
    if !clients.is_empty() {
        let mut servers = servers(&team)?;
        if let Some(compose) = &compose {
            servers.extend(team_servers(compose, &setting)?);
        }
        rendering.artifacts.extend(render_clients(files, &clients, &servers, &mut problems)?);
    }
    rendering.report.diagnostics.extend(minds_workspace::redact_problems(problems));
    if rendering.report.summary().errors > 0 {
        rendering.artifacts.clear();
    }
    rendering.artifacts.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(rendering)
}

/// Parses the command that runs an agent, if one is given.
fn command(targets: &[Target], options: &RenderOptions<'_>) -> Result<Option<Command>, RenderFailure> {
    if options.command.is_empty() {
        let target = targets.iter().copied().find(|target| target.command_reason().is_some());
        return target.map_or(Ok(None), |target| Err(RenderFailure::NoCommand { target }));
    }
    let command = Command::parse(options.command)?;
    if command.uses(Placeholder::RedisUrl) {
        let (name, agents) = (Placeholder::RedisUrl.name(), "the agents of a compose root");
        return Err(CommandError::NotOfThese { name, agents }.into());
    }
    Ok(Some(command))
}

/// Refuses a path that would change the meaning of the files that contain it.
fn expect_usable_root(root: &str) -> Result<(), RenderFailure> {
    let unusable = |reason| RenderFailure::UnusableRoot { root: root.to_owned(), reason };
    let has_drive = root.get(1..3).is_some_and(|rest| matches!(rest, ":/" | ":\\"));
    if root.contains(char::is_control) {
        return Err(unusable("it contains a control character, which could add lines to rendered files"));
    }
    if root.starts_with('/') || root.starts_with("\\\\") || has_drive {
        return Ok(());
    }
    Err(unusable("it is not an absolute path"))
}

fn render_agents(
    compose: &ComposeFamily,
    targets: &[Target],
    setting: &Setting<'_>,
    command: Option<&Command>,
    problems: &mut Problems,
) -> Result<Vec<Artifact>, RenderError> {
    let launch_files = artifacts(compose, setting)?;
    // Without a file system, links are not known, so paths are resolved lexically.
    let services = services::of_compose(compose, &launch_files, setting.root, command, &|_| None)?;
    let mut all = Vec::new();
    for target in Target::SERVICES.iter().filter(|target| targets.contains(target)) {
        let name = services::container_name(setting.root);
        all.extend(services::render(&services, *target, &name, problems)?);
    }
    if targets.contains(&Target::Artifacts) {
        all.extend(launch_files);
    }
    restrict(&mut all, &compose.sources);
    Ok(all)
}

/// Returns the servers of the team, in the order of the file.
fn servers(team: &TeamFamily) -> Result<Vec<ServerEntry>, RenderError> {
    let unreadable = || RenderError::Unreadable { what: MCP_FILE.to_owned() };
    match team.readable_mcp() {
        Some((mcp, document)) => ServerEntry::all(mcp, document).map_err(|_| unreadable()),
        None if team.mcp.is_none() => Ok(Vec::new()),
        None => Err(unreadable()),
    }
}

fn render_clients(
    files: &Files,
    clients: &[Client],
    servers: &[ServerEntry],
    problems: &mut Problems,
) -> Result<Vec<Artifact>, RenderFailure> {
    let found = files.snapshot();
    let record = ClientRecord::of(found);
    let mut plan = clients::plan(&record, clients, servers, found);
    plan.add_manifest(&record, found);
    problems.append(plan.problems);
    let mut all = Vec::new();
    for item in plan.plan.items() {
        let client = clients.iter().find(|client| client.file() == item.path.as_str());
        // The other item is the manifest.
        let Some(client) = client else { continue };
        if let Some(reason) = &item.obstacle {
            return Err(RenderFailure::Obstacle { path: item.path.clone(), reason: reason.clone() });
        }
        let location = Location::new(MountId::WORKSPACE, item.path.clone());
        let mode = match found.get(&location) {
            Some(SnapshotEntry::File { mode, .. }) => *mode,
            _ => FileMode::Private,
        };
        let inputs = vec![MCP_FILE.to_owned()];
        let (path, target) = (item.path.clone(), Target::Mcp(*client));
        all.extend(item.after.clone().map(|bytes| Artifact { path, bytes, mode, target, inputs }));
    }
    Ok(all)
}

/// Leaves the files of clients out: they are what is rendered, or do not matter here.
fn without_client_files(files: &Snapshot) -> Snapshot {
    #[cfg(feature = "clients")]
    {
        let paths: Vec<&WorkspacePath> = files.iter().map(|(location, _)| &location.path).collect();
        let left_out: std::collections::BTreeSet<&WorkspacePath> =
            minds_clients::select(paths).into_iter().map(|(path, ..)| path).collect();
        let mut kept = Snapshot::new();
        for (location, entry) in files.iter().filter(|(location, _)| !left_out.contains(&location.path)) {
            kept.insert(location.clone(), entry.clone());
        }
        kept
    }
    #[cfg(not(feature = "clients"))]
    files.clone()
}

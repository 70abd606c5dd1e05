//! Rendering a compose root, or a fleet.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minds_diagnostics::{Report, SourceFile};
use minds_document::ChangeSet;
use minds_paths::{MountId, WorkspacePath};
use minds_render::clients::{Client, ClientPlan, Detail};
use minds_render::{Artifact, Item, Plan, Record, Refused, Setting, State, Target, artifacts, team_servers};
use minds_system::{ApplyError, Root, variable};

use crate::compose_root::CheckedRoot;
use crate::diff::{removal_diff, unified_diff};
use crate::render_clients::{self, TeamServers};
use crate::rendering_place::RenderingPlace;
use crate::{Located, OperationError, compose_root, services};

/// The variable that names the command which serves the tools of the team, and the command where nobody does.
const MCP_VARIABLE: &str = "TEAMCTL_TEAM_MCP";
const MCP_COMMAND: &str = "team-mcp";

/// How often everything is looked at anew because files changed between looking and writing.
const MAX_ATTEMPTS: usize = 4;

/// What is to be rendered, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderRequest<'r> {
    /// The compose root, the `.ateam` directory of a fleet, or for clients alone the workspace; found as for every command
    /// if none is named.
    pub root: Option<&'r Path>,
    /// What is rendered; the artifacts of the agents if nothing is named.
    pub targets: &'r [Target],
    /// The command that runs an agent, the program first, for targets that keep agents running; that of `teamctl` for a
    /// compose root if none is named.
    pub command: &'r [String],
    /// The command that serves the tools of the team; that of the environment, else `team-mcp`, if none is named.
    pub mcp_command: Option<&'r str>,
    /// Whether to write; else it is only said what would be written.
    pub write: bool,
    /// Whether to overwrite files that were not rendered here, or changed since.
    pub force: bool,
    /// Whether the files of a compose root may name files outside the repository.
    pub allows_outside: bool,
}

/// What rendering did, or would do.
#[derive(Clone, Debug, Default)]
pub struct RenderOutcome {
    /// What was found in the files. With an error among it nothing is rendered.
    pub report: Report,
    /// The files, sorted by path, the manifest last, and then those of clients in the same way; none if nothing is
    /// rendered.
    pub files: Vec<RenderedFile>,
    /// Whether writing changes anything.
    pub would_change: bool,
    /// Why nothing was written although it was to be.
    pub refused: Option<Refused>,
}

/// What is rendered, as values.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// What was found in the files. With an error among it nothing is rendered.
    pub report: Report,
    /// The files, sorted by path, without the manifest.
    pub artifacts: Vec<Artifact>,
}

/// A file that is rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// Where it stands, from the compose root; that of a client from the workspace.
    pub path: String,
    /// What it is to what is there.
    pub state: State,
    /// How it changes, as a unified diff; empty if it does not. Secrets are shown as `*`.
    pub diff: String,
    /// The servers in the file of a client that others wrote, or changed since: for their sake it has drifted.
    pub drifted_servers: Vec<String>,
}

/// Renders a compose root, or a fleet where there is none, and servers for MCP clients; with `write` writes what changes: all
/// of it or nothing, and nothing if the files have an error. A run that was interrupted is finished or taken back first.
///
/// For clients alone neither is needed. Their files lie in the workspace, and hold the servers of its `.minds/mcp.yaml` and
/// those of the agents of the compose root.
///
/// # Errors
///
/// Fails if there is nothing to render, the command that runs agents cannot be used, the path cannot be written into files,
/// or files changed meanwhile or cannot be written; then nothing is.
pub fn render(base: &Path, request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    // Whoever renders at the same time mostly writes the same: then nothing is left to be written.
    until_undisturbed(|| render_once(base, request))
}

/// Does what others may disturb who render or clean at the same time: where they did, nothing was changed, and everything is
/// looked at anew.
pub(crate) fn until_undisturbed<T>(
    attempt: impl Fn() -> Result<T, OperationError>,
) -> Result<T, OperationError> {
    for _ in 1..MAX_ATTEMPTS {
        match attempt() {
            Err(OperationError::Apply(ApplyError::Unexpected { .. })) => {}
            // A directory went that the others had emptied.
            Err(OperationError::Apply(ApplyError::Io { source, .. }))
                if source.kind() == std::io::ErrorKind::NotFound => {}
            done => return done,
        }
    }
    attempt()
}

/// Files for agents, made in memory, and for which targets.
pub(crate) struct Made {
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) targets: Vec<Target>,
}

fn render_once(base: &Path, request: &RenderRequest<'_>) -> Result<RenderOutcome, OperationError> {
    let (clients, named) = parted(request.targets);
    let wants_agents = clients.is_empty() || !named.is_empty();
    if !wants_agents {
        // Nothing is left that could run it.
        services::command(request.command, &[])?;
    }
    let place = RenderingPlace::meant(base, request.root, wants_agents)?;
    // Also where the files have errors by now: nothing is left half-way.
    place.settle()?;
    let mut outcome = RenderOutcome::default();
    outcome.report.root.clone_from(match &place.folder {
        Some((_, shown)) if clients.is_empty() => shown,
        _ => &place.shown,
    });
    let allows_outside = request.allows_outside;
    let compose = place.compose.clone().map(|located| Located { allows_outside, ..located });
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
    let team = (!clients.is_empty()).then(|| TeamServers::read(&workspace));
    if let Some(team) = &team {
        outcome.report.files.extend(team.file.clone());
        outcome.report.diagnostics.extend(team.found.iter().cloned());
    }
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    let from_environment = command_of_environment(request)?;
    let mcp_command = mcp_command(request, from_environment.as_deref());
    let mut servers = team.map(|team| team.servers()).transpose()?.unwrap_or_default();
    if let Some(compose) = &compose {
        let setting = Setting { root: usable(&compose.directory)?, mcp_command };
        if !clients.is_empty() {
            servers.extend(team_servers(&compose.family, &setting)?);
        }
        if wants_agents {
            let targets = services::targets_of(&compose.family, &named);
            let artifacts = artifacts(&compose.family, &setting)?;
            let (artifacts, found) =
                services::with_services(artifacts, &compose.family, setting.root, &targets, request.command)?;
            outcome.report.diagnostics.extend(found);
            made = Some(Made { artifacts, targets });
        }
    }
    // Its trees are large, and what is read next can have their room.
    drop(compose);
    let clients = (!clients.is_empty()).then(|| render_clients::compare(&workspace, &clients, &servers));
    let clients = clients.map(|ClientPlan { plan, problems, details }| {
        outcome.report.diagnostics.extend(minds_workspace::redact_problems(problems));
        (plan, details)
    });
    if outcome.report.summary().errors > 0 {
        return Ok(outcome);
    }
    let folder =
        place.folder.as_ref().map(|(folder, _)| Root::open(folder, MountId::WORKSPACE)).transpose()?;
    let mut unseen = origins.unseen(made.iter().flat_map(|made| &made.artifacts));
    let agents = made.zip(folder).map(|(Made { artifacts, targets }, folder)| {
        let folder = folder.without_links();
        let record = Record::of(&folder.snapshot(&Record::scope()));
        unseen.extend(origins.unseen_before(&record));
        let there = folder.snapshot(&Plan::scope(&artifacts, &record));
        (Plan::new(artifacts, &targets, &record, &there), folder)
    });
    if let Some((plan, _)) = &agents {
        outcome.add(plan, &BTreeMap::new(), &unseen);
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
                    Some((plan, _)) => place.together(changes, &plan.changes(request.force)?),
                    None => Ok(changes),
                }
            })?;
        }
        (None, None) => {}
    }
    Ok(outcome)
}

/// Renders a compose root in memory: what is on disk in the places of the files is not looked at.
///
/// # Errors
///
/// Fails if there is no compose root, or its path cannot be written into files.
pub fn render_in_memory(base: &Path, request: &RenderRequest<'_>) -> Result<Rendering, OperationError> {
    let CheckedRoot { directory, shown, files, family, found } =
        compose_root::read(base, request.root, request.allows_outside)?;
    let root = usable(&directory)?;
    let report = Report { root: shown, files, diagnostics: found, ..Report::default() };
    if report.summary().errors > 0 {
        return Ok(Rendering { report, artifacts: Vec::new() });
    }
    let from_environment = command_of_environment(request)?;
    let mcp_command = mcp_command(request, from_environment.as_deref());
    let artifacts = artifacts(&family, &Setting { root, mcp_command })?;
    Ok(Rendering { report, artifacts })
}

/// Returns the command that the environment names, where no argument does.
fn command_of_environment(request: &RenderRequest<'_>) -> Result<Option<String>, OperationError> {
    match request.mcp_command {
        Some(_) => Ok(None),
        None => Ok(variable(MCP_VARIABLE)?),
    }
}

/// Returns the command that serves the tools of the team.
fn mcp_command<'r>(request: &RenderRequest<'r>, from_environment: Option<&'r str>) -> &'r str {
    let named = request.mcp_command.or(from_environment.filter(|command| !command.is_empty()));
    named.unwrap_or(MCP_COMMAND)
}

impl RenderOutcome {
    /// Adds the files of a plan; of some there are details, and of some the text is not shown.
    fn add(
        &mut self,
        plan: &Plan,
        details: &BTreeMap<WorkspacePath, Detail>,
        unseen: &BTreeSet<WorkspacePath>,
    ) {
        self.would_change |= plan.would_change();
        self.files.extend(plan.items().iter().map(|item| {
            let mut file = shown_file(item, details.get(&item.path));
            if unseen.contains(&item.path) && item.state != State::Unchanged {
                file.diff = unseen_diff(&file.path);
            }
            file
        }));
    }

    /// Writes what changes, if that is asked for and nothing refuses it.
    fn finish(
        &mut self,
        disk: &Root,
        request: &RenderRequest<'_>,
        changes: impl FnOnce() -> Result<ChangeSet, Refused>,
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

/// Parts targets into clients and what is rendered for agents.
fn parted(targets: &[Target]) -> (Vec<Client>, Vec<Target>) {
    let mut clients = Vec::new();
    let mut others = Vec::new();
    for target in targets {
        match target {
            Target::Mcp(client) => clients.push(*client),
            other => others.push(*other),
        }
    }
    (clients, others)
}

/// Returns a path as a text that stays in its line.
pub(crate) fn usable(directory: &Path) -> Result<&str, OperationError> {
    let reason = match directory.to_str() {
        Some(path) if !path.contains(char::is_control) => return Ok(path),
        Some(_) => "it has a control character, which could add lines to what is rendered",
        None => "it is not UTF-8",
    };
    Err(OperationError::UnusableRoot { reason })
}

/// The files of a compose root, by name: those of which nothing is shown, and the others.
struct Origins {
    withheld: BTreeSet<String>,
    visible: BTreeSet<String>,
}

impl Origins {
    fn of(compose: Option<&CheckedRoot>) -> Self {
        let texts = compose.into_iter().flat_map(|compose| &compose.family.sources);
        let (withheld, visible): (Vec<&SourceFile>, Vec<&SourceFile>) =
            texts.partition(|text| text.is_withheld());
        let names = |texts: Vec<&SourceFile>| texts.into_iter().map(|text| text.name().to_owned()).collect();
        Self { withheld: names(withheld), visible: names(visible) }
    }

    /// Returns the places of the artifacts that are made of files of which nothing is shown.
    fn unseen<'a>(&self, artifacts: impl Iterator<Item = &'a Artifact>) -> BTreeSet<WorkspacePath> {
        let is_unseen =
            |artifact: &&Artifact| artifact.inputs.iter().any(|input| self.withheld.contains(input));
        artifacts.filter(is_unseen).map(|artifact| artifact.path.clone()).collect()
    }

    /// Returns the places of what was rendered before of such files. Those may not be named any more: then only their names
    /// are known.
    fn unseen_before(&self, record: &Record) -> BTreeSet<WorkspacePath> {
        let was_outside = |input: &String| {
            !self.visible.contains(input) && (input.starts_with('/') || input.starts_with("../"))
        };
        let before = record.manifest().into_iter().flat_map(|manifest| &manifest.artifacts);
        let before = before.filter(|rendered| rendered.inputs.iter().any(was_outside));
        before.map(|rendered| rendered.path.clone()).collect()
    }
}

/// Returns the text that replaces a diff which would quote a file outside the workspace.
fn unseen_diff(path: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nThe text is not shown, because some of it may come from outside the workspace\n"
    )
}

fn shown_file(item: &Item, detail: Option<&Detail>) -> RenderedFile {
    let path = item.path.to_string();
    if item.state == State::Unchanged && item.is_too_open {
        // As git shows it: the text stays.
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
        // It stays, whatever it is.
        None if item.obstacle.is_some() => String::new(),
        None => removal_diff(&path, &before.unwrap_or_default()),
    };
    let drifted_servers = detail.map(|detail| detail.drifted.clone()).unwrap_or_default();
    RenderedFile { path, state: item.state, diff, drifted_servers }
}

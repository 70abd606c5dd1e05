//! The agents of the compose root of a workspace, which join its fleet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minds_compose::{AgentFields, AgentId, AgentRef, COMPOSE_FILE, Prompt, ROOTS, RolePrompt};
use minds_diagnostics::{Severity, Span};
use minds_document::Document;
use minds_fleet::model::{EnginePermission, SHORT_ENGINES, is_name};
use minds_fleet::tools::BUILTIN;
use minds_fs::{find_upwards, is_writable, real_directory, state_folder};
use minds_render::services::{Command, Service, of_compose};
use minds_render::{Artifact, Setting, artifacts};
use minds_vfs::MountId;

use super::agent::{FleetAgent, FleetFile, FleetPrompt, FleetTool};
use super::engine::{FleetEngine, FleetEnvValue, FleetProgram};
use super::model::FleetModel;
use super::rights::FleetRights;
use super::{FleetProblem, unusable};
use crate::OperationError;
use crate::compose_root::{self, CheckedRoot};
use crate::render::path_to_str;

/// The folder of the states of agents in a compose root.
const STATE: &str = "state/fleet";
/// The command of services and of the MCP server, which agents of a fleet do not use.
const UNUSED_COMMAND: &str = "minds-fleet";
/// Why agents of a compose root have none of the built-in tools.
const NO_TOOLS: &str = "an agent of a compose root has the tools of its runtime";
/// The maximum length of the name of a project or an agent.
const MAX_NAME: usize = 64;
/// The runtime whose permission modes have a known meaning.
const RUNTIME_WITH_MODES: &str = "claude-code";

/// The agents of a compose root.
#[derive(Default)]
pub(super) struct ComposeAgents {
    pub(super) agents: Vec<FleetAgent>,
    /// Why there are agents that are not listed.
    pub(super) unlisted: Vec<FleetProblem>,
}

/// What an agent is started with, as rendered.
#[derive(Default)]
struct Rendered {
    cwd: PathBuf,
    env: Vec<(String, FleetEnvValue)>,
    prompt: FleetPrompt,
}

/// Reads the compose root of a workspace, if it has one. Its errors are about its own agents only.
pub(super) fn read(workspace: &Path) -> ComposeAgents {
    match read_root(workspace) {
        Ok(None) => ComposeAgents::default(),
        Ok(Some(checked)) => list(workspace, &checked),
        Err(error) => {
            ComposeAgents { agents: Vec::new(), unlisted: vec![problem_of_root(error.to_string())] }
        }
    }
}

/// Reads and checks the compose root, if there is one. The variable `TEAMCTL_ROOT` has no effect: a fleet belongs to its
/// workspace.
fn read_root(workspace: &Path) -> Result<Option<CheckedRoot>, OperationError> {
    let [inside, _] = ROOTS;
    let marker = format!("{inside}/{COMPOSE_FILE}");
    let found = find_upwards(workspace, Path::new("."), &[&marker])?;
    if found.root.as_ref() != Some(&found.start) {
        return Ok(None);
    }
    let located = compose_root::locate(workspace, Some(Path::new(inside)))?;
    compose_root::read_located(located).map(Some)
}

fn list(workspace: &Path, checked: &CheckedRoot) -> ComposeAgents {
    let errors = checked.found.iter().filter(|found| found.severity == Severity::Error);
    let mut problems: Vec<FleetProblem> = errors
        .map(|found| {
            let found = FleetProblem::from(found.clone());
            FleetProblem { file: found.file.map(|file| name_in_workspace(&file)), ..found }
        })
        .collect();
    let rendered = if problems.is_empty() {
        render(checked).unwrap_or_else(|error| {
            problems.push(problem_of_root(error.to_string()));
            BTreeMap::new()
        })
    } else {
        BTreeMap::new()
    };
    let mut listed = ComposeAgents::default();
    let shared = first_of(&problems);
    for agent in checked.family.agents() {
        let Some(id) = agent.id() else { continue };
        if ![&id.project, &id.agent].into_iter().all(|part| is_name(part) && part.len() <= MAX_NAME) {
            let text = format!(
                "`{}` cannot be an agent of a fleet, because its project and its id must have 1 to 64 characters of `A-Za-z0-9_-`; rename them",
                id.to_string().escape_debug()
            );
            listed.unlisted.push(problem_at(agent.document, agent.agent.id.span, text));
            continue;
        }
        match describe(workspace, checked, agent, &id, rendered.get(&id), shared.as_ref()) {
            Ok(agent) => listed.agents.push(agent),
            Err(error) => listed.unlisted.push(problem_of_root(error.to_string())),
        }
    }
    if listed.agents.is_empty() {
        listed.unlisted.extend(problems);
    }
    listed
}

/// Returns the first of several problems, with the number of further ones.
fn first_of(problems: &[FleetProblem]) -> Option<FleetProblem> {
    let first = problems.first()?;
    let more = match problems.len() - 1 {
        0 => String::new(),
        further => format!("; and {further} more"),
    };
    let message = format!("{}{more}; `minds check` explains it", first.message);
    Some(FleetProblem { message, ..first.clone() })
}

fn problem_of_root(message: String) -> FleetProblem {
    FleetProblem { file: Some(name_in_workspace(COMPOSE_FILE)), line: None, message }
}

fn problem_at(document: &Document, span: Span, message: String) -> FleetProblem {
    FleetProblem {
        file: Some(name_in_workspace(document.source().name())),
        line: Some(line_of(document, span)),
        message,
    }
}

fn line_of(document: &Document, span: Span) -> usize {
    usize::try_from(document.source().range(span).start.line).unwrap_or(usize::MAX)
}

/// Returns the name of a file, which is relative to the compose root or absolute, relative to the workspace.
fn name_in_workspace(name: &str) -> String {
    let [inside, _] = ROOTS;
    match name.strip_prefix("../") {
        _ if name.starts_with('/') => name.to_owned(),
        Some(rest) => rest.to_owned(),
        None => format!("{inside}/{name}"),
    }
}

/// Returns what the agents are started with, in the same way as services are rendered with a command.
fn render(checked: &CheckedRoot) -> Result<BTreeMap<AgentId, Rendered>, OperationError> {
    let root = path_to_str(&checked.directory)?;
    let made = artifacts(&checked.family, &Setting { root, mcp_command: UNUSED_COMMAND })?;
    let command = Command::parse(&[UNUSED_COMMAND]).map_err(|error| unusable(error.to_string()))?;
    let real = |path: &str| real_directory(Path::new(path)).ok()?.to_str().map(str::to_owned);
    let services = of_compose(&checked.family, &made, root, Some(&command), &real)?;
    // Services are in the order of the agents.
    let pairs = checked.family.agents().into_iter().zip(services);
    let rendered = pairs.filter_map(|(agent, service)| {
        let id = agent.id()?;
        let prompt = prompt(checked, &made, agent.fields()?, &id);
        let cwd = PathBuf::from(&service.directory.text);
        Some((id, Rendered { cwd, env: environment(service), prompt }))
    });
    Ok(rendered.collect())
}

fn environment(service: Service) -> Vec<(String, FleetEnvValue)> {
    let mut variables: Vec<(String, String)> = service
        .environment_file
        .into_iter()
        .flat_map(|file| file.variables)
        .map(|(name, value)| (name, value.text))
        .collect();
    for (name, value) in service.environment {
        variables.retain(|(known, _)| known != name);
        variables.push((name.to_owned(), value.text));
    }
    variables.into_iter().map(|(name, value)| (name, FleetEnvValue::of_text(value))).collect()
}

/// Returns the role prompt.
fn prompt(checked: &CheckedRoot, made: &[Artifact], fields: &AgentFields, id: &AgentId) -> FleetPrompt {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (path, text) = match fields.role_prompt.as_given().map(|prompt| &prompt.value) {
        None => return FleetPrompt::default(),
        Some(RolePrompt::File(path)) => {
            let text = match checked.family.prompts.get(&path.value) {
                Some(Prompt::Text(source)) => Some(lossy(source.bytes())),
                _ => None,
            };
            (path.value.clone(), text)
        }
        Some(RolePrompt::Files(_)) => {
            let path = format!("state/role_prompts/{}.md", id.stem());
            let file = made.iter().find(|artifact| artifact.path.as_str() == path);
            let text = file.map(|artifact| lossy(&artifact.bytes));
            (path, text)
        }
    };
    let base = FleetFile { path: checked.directory.join(path), text };
    FleetPrompt { base: Some(base), overlay: None }
}

fn describe(
    workspace: &Path,
    checked: &CheckedRoot,
    agent: AgentRef<'_>,
    id: &AgentId,
    rendered: Option<&Rendered>,
    shared: Option<&FleetProblem>,
) -> Result<FleetAgent, OperationError> {
    let fields = agent.fields();
    let runtime = fields.map_or(AgentFields::DEFAULT_RUNTIME, AgentFields::runtime);
    let program = SHORT_ENGINES.into_iter().find(|name| *name == runtime);
    let model = fields.and_then(|fields| fields.model.as_given()).map(|model| &*model.value);
    let state = state(workspace, &checked.directory, id)?;
    let (cwd, env, prompt) = match rendered {
        Some(rendered) => (rendered.cwd.clone(), rendered.env.clone(), rendered.prompt.clone()),
        None => (workspace.to_owned(), Vec::new(), FleetPrompt::default()),
    };
    let place = fields.and_then(|fields| fields.runtime.as_given());
    let unknown_runtime = || {
        let span = place.map_or(agent.agent.id.span, |runtime| runtime.span);
        let text = format!(
            "no program that speaks the Agent Client Protocol is known for the runtime `{}`; use one of {}, or define the agent in `.ateam/agents` with `engine: {{kind: acp, command: PROGRAM}}`",
            runtime.escape_debug(),
            SHORT_ENGINES.map(|name| format!("`{name}`")).join(", ")
        );
        problem_at(agent.document, span, text)
    };
    let problem = shared.cloned().or_else(|| program.is_none().then(unknown_runtime));
    let file = name_in_workspace(agent.document.source().name());
    Ok(FleetAgent {
        id: format!("{}/{}", id.project, id.agent),
        name: id.agent.clone(),
        is_of_compose_root: true,
        defined_in: format!("{file}:{}", line_of(agent.document, agent.agent.id.span)),
        problem,
        layer: MountId::WORKSPACE,
        folder: state.clone(),
        state,
        cwd,
        // The name of a model is in every answer, so one with the form of a secret is in the environment only.
        model: model
            .filter(|model| !model.trim().is_empty() && !FleetEnvValue::is_secret(model))
            .map(FleetModel::without_provider),
        prompt,
        given_tools: Vec::new(),
        tools: BUILTIN.iter().map(|tool| FleetTool::not_given(tool, NO_TOOLS)).collect(),
        engine: runtime.to_owned(),
        program: program.map(|name| FleetEngine {
            program: FleetProgram::Short(name),
            env,
            permissions: permissions(runtime, fields),
        }),
        max_steps: None,
        turn_seconds: None,
        prometheus_port: 0,
        rights: FleetRights::default(),
    })
}

/// Returns what a program may do. The files of a compose root give no tools, so it may look, and the owner decides about
/// everything else that the sandbox permits; the permission mode of the agent changes that where its meaning is known.
fn permissions(runtime: &str, fields: Option<&AgentFields>) -> BTreeMap<&'static str, EnginePermission> {
    use EnginePermission::{Allow, Ask, Deny};
    let mode = fields.and_then(|fields| fields.permission_mode.as_given()).map(|mode| &*mode.value);
    let (edit, change, switch) = match mode {
        // To leave the mode would be a decision of the program.
        Some("plan") => (Deny, Deny, Deny),
        Some("acceptEdits") if runtime == RUNTIME_WITH_MODES => (Allow, Ask, Allow),
        Some("bypassPermissions") if runtime == RUNTIME_WITH_MODES => (Allow, Allow, Allow),
        _ => (Ask, Ask, Allow),
    };
    BTreeMap::from([
        ("read", Allow),
        ("search", Allow),
        ("think", Allow),
        ("edit", edit),
        ("delete", change),
        ("move", change),
        ("execute", change),
        ("switch_mode", switch),
        ("fetch", Deny),
        ("other", Deny),
    ])
}

/// Returns the folder of the state of an agent: in the compose root if that can be written, else in the folder of the program.
fn state(workspace: &Path, root: &Path, id: &AgentId) -> Result<PathBuf, OperationError> {
    let inside = root.join(STATE).join(id.stem());
    if is_writable(&inside) {
        return Ok(inside);
    }
    Ok(state_folder(workspace)?.join("fleet").join(id.stem()))
}

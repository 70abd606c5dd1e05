//! The configuration of a program, from the files of an agent.

use std::path::{Path, PathBuf};

use minds_acp::{McpServer, Permission, Permissions, ShortEngine, ToolKind, find_short_engine};
use minds_agent_tools::policy::{Policy, find_folder};
use minds_agent_tools::{ACCEPT, SupervisorProgram, ToolSettings, check_protected};
use minds_exec::{Folders, SandboxRules};
use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::{home_directory, real_path};
use minds_operations::{FleetAgent, FleetEnvValue, FleetPlace, FleetProgram};
use minds_process::{find_program, variable};

use crate::config::{EngineConfig, Secret};

/// The name of a program without a short form.
const UNNAMED: &str = "acp";
/// The program with the tools of members, and the name of this server.
const MINDS: &str = "minds";

/// Returns the configuration of the program of an agent, with the rights that its files and the accepted policy both give; none
/// if the agent uses its model itself.
///
/// # Errors
///
/// Returns `config.invalid` if a variable that the file names is not set, the working directory was not accepted, or the program
/// could change its own rights.
pub(crate) fn engine(
    agent: &FleetAgent,
    fleet: &FleetPlace,
    tools: &ToolSettings,
    supervisor: &SupervisorProgram,
) -> Result<Option<EngineConfig>, Failure> {
    let Some(program) = &agent.program else { return Ok(None) };
    let policy = tools.effective();
    if find_folder(&policy.folders, &policy.cwd).is_none() {
        return Err(invalid(format!("the working directory `{}` was not accepted: {ACCEPT}", policy.cwd)));
    }
    let permissions = permissions(&policy);
    let mut warnings = Vec::new();
    let servers = member_server(agent, fleet, &mut warnings);
    let (mut variables, mut has_settings) = (Vec::new(), false);
    let (name, command, args, home) = match &program.program {
        FleetProgram::Command { command, args } => (UNNAMED, command.clone(), args.clone(), Vec::new()),
        FleetProgram::Short(name) => {
            let short = find_short_engine(name).ok_or_else(|| {
                invalid(format!("this version does not know the program of the engine `{name}`"))
            })?;
            let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
            let settings = short.render_permissions(&permissions, &names);
            has_settings = !settings.is_empty();
            variables.extend(settings.into_iter().map(|(name, value)| (name, Secret(value))));
            (*name, short.command.clone(), short.args.clone(), home_folders(short)?)
        }
    };
    for (name, value) in &program.env {
        let value = match value {
            FleetEnvValue::Literal(text) | FleetEnvValue::SecretLiteral(text) => text.expose().clone(),
            FleetEnvValue::Variable(source) => read_variable(source)?.ok_or_else(|| {
                invalid(format!(
                    "the variable `{source}`, which `engine.env` of `{}` names, is not set",
                    agent.name
                ))
            })?,
        };
        variables.push((name.clone(), Secret(value)));
    }
    Ok(Some(EngineConfig {
        name: name.to_owned(),
        program: command,
        args,
        inherited: policy.exec.env.iter().cloned().collect(),
        key_variables: tools.secret_variables.clone(),
        variables,
        permissions,
        has_settings,
        cwd: PathBuf::from(&policy.cwd),
        sandbox: sandbox(&policy, &home, tools)?,
        named_paths: paths(&policy.readable()).into_iter().chain(home).collect(),
        servers,
        model: agent.model.as_ref().map(|model| {
            let name = model.settings.expose().get("model").and_then(serde_json::Value::as_str);
            name.unwrap_or(&model.id).to_owned()
        }),
        supervisor: supervisor.clone(),
        warnings,
    }))
}

/// Returns what the program may do. A kind that the policy does not name is denied.
fn permissions(policy: &Policy) -> Permissions {
    let mut permissions = Permissions::default();
    let given = policy.engine.as_ref().map(|engine| &engine.permissions);
    for kind in ToolKind::ALL {
        if let Some(name) = given.and_then(|given| given.get(kind.as_str())) {
            permissions.set(kind, Permission::of_name(name));
        }
    }
    permissions
}

/// Returns the files and folders in the home directory in which a program keeps its settings and sessions, without symbolic
/// links.
fn home_folders(short: &ShortEngine) -> Result<Vec<PathBuf>, Failure> {
    let Some(home) = home_directory() else { return Ok(Vec::new()) };
    let below = |path: &String| {
        let path = home.join(path);
        real_path(&path)
            .map_err(|reason| invalid(format!("the path `{}` cannot be used: {reason}", path.display())))
    };
    short.home.iter().map(below).collect()
}

/// Returns what the program can access.
///
/// # Errors
///
/// Returns `config.invalid` if it could change its own rights, or read the keys of agents.
fn sandbox(policy: &Policy, home: &[PathBuf], tools: &ToolSettings) -> Result<SandboxRules, Failure> {
    let utf8 = home.iter().filter_map(|path| path.to_str().map(str::to_owned));
    let folders = policy.folders.iter().cloned().chain(utf8).collect();
    check_protected(&Policy { folders, ..policy.clone() }, &tools.protected)?;
    let mut rules = SandboxRules::new(&Folders {
        working_folder: Path::new(&policy.cwd),
        whitelist: &paths(&policy.folders),
        exec_read: &paths(&policy.exec.read),
        exec_write: &paths(&policy.exec.write),
    });
    rules.write.extend(home.iter().cloned());
    // Programs with a just-in-time compiler read the map of their own memory there.
    rules.reads_proc = true;
    rules.is_required = policy.exec.require_sandbox;
    Ok(rules)
}

fn paths<'p>(folders: impl IntoIterator<Item = &'p String>) -> Vec<PathBuf> {
    folders.into_iter().map(PathBuf::from).collect()
}

/// Returns the values that no output shows: those that the program receives from variables of the agent, and those of the files
/// that have the form of a secret.
pub(crate) fn engine_secrets(agent: &FleetAgent, engine: Option<&EngineConfig>) -> Vec<Secret> {
    let (Some(program), Some(engine)) = (&agent.program, engine) else { return Vec::new() };
    let names = program.env.iter().filter(|(_, value)| !matches!(value, FleetEnvValue::Literal(_)));
    let values = names.filter_map(|(name, _)| engine.variables.iter().rfind(|(given, _)| given == name));
    values.map(|(_, value)| value.clone()).filter(|value| !value.0.is_empty()).collect()
}

/// Returns the server with the tools of the member that the agent is.
fn member_server(agent: &FleetAgent, fleet: &FleetPlace, warnings: &mut Vec<String>) -> Vec<McpServer> {
    let Some(member) = &agent.rights.member else { return Vec::new() };
    let found = find_program(MINDS).and_then(|path| path.to_str().map(str::to_owned));
    let (Some(command), Some(workspace)) = (found, fleet.workspace.to_str()) else {
        warnings.push(format!(
            "the program `{MINDS}` was not found, so the engine has no tools of the member `{member}`: install it beside `minds-fleet` or on PATH"
        ));
        return Vec::new();
    };
    let args = ["mcp", "--root", workspace, "--member", member].map(str::to_owned).to_vec();
    vec![McpServer { name: MINDS.to_owned(), command, args }]
}

fn read_variable(name: &str) -> Result<Option<String>, Failure> {
    variable(name).map_err(|error| invalid(error.to_string()))
}

fn invalid(message: String) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, message)
}

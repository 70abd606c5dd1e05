//! The configuration of a program, from the files of an agent.

use std::path::PathBuf;

use minds_acp::{McpServer, Permission, Permissions, ToolKind, find_short_engine};
use minds_exec::SupervisorProgram;
use minds_fleet::model::EnginePermission;
use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::home_directory;
use minds_operations::{FleetAgent, FleetEngine, FleetEnvValue, FleetPlace, FleetProgram};
use minds_process::{find_program, variable};

use crate::config::{EngineConfig, Secret};

/// The name of a program without a short form.
const UNNAMED: &str = "acp";
/// The program with the tools of members, and the name of this server.
const MINDS: &str = "minds";

/// Returns the configuration of the program of an agent; none if the agent uses its model itself.
///
/// # Errors
///
/// Returns `config.invalid` if a variable that the file names is not set.
pub(crate) fn engine(
    agent: &FleetAgent,
    fleet: &FleetPlace,
    supervisor: &SupervisorProgram,
) -> Result<Option<EngineConfig>, Failure> {
    let Some(program) = &agent.program else { return Ok(None) };
    let permissions = permissions(agent, program);
    let mut variables = Vec::new();
    let (name, command, args, home) = match &program.program {
        FleetProgram::Command { command, args } => (UNNAMED, command.clone(), args.clone(), Vec::new()),
        FleetProgram::Short(name) => {
            let short = find_short_engine(name).ok_or_else(|| {
                invalid(format!("this version does not know the program of the engine `{name}`"))
            })?;
            let settings = short.render_permissions(&permissions);
            variables.extend(settings.map(|(name, value)| (name, Secret(value))));
            let home = home_directory();
            let below = |path: &String| Some(home.as_ref()?.join(path));
            let folders: Vec<PathBuf> = short.home.iter().filter_map(below).collect();
            (*name, short.command.clone(), short.args.clone(), folders)
        }
    };
    for (name, value) in &program.env {
        let value = match value {
            FleetEnvValue::Literal(text) => text.expose().clone(),
            FleetEnvValue::Variable(source) => read_variable(source)?.ok_or_else(|| {
                invalid(format!(
                    "the variable `{source}`, which `engine.env` of `{}` names, is not set",
                    agent.name
                ))
            })?,
        };
        variables.push((name.clone(), Secret(value)));
    }
    let mut warnings = Vec::new();
    let servers = member_server(program, fleet, &mut warnings);
    Ok(Some(EngineConfig {
        name: name.to_owned(),
        program: command,
        args,
        inherited: program.inherited.clone(),
        key_variables: fleet.models.iter().filter_map(|model| model.key_variable.clone()).collect(),
        variables,
        permissions,
        readable: program.readable.clone(),
        writable: program.writable.clone(),
        home,
        servers,
        model: agent.model.as_ref().map(|model| {
            let name = model.settings.expose().get("model").and_then(serde_json::Value::as_str);
            name.unwrap_or(&model.id).to_owned()
        }),
        supervisor: supervisor.clone(),
        warnings,
    }))
}

/// Returns the values that the program receives from variables of the agent, which no output shows.
pub(crate) fn engine_secrets(agent: &FleetAgent, engine: Option<&EngineConfig>) -> Vec<Secret> {
    let (Some(program), Some(engine)) = (&agent.program, engine) else { return Vec::new() };
    let names = program.env.iter().filter(|(_, value)| matches!(value, FleetEnvValue::Variable(_)));
    let values = names.filter_map(|(name, _)| engine.variables.iter().rfind(|(given, _)| given == name));
    values.map(|(_, value)| value.clone()).filter(|value| !value.0.is_empty()).collect()
}

/// Returns what the program may do: by the tools of the agent, and what the file sets in place of that.
fn permissions(agent: &FleetAgent, program: &FleetEngine) -> Permissions {
    let of_tool = |name: &str| {
        let is_given = agent.tools.iter().any(|tool| tool.name == name && tool.is_given);
        match &agent.confirmed_tools {
            _ if !is_given => Permission::Deny,
            Some(confirmed) if !confirmed.iter().any(|one| one == name) => Permission::Allow,
            // A list that cannot be read may name it.
            Some(_) | None => Permission::Ask,
        }
    };
    let mut permissions = Permissions::of_tools(of_tool);
    for kind in ToolKind::ALL {
        if let Some(given) = program.permissions.get(kind.as_str()) {
            permissions.set(
                kind,
                match given {
                    EnginePermission::Allow => Permission::Allow,
                    EnginePermission::Ask => Permission::Ask,
                    EnginePermission::Deny => Permission::Deny,
                },
            );
        }
    }
    permissions
}

/// Returns the server with the tools of the member that the agent is.
fn member_server(program: &FleetEngine, fleet: &FleetPlace, warnings: &mut Vec<String>) -> Vec<McpServer> {
    let Some(member) = &program.member else { return Vec::new() };
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

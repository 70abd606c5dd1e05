//! The configuration of a program, from the files of an agent.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use minds_acp::{
    EngineRights, EngineSettings, Permission, Permissions, ShortEngine, ToolKind, find_short_engine,
};
use minds_agent_tools::policy::{Policy, find_folder, is_at_or_below};
use minds_agent_tools::{ACCEPT, ToolSettings, check_protected};
use minds_exec::{Folders, Level, SandboxRules, available_level};
use minds_fleet_protocol::{ErrorCode, Failure};
use minds_fs::{home_directory, real_path};
use minds_operations::{FleetAgent, FleetEnvValue, FleetPlace, FleetProgram};
use minds_process::{find_program, variable};

use super::{MEMBER_SERVER, MemberServer};
use crate::config::{EngineConfig, OwnPrograms, Secret};

/// The name of a program without a short form.
const UNNAMED: &str = "acp";
/// What a program could do with files and commands itself, which the access lists of a member do not bound.
const OWN_KINDS: [ToolKind; 6] =
    [ToolKind::Read, ToolKind::Search, ToolKind::Edit, ToolKind::Delete, ToolKind::Move, ToolKind::Execute];

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
    programs: &OwnPrograms,
) -> Result<Option<EngineConfig>, Failure> {
    let Some(program) = &agent.program else { return Ok(None) };
    let policy = tools.effective();
    if find_folder(&policy.folders, &policy.cwd).is_none() {
        return Err(invalid(format!("the working directory `{}` was not accepted: {ACCEPT}", policy.cwd)));
    }
    let permissions = permissions(&policy);
    let mut warnings = Vec::new();
    let member = member_server(agent, &policy, fleet, &mut warnings);
    let servers: &[&str] = if member.is_some() { &[MEMBER_SERVER] } else { &[] };
    let (mut settings, mut mode) = (EngineSettings::default(), None);
    let (name, command, args, home) = match &program.program {
        FleetProgram::Command { command, args } => (UNNAMED, command.clone(), args.clone(), Vec::new()),
        FleetProgram::Short(name) => {
            let short = find_short_engine(name).ok_or_else(|| {
                invalid(format!("this version does not know the program of the engine `{name}`"))
            })?;
            let folders: Vec<&str> = policy.folders.iter().map(String::as_str).collect();
            settings = short.settings(EngineRights { permissions: &permissions, servers, folders: &folders });
            mode.clone_from(&short.mode);
            (*name, short.command.clone(), short.args.clone(), home_folders(short)?)
        }
    };
    check_member(name, &policy, settings.hold_permissions, available_level())?;
    let own = settings.variables.into_iter().map(|(name, value)| (name, Secret(value)));
    let mut variables: Vec<(String, Secret)> = own.collect();
    for (variable, value) in &program.env {
        if variables.iter().any(|(own, _)| own == variable) {
            warnings.push(format!(
                "`{variable}` of `engine.env` has no effect: the engine `{name}` gets its rights in it"
            ));
            continue;
        }
        let value = match value {
            FleetEnvValue::Literal(text) | FleetEnvValue::SecretLiteral(text) => text.expose().clone(),
            FleetEnvValue::Variable(source) => read_variable(source)?.ok_or_else(|| {
                invalid(format!(
                    "the variable `{source}`, which `engine.env` of `{}` names, is not set",
                    agent.name
                ))
            })?,
        };
        variables.push((variable.clone(), Secret(value)));
    }
    Ok(Some(EngineConfig {
        name: name.to_owned(),
        program: command,
        args,
        inherited: policy.exec.env.iter().cloned().collect(),
        key_variables: tools.secret_variables.clone(),
        variables,
        permissions,
        has_settings: settings.hold_permissions,
        cwd: PathBuf::from(&policy.cwd),
        has_files: policy.members.is_empty(),
        sandbox: sandbox(&without_workspace(&policy, fleet, &mut warnings), &home, tools, programs)?,
        named_paths: paths(&policy.readable()).into_iter().chain(home).collect(),
        member,
        model: agent.model.as_ref().map(|model| {
            let name = model.settings.expose().get("model").and_then(serde_json::Value::as_str);
            name.unwrap_or(&model.id).to_owned()
        }),
        mode,
        meta: settings.meta,
        programs: programs.clone(),
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
    if !policy.members.is_empty() {
        for kind in OWN_KINDS {
            permissions.set(kind, Permission::Deny);
        }
    }
    permissions
}

/// Fails if nothing keeps the program of a member from files that the member may not access.
fn check_member(name: &str, policy: &Policy, holds_permissions: bool, level: Level) -> Result<(), Failure> {
    if policy.members.is_empty() || holds_permissions || level != Level::None {
        return Ok(());
    }
    Err(invalid(format!(
        "the engine `{name}` accesses files without asking, and this system has no sandbox for it, so the access lists of `member` would not hold: use `opencode` or `claude-code`"
    )))
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

/// Returns the policy without the folders of the workspace if the agent is a member: what it may access there are patterns,
/// which only its tools apply, and these are outside of the sandbox.
fn without_workspace(policy: &Policy, fleet: &FleetPlace, warnings: &mut Vec<String>) -> Policy {
    let mut policy = policy.clone();
    if policy.members.is_empty() {
        return policy;
    }
    // A member has no files outside of the workspace.
    policy.folders.retain(|folder| *folder == policy.cwd);
    let workspace = fleet.workspace.to_string_lossy();
    for (key, folders) in [("read", &mut policy.exec.read), ("write", &mut policy.exec.write)] {
        folders.retain(|folder| {
            let overlaps = is_at_or_below(folder, &workspace) || is_at_or_below(&workspace, folder);
            // The working directory is given in any case.
            if overlaps && *folder != policy.cwd {
                warnings.push(format!(
                    "the engine does not get `{folder}` of `exec.{key}`: its member accesses the workspace with its tools only"
                ));
            }
            !overlaps
        });
    }
    policy
}

/// Returns what the program can access.
///
/// # Errors
///
/// Returns `config.invalid` if it could change its own rights, or read the keys of agents.
fn sandbox(
    policy: &Policy,
    home: &[PathBuf],
    tools: &ToolSettings,
    programs: &OwnPrograms,
) -> Result<SandboxRules, Failure> {
    let utf8 = home.iter().filter_map(|path| path.to_str().map(str::to_owned));
    let folders = policy.folders.iter().cloned().chain(utf8).collect();
    check_protected(&Policy { folders, ..policy.clone() }, &tools.protected)?;
    let mut rules = SandboxRules::new(&Folders {
        working_folder: Path::new(&policy.cwd),
        whitelist: &paths(&policy.folders),
        exec_read: &paths(&policy.exec.read),
        exec_write: &paths(&policy.exec.write),
    });
    if !policy.members.is_empty() {
        rules.write.retain(|path| path.as_os_str() != policy.cwd.as_str());
        rules.read.push(programs.relay.program.clone());
    }
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
fn member_server(
    agent: &FleetAgent,
    policy: &Policy,
    fleet: &FleetPlace,
    warnings: &mut Vec<String>,
) -> Option<MemberServer> {
    let member = agent.rights.member.as_ref()?;
    if policy.members.len() > 1 {
        warnings.push(format!("the engine has no tools until the member `{member}` is accepted: {ACCEPT}"));
        return None;
    }
    let Some(program) = find_program(MEMBER_SERVER) else {
        warnings.push(format!(
            "the program `{MEMBER_SERVER}` was not found, so the engine has no tools of the member `{member}`: install it beside `minds-fleet` or on PATH"
        ));
        return None;
    };
    let root = fleet.workspace.as_os_str();
    let args = ["mcp".as_ref(), "--root".as_ref(), root, "--member".as_ref(), member.as_ref()];
    let words = std::iter::once(program.into_os_string()).chain(args.map(OsStr::to_owned)).collect();
    Some(MemberServer { words, workspace: fleet.workspace.clone() })
}

fn read_variable(name: &str) -> Result<Option<String>, Failure> {
    variable(name).map_err(|error| invalid(error.to_string()))
}

fn invalid(message: String) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, message)
}

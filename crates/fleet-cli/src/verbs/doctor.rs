//! `doctor`

use std::process::ExitCode;

use minds_acp::find_short_engine;
use minds_diagnostics::JsonDocument;
use minds_fleet_agent::{ServerDefinitions, check_model, config_invalid, server_of};
use minds_fleet_protocol::Presence;
use minds_fs::{Root, is_writable, session_folder};
use minds_operations::{FleetAgent, FleetModel, FleetPlace, FleetProblem, FleetProgram};
use minds_output::Output;
use minds_process::{find_program, is_program};
use minds_vfs::MountId;
use schemars::JsonSchema;
use serde::Serialize;

use super::FAILED;
use super::models::has_key;
use crate::args::{DoctorArgs, Options};
use crate::clock::now;
use crate::command_error::CommandError;
use crate::session::find_place;
use crate::{document, table, transport};

/// The rules for users of a Redis server.
const ACL: &str = "\
agents     ~mcp:* &mcp:* +ping +hello +client +get +set +getdel +del +expire +incr +eval +evalsha +script +publish +subscribe +unsubscribe +xadd +xread +xrange +xrevrange +scan +mget
consoles   ~mcp:* &mcp:* +ping +hello +client +get +set +getdel +del +expire +eval +evalsha +script +publish +subscribe +unsubscribe +xread +xrange +xrevrange +scan +mget
observers  %R~mcp:* &mcp:* +ping +hello +client +get +mget +scan +xread +xrange +xrevrange +subscribe +unsubscribe
";

/// What the names of tools of the knowledge base begin with.
const KNOWLEDGE: &str = "kb.";

/// The results of all checks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Checks {
    checks: Vec<Check>,
}

impl JsonDocument for Checks {
    const NAME: &'static str = "fleet-doctor";
}

/// The result of a check.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Check {
    name: &'static str,
    ok: bool,
    severity: &'static str,
    message: String,
    help: Option<String>,
}

/// The rules for one kind of user.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Acl<'a> {
    acl: Vec<AclRule<'a>>,
}

impl JsonDocument for Acl<'_> {
    const NAME: &'static str = "fleet-doctor-acl";
}

#[derive(Serialize, JsonSchema)]
struct AclRule<'a> {
    user: &'a str,
    rules: &'a str,
}

impl Check {
    fn new(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, ok: true, severity: "info", message: message.into(), help: None }
    }

    fn failure(name: &'static str, severity: &'static str, message: impl Into<String>, help: &str) -> Self {
        Self { name, ok: false, severity, message: message.into(), help: Some(help.to_owned()) }
    }
}

pub(super) fn run(options: &Options, args: &DoctorArgs, out: &mut Output) -> Result<ExitCode, CommandError> {
    if args.acl {
        print_acl(out);
        return Ok(ExitCode::SUCCESS);
    }
    let place = find_place(options, None)?;
    let checks = vec![
        files(&place),
        versions(&place),
        runtime_folder(),
        state_folder(&place),
        bus(&place),
        sandbox(),
        path(),
        models(&place),
        keys(&place),
        engines(&place),
        servers(&place),
        knowledge(&place),
    ];
    let is_failed = checks.iter().any(|check| !check.ok && check.severity == "error");
    if out.is_json() {
        document::write(out, &Checks { checks });
    } else {
        let rows: Vec<Vec<String>> = checks.iter().map(row).collect();
        let text = table::render(&["CHECK", "RESULT", "MESSAGE"], &rows, out.is_colored());
        out.push_styled(&text);
        for check in &checks {
            if let Some(help) = &check.help {
                out.data(&format!("help: {}: {help}\n", check.name));
            }
        }
    }
    Ok(if is_failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn row(check: &Check) -> Vec<String> {
    let result = if check.ok { "ok" } else { check.severity };
    vec![check.name.to_owned(), result.to_owned(), check.message.clone()]
}

fn print_acl(out: &mut Output) {
    if !out.is_json() {
        out.data(ACL);
        return;
    }
    let rules = ACL.lines().filter_map(|line| line.split_once(' '));
    let acl = rules.map(|(user, rules)| AclRule { user, rules: rules.trim() }).collect();
    document::write(out, &Acl { acl });
}

fn files(place: &FleetPlace) -> Check {
    let of_agents = place.agents.iter().filter_map(|agent| agent.problem.as_ref());
    let mut found: Vec<&FleetProblem> = of_agents.chain(&place.unlisted).collect();
    // One problem may be that of several agents.
    found.dedup();
    if let Some(first) = found.first().filter(|_| place.problems.is_empty()) {
        let message = format!(
            "{} of agents that cannot be started; the first: {}",
            minds_output::count(found.len(), "error"),
            config_invalid(first, 1).message
        );
        return Check::failure("files", "error", message, "run `minds check`, or change these files");
    }
    match place.problems.first() {
        Some(first) => Check::failure(
            "files",
            "error",
            format!("{}; the first: {}", minds_output::count(place.problems.len(), "error"), first.message),
            "run `minds check`",
        ),
        None if !place.has_files && place.agents.is_empty() => {
            Check::failure("files", "warning", "the workspace has no fleet", "run `minds init --fleet`")
        }
        None => Check::new("files", minds_output::count(place.agents.len(), "agent")),
    }
}

fn versions(place: &FleetPlace) -> Check {
    let own = env!("CARGO_PKG_VERSION");
    let listed = transport::open(place).and_then(|bus| bus.list(now())).unwrap_or_default();
    let running = listed.iter().filter(|listed| listed.presence == Presence::Alive);
    let others: Vec<&str> = running
        .filter(|listed| !listed.info.version.is_empty() && listed.info.version != own)
        .map(|listed| listed.info.id.as_str())
        .collect();
    if others.is_empty() {
        return Check::new("versions", format!("minds-fleet {own}"));
    }
    let message = format!("other versions than {own} run: {}", others.join(", "));
    Check::failure("versions", "warning", message, "stop these agents, and start them again")
}

fn runtime_folder() -> Check {
    let opened = session_folder().and_then(|folder| {
        Root::open_own(&folder, MountId::WORKSPACE)?;
        Ok(folder)
    });
    match opened {
        Ok(folder) => Check::new("runtime-folder", folder.display().to_string()),
        Err(error) => Check::failure(
            "runtime-folder",
            "error",
            error.to_string(),
            "set `XDG_RUNTIME_DIR` or `MINDS_HOME` to a folder that only you can access",
        ),
    }
}

fn state_folder(place: &FleetPlace) -> Check {
    let unusable: Vec<&str> = place
        .agents
        .iter()
        .filter(|agent| !is_writable(&agent.state))
        .map(|agent| agent.name.as_str())
        .collect();
    if unusable.is_empty() {
        return Check::new("state-folder", "the files of all agents can be written");
    }
    let message = format!("the files of these agents cannot be written: {}", unusable.join(", "));
    Check::failure("state-folder", "error", message, "set `MINDS_HOME` to a folder that you can write")
}

fn bus(place: &FleetPlace) -> Check {
    let kind = place.transport.kind();
    match transport::open(place).and_then(|bus| bus.list(now())) {
        Ok(_) => Check::new("transport", kind),
        Err(failure) => {
            let help =
                failure.code().map_or("check the transport", minds_fleet_protocol::ErrorCode::resolution);
            Check::failure("transport", "error", format!("{kind}: {}", failure.message), help)
        }
    }
}

fn sandbox() -> Check {
    match minds_fs::landlock_version() {
        Some(version) => Check::new("sandbox", format!("the kernel has Landlock, version {version}")),
        None => Check::failure(
            "sandbox",
            "warning",
            "the kernel has no Landlock, or it is disabled: commands of agents cannot be confined",
            "run agents on Linux 5.13 or later with `landlock` in the list of security modules",
        ),
    }
}

/// Looks for the MCP servers whose tools agents have. No server is started.
fn servers(place: &FleetPlace) -> Check {
    // Other engines have the tools of their member.
    let agents = place.agents.iter().filter(|agent| agent.program.is_none());
    let tools = agents.flat_map(|agent| &agent.tools).filter(|tool| tool.is_given);
    let mut listed: Vec<&str> = tools.filter_map(|tool| server_of(&tool.name)).collect();
    listed.sort_unstable();
    listed.dedup();
    if listed.is_empty() {
        return Check::new("servers", "no agent lists tools of MCP servers");
    }
    let definitions = match ServerDefinitions::read(&place.workspace) {
        Ok(definitions) => definitions,
        Err(failure) => return Check::failure("servers", "warning", failure.message, "run `minds check`"),
    };
    let missing: Vec<&str> =
        listed.iter().copied().filter(|id| !definitions.servers.contains_key(*id)).collect();
    if missing.is_empty() {
        return Check::new("servers", format!("in `.minds/mcp.yaml`: {}", listed.join(", ")));
    }
    let message = format!(
        "`.minds/mcp.yaml` has no such server that is enabled and can be used: {}",
        missing.join(", ")
    );
    let help = "define or enable these servers; `minds gateway status --start` starts each one once";
    Check::failure("servers", "warning", message, help)
}

/// Reports agents that are given the tools of the knowledge base, which this version does not have.
fn knowledge(place: &FleetPlace) -> Check {
    let has_tools =
        |agent: &&FleetAgent| agent.given_tools.iter().any(|tool| tool.name.starts_with(KNOWLEDGE));
    let given = place.agents.iter().filter(has_tools).count();
    if given == 0 {
        return Check::new("knowledge", "no agent is given a knowledge base");
    }
    let message =
        format!("this version has no knowledge base; {} would use it", minds_output::count(given, "agent"));
    Check::failure("knowledge", "info", message, "agents work without the tools `kb.…`")
}

fn path() -> Check {
    let missing: Vec<&str> = ["sh", "git"].into_iter().filter(|name| find_program(name).is_none()).collect();
    if missing.is_empty() {
        return Check::new("path", "`sh` and `git` are on PATH");
    }
    let message = format!("not on PATH: {}", missing.join(", "));
    Check::failure("path", "warning", message, "install them, or set PATH")
}

/// Looks for the programs of engines.
fn engines(place: &FleetPlace) -> Check {
    let (mut found, mut missing) = (0, Vec::new());
    for agent in &place.agents {
        let command = match agent.program.as_ref().map(|engine| &engine.program) {
            None => continue,
            Some(FleetProgram::Command { command, .. }) => command.as_str(),
            Some(FleetProgram::Short(name)) => {
                find_short_engine(name).map_or(*name, |engine| engine.command.as_str())
            }
        };
        let is_found = if command.contains('/') {
            is_program(&agent.cwd.join(command))
        } else {
            find_program(command).is_some()
        };
        if is_found {
            found += 1;
        } else {
            missing.push(format!("`{command}` of `{}`", agent.name));
        }
    }
    if !missing.is_empty() {
        let message = format!("not found: {}", missing.join(", "));
        let help =
            "install these programs on PATH, or name a program with `engine: {kind: acp, command: PROGRAM}`";
        return Check::failure("engines", "error", message, help);
    }
    Check::new(
        "engines",
        match found {
            0 => "agents use models themselves; no program is needed".to_owned(),
            _ => format!("the programs of {} are on PATH", minds_output::count(found, "agent")),
        },
    )
}

fn models(place: &FleetPlace) -> Check {
    // Agents with another engine use no model themselves.
    let agents = place.agents.iter().filter(|agent| agent.program.is_none() && agent.problem.is_none());
    let mut models: Vec<&FleetModel> = agents.filter_map(|agent| agent.model.as_ref()).collect();
    models.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    let failures: Vec<String> = models
        .into_iter()
        .filter_map(|model| check_model(model).err())
        .map(|failure| failure.message)
        .collect();
    if failures.is_empty() {
        return Check::new("models", minds_output::count(place.models.len(), "model"));
    }
    Check::failure(
        "models",
        "error",
        failures.join("; "),
        "change the models in `.ateam/models.yaml`; `minds-fleet models` lists them",
    )
}

fn keys(place: &FleetPlace) -> Check {
    let used = place.agents.iter().filter(|agent| agent.program.is_none() && agent.problem.is_none());
    let used = used.filter_map(|agent| agent.model.as_ref());
    let mut missing: Vec<&str> =
        used.filter(|model| !has_key(model)).filter_map(|model| model.key_variable.as_deref()).collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return Check::new("keys", "the keys of all used models are set");
    }
    let message = format!("not set: {}", missing.join(", "));
    Check::failure("keys", "error", message, "set these environment variables")
}

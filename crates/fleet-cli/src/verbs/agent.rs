//! `agent`: the process of an agent.

use std::path::PathBuf;
use std::process::ExitCode;

use minds_fleet_agent::{
    AgentTools, ConfiguredAgent, ControlThread, FirstStart, SpawnRequest, run_with_control,
};
use minds_fleet_bus::BootstrapToken;
use minds_fleet_protocol::{AgentId, ErrorCode};
use minds_fs::{read_named_file, real_directory};
use minds_operations::FleetTransport;
use minds_process::standard_input;

use crate::acceptance::settle;
use crate::agent_name::AgentName;
use crate::args::{Options, name};
use crate::clock::now;
use crate::command_error::CommandError;
use crate::repl::Repl;
use crate::session::Session;
use crate::spawning::spawn;
use crate::verbs::{launch_gateway, own_programs};

/// The variable with the token for the first start.
const TOKEN_VARIABLE: &str = "ATEAM_BOOTSTRAP_TOKEN";

/// Run one agent in the foreground, without a terminal
///
/// For service managers and containers; `up` runs it in the background. SIGTERM ends the agent in order, SIGINT interrupts its
/// work, SIGHUP reads its prompts again.
///
/// With --repl, lines of stdin are inputs or commands such as `status`, `queue` and `inbox scan`; `help` lists them. The end of
/// stdin ends the commands, and not the agent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet agent zeus
  minds-fleet agent zeus --repl
  minds-fleet agent --project shop --name zeus --cwd /srv/shop")]
pub(crate) struct AgentArgs {
    /// The agent
    #[arg(value_name = "AGENT", conflicts_with_all = ["project", "name"], required_unless_present = "name")]
    agent: Option<AgentName>,
    /// The project, instead of that of the workspace
    #[arg(long, value_name = "P", value_parser = name, requires = "name")]
    project: Option<String>,
    /// The name of the agent
    #[arg(long, value_name = "N", value_parser = name)]
    name: Option<String>,
    /// The working directory of the agent
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The model, instead of that of its file
    #[arg(long, value_name = "M")]
    model: Option<String>,
    /// Read the token for the first start from FILE; `-` is stdin
    #[arg(long, value_name = "FILE")]
    bootstrap_file: Option<PathBuf>,
    /// Accept changed files that give the agent more rights
    #[arg(long)]
    accept: bool,
    /// Read inputs and commands from stdin
    #[arg(long, conflicts_with = "detached")]
    repl: bool,
    /// Leave the session of the terminal
    #[arg(long, hide = true)]
    detached: bool,
}

/// Runs an agent until it is stopped.
pub(crate) fn run(options: &Options, args: &AgentArgs) -> Result<ExitCode, CommandError> {
    if args.detached {
        minds_process::start_session();
    }
    let (project, name) = match (&args.agent, &args.name) {
        (Some(agent), _) => (agent.project.clone(), agent.name.clone()),
        (None, Some(name)) => (args.project.clone(), name.clone()),
        (None, None) => return Err(CommandError::Usage("name an agent".to_owned())),
    };
    let named = AgentName { project, name };
    let (session, id) = open(options, &named)?;
    session.expect_valid()?;
    let Some(agent) = session.place.find(id.as_str()) else { return Err(session.not_found(&id)) };
    let (folder, is_of_compose_root) = (agent.folder.clone(), agent.is_of_compose_root);
    let AgentName { project, name } = named;
    let project = if is_of_compose_root { Some(id.project().to_owned()) } else { project };
    if args.repl && args.bootstrap_file.as_ref().is_some_and(|file| file.as_os_str() == "-") {
        let message = "`--repl` and `--bootstrap-file -` both read stdin; pass the token in a file";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let cwd = args.cwd.as_ref().map(|cwd| real_directory(cwd)).transpose()?;
    // The agents of one user on one machine need no token.
    let is_local = session.place.transport == FleetTransport::Local;
    let is_token_required = session.place.settings.requires_bootstrap && !is_local;
    let first_start = FirstStart { is_token_required, token: token(args)? };
    let (base, workspace) = (session.place.workspace.clone(), session.place.workspace.clone());
    let programs = own_programs()?;
    let supervisor = programs.supervisor.clone();
    let configuration =
        ConfiguredAgent { base, name, project, is_of_compose_root, cwd, model: args.model.clone(), programs };
    settle(&id, &configuration.review(&session.place)?, args.accept)?;
    let list = || Ok(session.bus.list(now())?.into_iter().map(|listed| listed.info).collect());
    let spawner = |request: &SpawnRequest| spawn(options, request).map_err(CommandError::into_failure);
    let tools = AgentTools::new(workspace.clone(), Box::new(list), supervisor);
    let tools = tools.with_servers(workspace, launch_gateway).with_spawner(Box::new(spawner));
    let control = args.repl.then(|| {
        let repl = Repl { configuration: configuration.clone(), folder, color: options.color };
        let thread: ControlThread = Box::new(move |control| repl.run(&control));
        thread
    });
    run_with_control(session.bus.as_ref(), &configuration, Box::new(tools), first_start, control)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the fleet of an agent. Another project than that of the workspace is a project of its compose root, or replaces the
/// name of the project.
fn open<'o>(options: &'o Options, named: &AgentName) -> Result<(Session<'o>, AgentId), CommandError> {
    let session = Session::open(options)?;
    let id = session.id(named)?;
    if named.project.is_none() || session.is_configured(&id) {
        return Ok((session, id));
    }
    Ok((Session::open_as(options, named.project.as_deref())?, id))
}

/// Returns the token for the first start, which is never an argument.
fn token(args: &AgentArgs) -> Result<Option<BootstrapToken>, CommandError> {
    let invalid = || {
        CommandError::fleet(ErrorCode::BootstrapInvalid, "the bootstrap token is not 64 hexadecimal digits")
    };
    let text = match &args.bootstrap_file {
        None => match minds_process::variable(TOKEN_VARIABLE)?.filter(|token| !token.is_empty()) {
            None => return Ok(None),
            Some(token) => token,
        },
        Some(file) if file.as_os_str() == "-" => {
            String::from_utf8(standard_input()?).map_err(|_| invalid())?
        }
        Some(file) => String::from_utf8(read_named_file(file)?).map_err(|_| invalid())?,
    };
    BootstrapToken::parse(text.trim()).map(Some).ok_or_else(invalid)
}

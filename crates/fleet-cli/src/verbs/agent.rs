//! `agent`: the process of an agent.

use std::path::PathBuf;
use std::process::ExitCode;

use minds_exec::SupervisorProgram;
use minds_fleet_agent::{ConfiguredAgent, FirstStart, NoTools};
use minds_fleet_bus::BootstrapToken;
use minds_fleet_protocol::ErrorCode;
use minds_fs::{read_named_file, real_directory};
use minds_operations::FleetTransport;
use minds_process::standard_input;

use crate::agent_name::AgentName;
use crate::args::{Options, name};
use crate::command_error::CommandError;
use crate::session::Session;

/// The variable with the token for the first start.
const TOKEN_VARIABLE: &str = "ATEAM_BOOTSTRAP_TOKEN";

/// Run one agent in the foreground, without a terminal
///
/// For service managers and containers; `up` runs it in the background. SIGTERM ends the agent in order, SIGINT interrupts its
/// work, SIGHUP reads its prompts again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet agent zeus
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
    let session = Session::open_as(options, project.as_deref())?;
    session.expect_valid()?;
    let id = session.id(&AgentName { project: project.clone(), name: name.clone() })?;
    if session.place.agent(&name).is_none() {
        return Err(session.not_found(&id));
    }
    let cwd = args.cwd.as_ref().map(|cwd| real_directory(cwd)).transpose()?;
    // The agents of one user on one machine need no token.
    let is_local = session.place.transport == FleetTransport::Local;
    let is_token_required = session.place.settings.requires_bootstrap && !is_local;
    let first_start = FirstStart { is_token_required, token: token(args)? };
    let base = session.place.workspace.clone();
    let supervisor = SupervisorProgram { program: this_program()?, args: vec!["confine".into()] };
    let model = args.model.clone();
    let configuration = ConfiguredAgent { base, name, project, cwd, model, supervisor };
    minds_fleet_agent::run(session.bus.as_ref(), &configuration, Box::new(NoTools), first_start)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the file of this program.
fn this_program() -> Result<PathBuf, CommandError> {
    let found = minds_process::this_program();
    found.map_err(|error| CommandError::System(format!("the file of this program was not found: {error}")))
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

//! `agent`: the process of an agent.

use std::path::PathBuf;
use std::process::ExitCode;

use minds_fleet_protocol::ErrorCode;

use crate::agent_name::AgentName;
use crate::args::{Options, name};
use crate::command_error::CommandError;

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
    /// Read commands from stdin
    #[arg(long)]
    repl: bool,
    /// Leave the session of the terminal
    #[arg(long, hide = true)]
    detached: bool,
}

/// Runs an agent until it is stopped.
pub(crate) fn run(_: &Options, args: &AgentArgs) -> Result<ExitCode, CommandError> {
    if args.detached {
        minds_process::start_session();
    }
    Err(CommandError::fleet(ErrorCode::HandlerError, "this build of `minds-fleet` does not run agents"))
}

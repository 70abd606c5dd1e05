//! The command line and its help.

mod verbs;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use minds_fleet_protocol::Timeout;
use minds_output::Color;

use crate::agent_name::is_name;
use crate::verbs::agent::AgentArgs;
use crate::verbs::gateway::GatewayArgs;

pub(crate) use self::verbs::{
    AcpArgs, CancelArgs, DoctorArgs, DownArgs, InterruptArgs, ItemArgs, McpArgs, ModelsArgs, PsArgs,
    QueueAction, QueueArgs, SendArgs, StopArgs, TailArgs, TokenArgs, ToolsArgs, UpArgs, WhoArgs,
};

/// The output of `--version`.
static VERSION: LazyLock<String> = LazyLock::new(|| env!("CARGO_PKG_VERSION").to_owned());

/// Start the agents of a fleet, and talk to them
#[derive(Debug, Parser)]
#[command(
    name = "minds-fleet",
    version = VERSION.as_str(),
    max_term_width = 80,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
AGENT is NAME, in the project of the workspace, or PROJECT/NAME.

Examples:
  minds-fleet up                     Start the agents of the workspace
  minds-fleet send zeus \"run it\"     Give one of them some work
  minds-fleet tail zeus --follow     Watch it
  minds-fleet down                   Stop all of them

Exit codes: 0 done; 1 refused or failed; 2 wrong usage or environment;
3 another client is the owner; 4 no such agent runs; 11 the agent already
runs; 12 the files are not valid."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The options of all verbs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Run in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR", global = true, default_value = ".", hide_default_value = true)]
    pub(crate) directory: PathBuf,
    /// When to use colors
    #[arg(long, value_enum, value_name = "WHEN", global = true, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use the Redis server at URL, instead of `ATEAM_REDIS_URL` and the files
    #[arg(long, value_name = "URL", global = true, conflicts_with = "local")]
    pub(crate) redis: Option<String>,
    /// Use the agents on this machine, without a server
    #[arg(long, global = true)]
    pub(crate) local: bool,
    /// How long to wait for an answer [default: 15; documents: 120]
    #[arg(long, value_name = "S", global = true, value_parser = seconds)]
    pub(crate) rpc_timeout: Option<Timeout>,
    /// What started agents write to their log
    #[arg(long, value_enum, value_name = "L", global = true)]
    pub(crate) log_level: Option<LogLevel>,
}

/// What an agent writes to its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

impl LogLevel {
    /// Returns the value of `ATEAM_LOG_LEVEL`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

/// The summaries of the two verbs about parked items, and what follows them.
const RETRY: &str = "Let an agent perform a parked item again";
const DROP: &str = "Give up a parked item";
const PARKED: &str =
    "\n\nAn item is parked if its work was interrupted after a tool call that may not be repeated.";

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Up(UpArgs),
    Down(DownArgs),
    Stop(StopArgs),
    Ps(PsArgs),
    Who(WhoArgs),
    Send(SendArgs),
    Tail(TailArgs),
    Interrupt(InterruptArgs),
    Cancel(CancelArgs),
    Queue(QueueArgs),
    #[command(about = RETRY, long_about = format!("{RETRY}{PARKED}"))]
    Retry(ItemArgs),
    #[command(about = DROP, long_about = format!("{DROP}{PARKED}"))]
    Drop(ItemArgs),
    Token(TokenArgs),
    Agent(AgentArgs),
    Acp(AcpArgs),
    Models(ModelsArgs),
    Tools(ToolsArgs),
    Doctor(DoctorArgs),
    /// Supervise a command of an agent, which starts this
    #[command(hide = true)]
    Confine,
    /// Connect an engine with the tools of a member
    #[command(hide = true)]
    Relay(RelayArgs),
    /// Run the MCP servers of an agent, which starts this
    #[command(hide = true)]
    Gateway(GatewayArgs),
    #[command(hide = true)]
    Mcp(McpArgs),
}

/// The arguments of a relay.
#[derive(Debug, clap::Args)]
pub(crate) struct RelayArgs {
    /// The folder with the socket of the agent
    pub(crate) folder: PathBuf,
}

/// Returns the command line as data.
pub(crate) fn command() -> clap::Command {
    Args::command()
}

/// Parses the name of a project or an agent.
pub(crate) fn name(text: &str) -> Result<String, &'static str> {
    if is_name(text) { Ok(text.to_owned()) } else { Err("expected 1 to 64 characters of `A-Za-z0-9_-`") }
}

fn seconds(text: &str) -> Result<Timeout, &'static str> {
    let timeout = text.parse().ok().and_then(Timeout::from_seconds);
    timeout.ok_or("expected a number of seconds, more than 0 and at most 3600")
}

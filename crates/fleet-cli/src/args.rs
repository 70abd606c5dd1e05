//! The command line and its help.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use minds_fleet_protocol::Timeout;
use minds_output::Color;

use crate::agent_name::{AgentName, is_name};
use crate::since::Since;
use crate::verbs::agent::AgentArgs;

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
#[derive(Debug, clap::Args)]
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
    Models(ModelsArgs),
    Tools(ToolsArgs),
    Doctor(DoctorArgs),
}

/// Start configured agents in the background
///
/// Waits until each of them runs, at most 20 seconds. Agents that run already are left alone. Without AGENT, all agents of the
/// workspace are started. An agent writes its errors to `agent.log` in its runtime folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet up               Start all agents of the workspace
  minds-fleet up zeus hera     Start two of them
  minds-fleet up --dry-run     Print the commands")]
pub(crate) struct UpArgs {
    /// The agents
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<AgentName>,
    /// Start nothing, and print what would be started
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Accept changed files that give an agent more rights
    #[arg(long)]
    pub(crate) accept: bool,
}

/// Stop agents
///
/// Each agent ends its work in order, within 15 seconds. Without AGENT, all agents of the workspace are stopped.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet down             Stop all agents of the workspace
  minds-fleet down zeus        Stop one of them")]
pub(crate) struct DownArgs {
    /// The agents
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<AgentName>,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// Stop one agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet stop zeus           Let it end in order
  minds-fleet stop zeus --hard    Kill it")]
pub(crate) struct StopArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// Kill the agent and its child processes; asks for confirmation
    #[arg(long)]
    pub(crate) hard: bool,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// List the agents that run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet ps               List agents, and those that lost their connection
  minds-fleet ps --all         Also list agents that ended")]
pub(crate) struct PsArgs {
    /// Also list agents that have ended
    #[arg(long)]
    pub(crate) all: bool,
}

/// Show the owner of agents: the client that may change them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet who              Show the owner of each running agent
  minds-fleet who zeus         Show the owner of one")]
pub(crate) struct WhoArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<AgentName>,
}

/// Give an agent some work
///
/// The text is one input, kept in the queue of the agent. With --wait the command prints the answer while the agent writes it,
/// and exits with 1 if the work did not succeed. Confirmations that the agent asks for meanwhile are asked on the terminal;
/// without a terminal the answer is no.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet send zeus \"run the tests\"
  minds-fleet send zeus --start --wait \"run the tests\"
                               Start the agent first, and print its answer
  git diff | minds-fleet send zeus --wait -
                               Read the text from stdin")]
pub(crate) struct SendArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// The text; `-` reads stdin
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) text: String,
    /// Wait for the end of the work, and print the answer
    #[arg(long)]
    pub(crate) wait: bool,
    /// How long to wait at most
    #[arg(long, value_name = "S", requires = "wait", value_parser = positive_seconds)]
    pub(crate) timeout: Option<f64>,
    /// Start the agent first
    #[arg(long)]
    pub(crate) start: bool,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// Print what an agent reports
///
/// Prints the retained events: text of the model, tool calls, warnings. Works also for an agent that has ended.
///
/// T is a duration such as `5m`, `now-5m`, a time such as `2026-11-28T15:00:00Z`, or seconds since 1970. The units are s, m, h
/// and d.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet tail zeus --since 5m       Print the last five minutes
  minds-fleet tail zeus --follow         Print new events until Ctrl-C
  minds-fleet tail zeus --json | jq -r 'select(.event.type == \"tool\").event.name'
                                         Print the names of called tools")]
pub(crate) struct TailArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// The time of the first event
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<Since>,
    /// Print new events as they come, after those of --since
    #[arg(short, long)]
    pub(crate) follow: bool,
}

/// Interrupt what an agent does
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet interrupt zeus   Ask the agent to end its current work")]
pub(crate) struct InterruptArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// Cancel the current work or tool of an agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet cancel zeus          Cancel cooperatively
  minds-fleet cancel zeus --hard   Kill the processes of its tools")]
pub(crate) struct CancelArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// Kill the processes of its tools; asks for confirmation
    #[arg(long)]
    pub(crate) hard: bool,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// List the items in the queue of an agent, or remove those that wait
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet queue zeus           List the items
  minds-fleet queue zeus clear     Remove the pending ones")]
pub(crate) struct QueueArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// Remove pending items; asks for confirmation
    #[arg(value_name = "ACTION")]
    pub(crate) action: Option<QueueAction>,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// What to do with a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueueAction {
    /// Remove pending items
    Clear,
}

/// The summaries of the two verbs about parked items, and what follows them.
const RETRY: &str = "Let an agent perform a parked item again";
const DROP: &str = "Give up a parked item";
const PARKED: &str =
    "\n\nAn item is parked if its work was interrupted after a tool call that may not be repeated.";

/// A parked item.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet retry q-1790000000260-000    Let the agent perform it again
  minds-fleet drop q-1790000000260-000     Give it up")]
pub(crate) struct ItemArgs {
    /// The id of the item
    #[arg(value_name = "QID")]
    pub(crate) item: String,
    /// The agent, if two agents have the id
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentName>,
    #[command(flatten)]
    pub(crate) owner: OwnerArgs,
}

/// Print a token with which an agent joins for the first time
///
/// The token is printed once. Agents on one machine need none.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet token zeus           Print a token, and the command to use it with")]
pub(crate) struct TokenArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// How long the token is valid
    #[arg(long, value_name = "S", default_value_t = 300)]
    pub(crate) ttl: u64,
    /// Make the unused tokens of the agent invalid
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// List the models of the workspace
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet models           List models, and whether their keys are set")]
pub(crate) struct ModelsArgs {}

/// List the tools of a running agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet tools zeus       List its tools, and why it lacks others")]
pub(crate) struct ToolsArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
}

/// Check whether agents can run here
///
/// Exits with 1 if a check fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet doctor           Check files, folders, transport and keys
  minds-fleet doctor --acl     Print the rules for users of a Redis server")]
pub(crate) struct DoctorArgs {
    /// Print the access rules for users of a Redis server, and check nothing
    #[arg(long)]
    pub(crate) acl: bool,
}

/// The option of all verbs that change an agent.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OwnerArgs {
    /// Take the agent over from another client; asks for confirmation
    #[arg(long)]
    pub(crate) takeover: bool,
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

fn positive_seconds(text: &str) -> Result<f64, &'static str> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= 1e9)
        .ok_or("expected a number of seconds, more than 0")
}

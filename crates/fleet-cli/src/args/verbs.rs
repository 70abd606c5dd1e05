//! The arguments of each verb.

use clap::ValueEnum;
use minds_fleet_protocol::BootstrapLifetime;

use super::name;
use crate::agent_name::AgentName;
use crate::since::Since;

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
/// without a terminal they are refused.
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
    /// The maximum time to wait
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
/// The token is printed once, and can be used once. Agents on one machine need none.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet token zeus           Print a token, and the command to use it with
  minds-fleet token zeus --ttl 60  Print a token that is valid for a minute
  minds-fleet token zeus --revoke  Make the unused tokens invalid")]
pub(crate) struct TokenArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// How long the token is valid: 1 to 3600 seconds [default: 300]
    #[arg(long, value_name = "S", value_parser = lifetime)]
    pub(crate) ttl: Option<BootstrapLifetime>,
    /// Make the unused tokens of the agent invalid, and print none
    #[arg(long, conflicts_with = "ttl")]
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
  minds-fleet tools zeus       List its tools, and why it lacks other tools")]
pub(crate) struct ToolsArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
}

/// Serve an agent to an editor, over the Agent Client Protocol
///
/// For the settings of an editor, which starts the command and talks to it on stdin and stdout. A session of the editor owns the
/// agent, which is started if it does not run, and releases it when the editor closes the connection; the agent goes on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet acp zeus             Serve an agent
  minds-fleet acp zeus --takeover  Also if another client owns it")]
pub(crate) struct AcpArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,
    /// Take the agent over from another client, without a question
    #[arg(long)]
    pub(crate) takeover: bool,
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

/// Serve the tools of the toolset `fleet` over stdio, for MCP clients
///
/// The tools are `fleet_list`, `fleet_send`, `fleet_read` and `fleet_cancel`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds-fleet mcp              Serve until stdin ends
  minds-fleet mcp --as coder   Mark the inputs as those of a member")]
pub(crate) struct McpArgs {
    /// The member whose inputs these are, which queues display
    #[arg(long = "as", value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,
}

/// The option of all verbs that change an agent.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OwnerArgs {
    /// Take the agent over from another client; asks for confirmation
    #[arg(long)]
    pub(crate) takeover: bool,
}

fn lifetime(text: &str) -> Result<BootstrapLifetime, &'static str> {
    let lifetime = text.parse().ok().and_then(BootstrapLifetime::from_seconds);
    lifetime.ok_or("expected a whole number of seconds from 1 to 3600")
}

fn positive_seconds(text: &str) -> Result<f64, &'static str> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= 1e9)
        .ok_or("expected a number of seconds, more than 0")
}

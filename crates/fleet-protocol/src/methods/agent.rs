//! Methods about the agent: state, tail, context, model, tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::MAX_TAIL_FRAMES;
use crate::{AgentId, AgentState, Caller, DocumentId, Frame, Json, Timestamp};

/// `true`. `false` is refused when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "bool", into = "bool")]
pub struct True;

impl From<True> for bool {
    fn from(_: True) -> Self {
        true
    }
}

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        if value { Ok(Self) } else { Err("expected `true`") }
    }
}

/// The value of a method that has no other result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Always true.
    pub ok: True,
}

/// The parameters of `status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {}

/// The value of `status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusValue {
    /// The state.
    pub state: AgentState,
    /// The used part of the context window, 0 to 1.
    pub ctx_pct: f64,
    /// The number of tokens in the context.
    pub tokens_in_ctx: u64,
    /// The model, if the engine has one.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: String,
    /// The process id.
    pub pid: u32,
    /// The name of the machine.
    pub host: String,
    /// The engine, for example `llm`.
    pub engine: String,
    /// The epoch of the process.
    pub epoch: u64,
    /// The owner, if the agent has one.
    pub owner: Option<Owner>,
    /// The items that wait.
    pub queue: QueueCounts,
    /// The last error, as one line.
    pub last_error: Option<String>,
}

/// The owner of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct Owner {
    /// The client.
    pub caller: Caller,
    /// Since when.
    pub since: Timestamp,
}

/// The number of items that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct QueueCounts {
    /// Items that are performed in order.
    pub pending: u64,
    /// Items that wait for a decision.
    pub parked: u64,
}

/// The parameters of `tail`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tail {
    /// The first offset. Without it, the retained frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_offset: Option<u64>,
    /// The maximum number of frames, at most 512, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

impl Tail {
    pub(super) fn check_limit(&self) -> Result<(), String> {
        match self.limit {
            Some(limit) if !(1..=MAX_TAIL_FRAMES).contains(&limit) => {
                Err(format!("invalid `limit`: expected 1 to {MAX_TAIL_FRAMES}"))
            }
            _ => Ok(()),
        }
    }
}

/// The value of `tail`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TailValue {
    /// The frames, in order.
    pub events: Vec<Frame>,
    /// The offset for the next call.
    pub next_offset: u64,
    /// Whether further frames exist.
    pub more: bool,
    /// Whether frames between the requested and the first returned offset are lost.
    pub gap: bool,
}

/// The parameters of `memory.stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryStats {}

/// The value of `memory.stats`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryStatsValue {
    /// The number of tokens in the context.
    pub tokens_in_ctx: u64,
    /// The used part of the context window, 0 to 1.
    pub ctx_pct: f64,
    /// The part above which turns are summarized.
    pub summarize_threshold: f64,
}

/// The parameters of `model.use`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUse {
    /// The model.
    pub model: String,
}

/// The value of `model.use`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUseValue {
    /// Always true.
    pub ok: True,
    /// The model that the next step uses.
    pub model: String,
}

/// The parameters of `config.save`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSave {
    /// The layer. Without it, the layer that defines the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
}

/// The value of `config.save`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSaveValue {
    /// Always true.
    pub ok: True,
    /// The file.
    pub file: String,
}

/// The parameters of `tools.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsList {}

/// The value of `tools.list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsListValue {
    /// The tools.
    pub tools: Vec<Json>,
    /// The level of the sandbox: `full`, `partial` or `none`.
    pub sandbox: String,
    /// The state of the transport.
    pub transport: Json,
    /// The state of the MCP servers.
    pub servers: Vec<Json>,
    /// The program that performs the turns, and what it may do; none if the agent uses its model itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Json>,
}

/// The parameters of `offload.propose`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffloadPropose {}

/// The value of `offload.propose`: an agent that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffloadProposal {
    /// The name.
    pub name: String,
    /// The project.
    pub project: String,
    /// The working directory.
    pub cwd: String,
    /// The model.
    pub model: Option<String>,
    /// The initial system prompt.
    pub system_base: String,
    /// The documents to copy.
    pub doc_ids: Vec<DocumentId>,
}

/// The parameters of `agent.stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentStop {
    /// Whether to end the process and its children at once.
    #[serde(default)]
    pub hard: bool,
}

/// The parameters of `history.clear`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryClear {
    /// The id of the agent itself, as a confirmation.
    pub agent: AgentId,
}

//! What an agent publishes about itself, and the messages about changes of the registry and of owners.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::methods::QueueCounts;
use crate::{AgentId, AgentState, Caller, Timestamp};

/// The registry entry of an agent.
///
/// Readers ignore members of later versions; members that earlier drafts do not have are optional.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct AgentInfo {
    /// The id.
    pub id: AgentId,
    /// The name in the project.
    pub name: String,
    /// The project.
    pub project: String,
    /// The model, if the engine has one.
    #[serde(default)]
    pub model: Option<String>,
    /// The working directory.
    pub cwd: String,
    /// The name of the machine.
    pub host: String,
    /// The process id.
    pub pid: u32,
    /// When the process started, in the form of RFC 3339.
    pub started_at: String,
    /// The state, as the agent reports it.
    pub state: AgentState,
    /// The used part of the context window, 0 to 1.
    #[serde(default)]
    pub ctx_pct: f64,
    /// The names of the tools.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The engine, for example `llm`.
    #[serde(default)]
    pub engine: String,
    /// The epoch of the process. Of two entries with one id, the one with the higher epoch counts.
    #[serde(default)]
    pub epoch: u64,
    /// The version of the program.
    #[serde(default)]
    pub version: String,
    /// The level of the sandbox: `full`, `partial` or `none`.
    #[serde(default)]
    pub sandbox: String,
    /// The items that wait.
    #[serde(default)]
    pub queue: QueueCounts,
    /// What the agent can do beyond the methods: some of [`AgentInfo::CAPABILITIES`], or of a later version.
    #[serde(default)]
    pub server_capabilities: Vec<String>,
    /// The folder with the files of the agent; in entries of the local bus only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
}

impl AgentInfo {
    /// The capabilities of this version.
    pub const CAPABILITIES: [&'static str; 3] = ["tail.offsets", "kb.copy.selective", "confirm"];

    /// Returns whether the agent has a capability. Consoles do not offer what an agent cannot do.
    pub fn has_capability(&self, name: &str) -> bool {
        self.server_capabilities.iter().any(|capability| capability == name)
    }
}

/// A change of the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegistryChange {
    /// What happened.
    pub event: RegistryEvent,
    /// The agent.
    pub id: AgentId,
    /// When it happened.
    pub ts: Timestamp,
}

/// What happened to a registry entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RegistryEvent {
    /// The agent has started.
    Join,
    /// The entry has changed.
    Update,
    /// The agent has ended.
    Leave,
    /// An event of a later version, which readers skip.
    #[serde(other)]
    Unknown,
}

/// A message to the owner of an agent about a takeover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeoverNotice {
    /// What happens.
    pub event: TakeoverEvent,
    /// The client that takes over.
    pub by: Caller,
}

/// The two steps of a takeover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TakeoverEvent {
    /// The owner is asked to release the agent.
    Request,
    /// The agent has another owner.
    Final,
}

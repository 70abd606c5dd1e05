//! The messages between a gateway and its users, one JSON object on each line.

use std::collections::BTreeMap;

use minds_state::journal::AuditedCall;
use minds_toolset::{ActionOutcome, Code, Fields, ForeignTool, Refusal, ServerAction, TaskAction};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::{CallError, CallLimits};
use crate::documents::{GatewayState, ServerTools};

/// The version of these messages.
pub(crate) const PROTOCOL: u32 = 1;
/// The most bytes of a message.
pub(crate) const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// A message to a gateway.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// The first message.
    Hello { protocol: u32 },
    /// Starts a call.
    Call(Box<CallRequest>),
    /// Asks about a task.
    Task { id: u64, conversation: String, server: String, action: TaskAction, params: Map<String, Value> },
    /// Cancels a call.
    Cancel { id: u64 },
    /// Answers a question of a call.
    Answer { id: u64, question: u64, answer: Map<String, Value> },
    /// Acts on a server.
    Act { id: u64, conversation: String, server: String, action: ServerAction },
    /// Ends the connections of a conversation.
    EndConversation { conversation: String },
    /// Asks for the state of all servers.
    State { id: u64 },
    /// Asks for the tools of all servers, also those that are left out.
    Tools { id: u64 },
    /// A direct call has failed. The answer is that to a call.
    Failed(Box<FailedCall>),
    /// Records direct calls.
    Record { calls: Vec<AuditedCall> },
    /// No direct call uses a relay any longer.
    Closed { relay: u64 },
    /// The numbers of direct calls that run, by their relays.
    Counts { question: u64, counts: BTreeMap<u64, usize> },
}

/// A call that failed without the process with the servers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FailedCall {
    pub(crate) id: u64,
    pub(crate) relay: u64,
    /// What failed; none if the connection ended.
    pub(crate) error: Option<CallError>,
    /// The record, whose outcome is not known.
    pub(crate) record: AuditedCall,
}

/// A call of a tool.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CallRequest {
    pub(crate) id: u64,
    pub(crate) conversation: String,
    pub(crate) caller: String,
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) original: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) can_elicit: bool,
    pub(crate) accepts_tasks: bool,
}

/// A message of a gateway.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    /// The first message.
    Hello { protocol: u32 },
    /// A part of the current tools. They replace the earlier ones with the last part.
    Tools { tools: Vec<ForeignTool>, is_last: bool, is_settled: bool },
    /// Whether each server has listed its tools, is remembered, or has failed.
    Settled { is_settled: bool },
    /// Progress of a call.
    Progress { id: u64, progress: Map<String, Value> },
    /// A question of a call to its user.
    Ask { id: u64, question: u64, params: Map<String, Value> },
    /// The result of a call.
    Result { id: u64, result: Map<String, Value> },
    /// Why a call or an action has no result.
    Refused { id: u64, refusal: SentRefusal },
    /// The outcome of an action.
    Acted { id: u64, outcome: ActionOutcome },
    /// The state of all servers.
    State { id: u64, state: Box<GatewayState> },
    /// The tools of all servers.
    ServerTools { id: u64, servers: Vec<ServerTools> },
    /// Allows direct calls of a server in a conversation, or in all of them.
    Open { relay: u64, server: String, conversation: Option<String>, limits: CallLimits },
    /// Allows no further direct calls. It is answered when none runs.
    Close { relay: u64 },
    /// Asks for the numbers of direct calls that run.
    Count { question: u64 },
}

/// A refusal on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SentRefusal {
    code: String,
    message: String,
    next: Option<String>,
    details: Option<Fields>,
}

impl From<Refusal> for SentRefusal {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, message, next, details } = refusal;
        Self { code: code.as_str().to_owned(), message, next, details }
    }
}

impl From<SentRefusal> for Refusal {
    fn from(sent: SentRefusal) -> Self {
        let SentRefusal { code, message, next, details } = sent;
        // Both ends are the same program.
        let code = Code::all().find(|known| known.as_str() == code).unwrap_or(Code::ServerUnavailable);
        Self { code, message, next, details }
    }
}

/// Returns a message as a line.
pub(crate) fn line(message: &impl Serialize) -> Vec<u8> {
    // The messages have no keys but strings.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

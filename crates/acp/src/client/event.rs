//! What happens in a session.

use minds_fleet_protocol::EndReason;
use serde_json::{Map, Value};

use crate::permissions::ToolKind;

/// How a session was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOrigin {
    /// It is new.
    New,
    /// It is the earlier one.
    Earlier,
    /// It is new, because the program cannot continue the earlier one.
    NewInsteadOfEarlier,
}

/// What happens in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// The session is open, and takes a prompt.
    Opened {
        /// Its id.
        session: String,
        /// How it was opened.
        origin: SessionOrigin,
    },
    /// The program wrote a part of its answer.
    Text(String),
    /// A tool call begins.
    CallStarted {
        /// Its id, which no other call of the prompt has.
        id: String,
        /// Its kind.
        kind: ToolKind,
        /// Its title and its arguments.
        input: Map<String, Value>,
    },
    /// A tool call has ended.
    CallEnded {
        /// Its id.
        id: String,
        /// Its kind.
        kind: ToolKind,
        /// Whether it succeeded.
        is_ok: bool,
        /// What it returned.
        content: String,
    },
    /// The used part of the context.
    Usage {
        /// In tokens.
        used: u64,
        /// The length of the context, in tokens.
        size: u64,
    },
    /// The program asks whether a call may run. It is answered with [`Client::answer`](crate::Client::answer).
    Asked(PermissionQuestion),
    /// The prompt has ended.
    Ended(EndReason),
    /// The program refused the prompt.
    PromptFailed(String),
    /// Something that the owner should know.
    Warning(String),
    /// The program cannot be used any longer, and has to be ended.
    Failed(String),
}

/// A question whether a call may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionQuestion {
    /// The number of the question.
    pub number: u64,
    /// The id of the call.
    pub call: String,
    /// What the call does: its title and its arguments, as the program has named them last.
    pub input: Map<String, Value>,
    /// The kinds that the program has named for it.
    pub kinds: [ToolKind; 2],
}

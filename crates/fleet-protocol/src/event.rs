//! What an agent reports while it works.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;

use crate::limits::MAX_FRAME_TEXT_BYTES;
use crate::{AgentState, Caller, FailureCode, ItemId, Json, Timestamp, TraceId};

/// An event with its place in the tail of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct Frame {
    /// The number of the frame. It grows by 1 per agent and never restarts.
    pub offset: u64,
    /// The epoch of the agent process. Readers ignore frames with a lower epoch than the highest that they have read.
    pub epoch: u64,
    /// When the event happened.
    pub ts: Timestamp,
    /// The event.
    pub event: Event,
}

/// An event, and what it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Event {
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
    /// The item of the queue that the agent works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qid: Option<ItemId>,
    /// The trace of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
}

/// Declares the kinds of events: name in the protocol, variant, and type of the fields.
macro_rules! events {
    ($($(#[$doc:meta])* $name:literal => $kind:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        /// What happened.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum EventKind {
            $($(#[$doc])* #[serde(rename = $name)] $kind($kind),)*
            /// An event of a later version, which readers skip. It cannot be encoded.
            #[serde(skip_serializing)]
            Unknown,
        }

        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
        pub struct $kind {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl From<$kind> for EventKind {
            fn from(event: $kind) -> Self {
                Self::$kind(event)
            }
        })*

        impl EventKind {
            /// The names of all kinds of this version.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Returns the name in the protocol; `None` for events of later versions.
            pub fn name(&self) -> Option<&'static str> {
                match self {
                    $(Self::$kind(_) => Some($name),)*
                    Self::Unknown => None,
                }
            }

            fn decode(name: &str, text: &str) -> Result<Self, serde_json::Error> {
                match name {
                    $($name => serde_json::from_str(text).map(Self::$kind),)*
                    _ => Ok(Self::Unknown),
                }
            }
        }
    };
}

events! {
    /// A part of the answer of the model, or of the output of a tool.
    "token" => Token {
        /// The text.
        text: String,
        /// The model, or `tool:` and the name of the tool.
        model: String,
        /// The stream of a tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<Stream>,
    }
    /// A tool call begins.
    "tool" => ToolCall {
        /// The name of the tool.
        name: String,
        /// The arguments.
        input: Json,
        /// The id of the call, which its result repeats.
        call_id: String,
    }
    /// A tool call has ended.
    "tool.result" => ToolResult {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// Whether the tool succeeded.
        ok: bool,
        /// The exit code of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rc: Option<i32>,
        /// The duration in milliseconds.
        duration_ms: u64,
        /// The code of a failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<FailureCode>,
    }
    /// The work on an item begins.
    "task.start" => TaskStart {
        /// The id of the item.
        id: ItemId,
        /// The hash of the prompt that the agent works with.
        prompt_id: String,
    }
    /// The work on an item has ended.
    "task.end" => TaskEnd {
        /// The id of the item.
        id: ItemId,
        /// Whether the item is done.
        ok: bool,
        /// Why the work ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<EndReason>,
    }
    /// An agent has read its files after a start.
    "task.recover" => TaskRecover {
        /// The number of summaries in the context.
        summaries_loaded: u64,
        /// The number of turns in the context that are not summarized.
        raw_turns_loaded: u64,
        /// The items that wait for a decision.
        parked: Vec<ItemId>,
    }
    /// A warning.
    "warn" => Warning {
        /// One line for people.
        msg: String,
    }
    /// An error that ends no item by itself.
    "error" => Error {
        /// One line for people.
        msg: String,
        /// The code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<FailureCode>,
        /// Details for developers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trace: Option<String>,
    }
    /// The state or the context has changed.
    "state" => StateChange {
        /// The state.
        state: AgentState,
        /// The used part of the context window, 0 to 1.
        ctx_pct: f64,
        /// The number of tokens in the context.
        tokens_in_ctx: u64,
    }
    /// The agent waits for a confirmation of its owner.
    "confirm.request" => ConfirmRequest {
        /// The id of the confirmation.
        id: String,
        /// What is confirmed, for example `tool`.
        kind: String,
        /// One line.
        title: String,
        /// The details, for example a diff.
        body: String,
        /// When it counts as refused.
        expires_at: Timestamp,
    }
    /// A confirmation has been answered or has expired.
    "confirm.done" => ConfirmDone {
        /// The id of the confirmation.
        id: String,
        /// Whether the owner agreed.
        answer: bool,
        /// The caller that answered; `None` for an expired one.
        by: Option<Caller>,
    }
    /// The owner has changed.
    "owner" => OwnerChange {
        /// What happened.
        event: OwnerEvent,
        /// The owner after the change.
        owner: Option<Caller>,
    }
    /// Frames are missing. A follower makes this event; it is never stored.
    "gap" => Gap {
        /// The first missing offset.
        from: u64,
        /// The last missing offset.
        to: u64,
    }
}

/// The output stream of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// The standard output.
    Stdout,
    /// The standard error.
    Stderr,
}

/// Why the work on an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The model ended its answer.
    Done,
    /// A user interrupted the work.
    Interrupted,
    /// A user ended the work by force.
    Cancelled,
    /// The model refused.
    Refused,
    /// The maximum number of steps was reached.
    MaxSteps,
    /// The model failed.
    Model,
    /// The agent failed.
    Error,
    /// A reason of a later version.
    #[serde(other)]
    Unknown,
}

/// How the owner changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnerEvent {
    /// An agent without an owner was claimed.
    Claimed,
    /// The owner released the agent, or expired.
    Released,
    /// Another owner replaced it.
    Takeover,
}

impl Event {
    /// Makes an event that belongs to no item.
    pub fn new(kind: impl Into<EventKind>) -> Self {
        Self { kind: kind.into(), qid: None, trace_id: None }
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Common {
            r#type: String,
            #[serde(default)]
            qid: Option<ItemId>,
            #[serde(default)]
            trace_id: Option<TraceId>,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let Common { r#type, qid, trace_id } = serde_json::from_str(raw.get()).map_err(de::Error::custom)?;
        let kind = EventKind::decode(&r#type, raw.get()).map_err(de::Error::custom)?;
        Ok(Self { kind, qid, trace_id })
    }
}

/// Splits text into parts of at most [`MAX_FRAME_TEXT_BYTES`], at the boundaries of characters.
///
/// The parts joined are the text. Empty text has no parts.
pub fn split_text(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, remainder) = rest.split_at_checked(rest.floor_char_boundary(MAX_FRAME_TEXT_BYTES))?;
        rest = remainder;
        (!part.is_empty()).then_some(part)
    })
}

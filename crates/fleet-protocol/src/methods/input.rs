//! Methods about the work: inputs, the queue, confirmations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::True;
use crate::{ItemId, ItemState, Timestamp, TraceId};

/// The parameters of `input`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The text, unchanged.
    pub text: String,
    /// Where it comes from.
    pub meta: InputMeta,
}

/// Where an input comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMeta {
    /// The kind of source, for example `console` or `local`.
    pub source: String,
    /// The trace of the input. Without it, the agent makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
}

/// The value of `input`: the item is durable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputValue {
    /// Always true.
    pub queued: True,
    /// The id of the item.
    pub qid: ItemId,
}

/// The parameters of `interrupt`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupt {}

/// The parameters of `cancel`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// Whether to end the tool and its children at once.
    #[serde(default)]
    pub hard: bool,
}

/// The value of `interrupt` and `cancel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopValue {
    /// Always true.
    pub ok: True,
    /// The item that was stopped; `None` for an idle agent.
    pub qid: Option<ItemId>,
}

/// The parameters of `queue.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueList {}

/// The value of `queue.list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueListValue {
    /// The items, in order.
    pub items: Vec<QueuedItem>,
    /// The number of further items, which do not fit into a message.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde needs")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// An item of the queue.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct QueuedItem {
    /// The id.
    pub qid: ItemId,
    /// When it was added.
    pub ts: Timestamp,
    /// The kind of source.
    pub source: String,
    /// The state.
    pub state: ItemState,
    /// The text.
    pub text: String,
    /// How many times it was started.
    pub attempt: u32,
}

/// The parameters of `queue.clear`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueClear {}

/// The value of `queue.clear`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueClearValue {
    /// The number of removed items.
    pub removed: u64,
}

/// The parameters of `queue.retry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueRetry {
    /// The parked item.
    pub qid: ItemId,
}

/// The parameters of `queue.drop`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueDrop {
    /// The parked item.
    pub qid: ItemId,
}

/// The parameters of `confirm.answer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmAnswer {
    /// The id of the confirmation.
    pub id: String,
    /// Whether the owner agrees.
    pub answer: bool,
}

//! The lines of `queue.jsonl`.

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::{Caller, ContentHash, EndReason, ItemId, RequestId, RequestKey, Timestamp, TraceId};

/// A line of the queue file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum QueueRecord {
    /// An item was added.
    Item(Item),
    /// The work on an item has begun.
    Start {
        /// The item.
        start: ItemId,
        /// When.
        ts: Timestamp,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// An item is done.
    Done {
        /// The item.
        done: ItemId,
        /// When.
        ts: Timestamp,
        /// Whether it succeeded.
        ok: bool,
        /// Why it ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<EndReason>,
    },
    /// An item waits for a decision.
    Park {
        /// The item.
        park: ItemId,
        /// When.
        ts: Timestamp,
        /// Why.
        reason: String,
    },
    /// A user asked to perform a parked item again.
    Retry {
        /// The item.
        retry: ItemId,
        /// When.
        ts: Timestamp,
        /// The user.
        caller: Caller,
    },
    /// A user removed an item.
    Drop {
        /// The item.
        drop: ItemId,
        /// When.
        ts: Timestamp,
        /// The user.
        caller: Caller,
    },
}

/// An item of the queue, and the request that added it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The id.
    pub id: ItemId,
    /// When it was added.
    pub ts: Timestamp,
    /// The kind of source.
    pub source: String,
    /// The text.
    pub text: String,
    /// The sender.
    pub caller: Caller,
    /// The id of the request.
    pub req_id: RequestId,
    /// The content of the request.
    pub hash: ContentHash,
    /// The trace.
    pub trace_id: TraceId,
}

impl Item {
    /// Returns the key of the request, whose record is this item.
    pub fn key(&self) -> RequestKey {
        RequestKey { caller: self.caller.clone(), req_id: self.req_id.clone() }
    }
}

impl QueueRecord {
    /// Parses a line.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not a record of a known kind.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Kind {
            id: Option<IgnoredAny>,
            start: Option<ItemId>,
            done: Option<ItemId>,
            park: Option<ItemId>,
            retry: Option<ItemId>,
            drop: Option<ItemId>,
        }
        #[derive(Deserialize)]
        struct Fields {
            ts: Timestamp,
            #[serde(default)]
            attempt: u32,
            #[serde(default)]
            ok: bool,
            #[serde(default)]
            reason: Option<String>,
            #[serde(default)]
            caller: Option<Caller>,
        }
        let kind: Kind = serde_json::from_str(line)?;
        if kind.id.is_some() {
            return serde_json::from_str(line).map(Self::Item);
        }
        let Fields { ts, attempt, ok, reason, caller } = serde_json::from_str(line)?;
        let caller = || caller.ok_or_else(|| serde_json::Error::custom("missing member `caller`"));
        if let Some(start) = kind.start {
            Ok(Self::Start { start, ts, attempt: attempt.max(1) })
        } else if let Some(done) = kind.done {
            let reason = reason.map(|reason| serde_json::from_value(reason.into())).transpose()?;
            Ok(Self::Done { done, ts, ok, reason })
        } else if let Some(park) = kind.park {
            Ok(Self::Park { park, ts, reason: reason.unwrap_or_default() })
        } else if let Some(retry) = kind.retry {
            Ok(Self::Retry { retry, ts, caller: caller()? })
        } else if let Some(drop) = kind.drop {
            Ok(Self::Drop { drop, ts, caller: caller()? })
        } else {
            Err(serde_json::Error::custom("unknown kind of record"))
        }
    }

    /// Returns the item that the record is about.
    pub fn item_id(&self) -> &ItemId {
        match self {
            Self::Item(item) => &item.id,
            Self::Start { start: id, .. }
            | Self::Done { done: id, .. }
            | Self::Park { park: id, .. }
            | Self::Retry { retry: id, .. }
            | Self::Drop { drop: id, .. } => id,
        }
    }
}

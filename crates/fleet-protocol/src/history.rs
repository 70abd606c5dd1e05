//! The lines of `history.jsonl`, `summary.jsonl` and `calls.jsonl`, and the content of `agent.json`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::limits::MAX_SUMMARIES;
use crate::{Caller, ContentHash, Failure, ItemId, Json, Outcome, RequestId, RequestKey, Timestamp};

/// A line of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// The number of the line, which grows by 1 and continues over rotations.
    pub seq: u64,
    /// When it was written.
    pub ts: Timestamp,
    /// Who wrote it.
    pub role: Role,
    /// Where it comes from: `console`, `local` or `system`.
    pub source: String,
    /// The text.
    pub content: String,
    /// The tokens that the model read.
    #[serde(default)]
    pub tokens_in: u64,
    /// The tokens that the model wrote.
    #[serde(default)]
    pub tokens_out: u64,
    /// The item.
    pub qid: ItemId,
    /// The tool calls of an `assistant` line, which is durable before the first of them begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<HistoryCall>,
    /// The call of a `tool` line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Whether the call of a `tool` line succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// Whether the model failed before the end of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
}

/// Who wrote a line of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The input.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// A tool call in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryCall {
    /// The id that the result repeats.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub args: Json,
    /// `{qid}/{step}/{n}` of a tool that has an effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
}

/// The effects of one item, from the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemEffects {
    /// The keys of all calls that have an effect. An item with one is never performed again without a decision.
    pub begun: Vec<String>,
    /// The keys without a result: the call was interrupted.
    pub interrupted: Vec<String>,
}

impl ItemEffects {
    /// Collects the effects of an item.
    pub fn of<'h>(item: &ItemId, history: impl IntoIterator<Item = &'h HistoryRecord>) -> Self {
        let mut calls = Vec::new();
        let mut results = BTreeSet::new();
        for record in history.into_iter().filter(|record| record.qid == *item) {
            calls.extend(record.tool_calls.iter().filter_map(|call| Some((&call.id, call.effect.clone()?))));
            results.extend(record.call_id.as_ref().filter(|_| record.role == Role::Tool));
        }
        let interrupted = calls.iter().filter(|(id, _)| !results.contains(id));
        Self {
            interrupted: interrupted.map(|(_, effect)| effect.clone()).collect(),
            begun: calls.into_iter().map(|(_, effect)| effect).collect(),
        }
    }
}

/// A line of the summaries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryRecord {
    /// When it was written.
    pub ts: Timestamp,
    /// The text.
    pub summary: String,
    /// The first and the last line of the history that it replaces in the context.
    pub window: (u64, u64),
}

/// Returns the summaries that stay in the file: the last [`MAX_SUMMARIES`].
pub fn trim_summaries(summaries: &[SummaryRecord]) -> &[SummaryRecord] {
    summaries.get(summaries.len().saturating_sub(MAX_SUMMARIES)..).unwrap_or_default()
}

/// A line of `calls.jsonl`: the answer to a request that changed something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The sender.
    pub caller: Caller,
    /// The id of the request.
    pub req_id: RequestId,
    /// The content of the request.
    pub hash: ContentHash,
    /// When it was answered.
    pub ts: Timestamp,
    /// The value of a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// The error of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

impl CallRecord {
    /// Makes a record; `None` for an answer that is not remembered.
    pub fn new(key: RequestKey, hash: ContentHash, answer: &Outcome, now: Timestamp) -> Option<Self> {
        let (value, error) = match answer {
            Outcome::Success { value, .. } => (Some(value.clone()), None),
            Outcome::Failure(failure) if failure.is_remembered() => (None, Some(failure.clone())),
            Outcome::Failure(_) => return None,
        };
        let RequestKey { caller, req_id } = key;
        Some(Self { caller, req_id, hash, ts: now, value, error })
    }

    /// Returns the answer; `None` for a line with neither a value nor an error.
    pub fn answer(&self) -> Option<Outcome> {
        match (&self.value, &self.error) {
            (_, Some(failure)) => Some(Outcome::Failure(failure.clone())),
            (Some(value), None) => Some(Outcome::Success { value: value.clone(), ts: self.ts }),
            (None, None) => None,
        }
    }
}

/// The content of `agent.json`, which is replaced atomically.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFile {
    /// The epoch of the last process.
    #[serde(default)]
    pub epoch: u64,
    /// A bound that no assigned offset has reached.
    #[serde(default)]
    pub next_offset: u64,
    /// Whether the agent has redeemed a bootstrap token.
    #[serde(default)]
    pub enrolled: bool,
    /// The session of an ACP engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acp_session: Option<String>,
}

//! Methods about the history and the plan.

use serde::{Deserialize, Serialize};

use crate::Json;

/// The parameters of `history.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRead {
    /// The maximum number of turns, 20 by default.
    #[serde(default = "default_turns")]
    pub n: u32,
    /// The sequence number that the last returned turn precedes. Without it, the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

fn default_turns() -> u32 {
    20
}

/// The value of `history.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryReadValue {
    /// The turns, in order, as the history has them.
    pub turns: Vec<Json>,
    /// The sequence number of the first returned turn; `None` if none is returned.
    pub first: Option<u64>,
}

/// The parameters of `plan.read`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRead {}

/// The value of `plan.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReadValue {
    /// The plan.
    pub text: String,
}

/// The parameters of `plan.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanList {}

/// The value of `plan.list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanListValue {
    /// The lines.
    pub lines: Vec<PlanLine>,
}

/// A line of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanLine {
    /// The number of the line, from 1.
    pub n: u64,
    /// The text.
    pub text: String,
}

/// The parameters of `plan.write`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanWrite {
    /// The plan.
    pub text: String,
}

/// The parameters of `plan.append`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAppend {
    /// The text to append.
    pub text: String,
}

/// The parameters of `plan.delete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDelete {
    /// The number of the line. Without it, all lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
}

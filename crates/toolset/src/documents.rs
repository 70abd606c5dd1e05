//! The JSON documents of the commands that list and call tools.

use minds_diagnostics::{ErrorKind, JsonDocument};
use minds_operations::documents::ErrorReport;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Answer, Code, RememberedProblem, ToolDescriptor};

/// The answer of a tool: its result, or why the call was refused.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerDocument<'a> {
    /// The answer.
    #[serde(flatten)]
    pub answer: &'a Answer,
    /// The refusal as an error, where every document has it; omitted if the call succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport<'a, ErrorKind, Code>>,
}

impl JsonDocument for AnswerDocument<'_> {
    const NAME: &'static str = "tool-answer";
}

/// The tools with their descriptions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolsDocument<'a> {
    /// The tools in the order in which clients see them.
    pub tools: &'a [ToolDescriptor],
}

impl JsonDocument for ToolsDocument<'_> {
    const NAME: &'static str = "tool-list";
}

/// The remembered problems: those that validations found, and those of MCP gateways.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemsDocument<'a> {
    /// The open problems, and those that were resolved recently.
    pub problems: &'a [RememberedProblem],
}

impl JsonDocument for ProblemsDocument<'_> {
    const NAME: &'static str = "problems";
}

//! What is wrong with the files of the team and with its MCP servers, remembered until it is fixed and for a while after.
//!
//! Each validation publishes its findings, and each running MCP gateway its problems: new ones are added, and those that
//! are gone are resolved, with the time. The list is stored in the state folder, which only the user can read.

mod gateway;
mod gateway_problems;
mod id;
#[cfg(test)]
mod properties;
mod reconcile;
mod record;
mod reporter;
mod store;

use minds_core::{LLM_FILE, MCP_FILE};
use minds_diagnostics::{Diagnostic, PositionRange, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use gateway::GatewayProblem;
pub use gateway_problems::GatewayProblems;
pub use id::problem_id;
pub use reconcile::find_new;
pub use reporter::GatewayReporter;
pub use store::{ProblemsError, Published, count_new, publish, read_remembered};

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The code of the rule that found it.
    pub code: String,
    /// The severity.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file, if it belongs to one.
    pub file: Option<String>,
    /// The range in the file; lines and columns count from 1.
    pub range: Option<PositionRange>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// What found a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProblemSource {
    /// A validation of the files.
    #[default]
    Validation,
    /// A running MCP gateway.
    Gateway,
}

/// A problem with its history. Times are in UTC, in the format of RFC 3339 with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RememberedProblem {
    /// The problem as it was last found.
    #[serde(flatten)]
    pub problem: Problem,
    /// The stable id of a problem of a gateway, such as `mcp/server/files/server_error`; null for a validation.
    #[serde(default)]
    pub id: Option<String>,
    /// What found it.
    #[serde(default)]
    pub source: ProblemSource,
    /// When it was first found.
    pub first_seen: String,
    /// Whether it is fixed.
    pub resolved: bool,
    /// When it was first no longer found.
    pub resolved_at: Option<String>,
}

/// The files that are validated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// `team.yaml`, the minds files, and the other files that configure the team.
    Team,
    /// `llm.yaml`
    Llm,
    /// `mcp.yaml`
    Mcp,
}

impl Files {
    /// Returns the group that a file belongs to.
    pub fn with(file: Option<&str>) -> Self {
        match file {
            Some(LLM_FILE) => Self::Llm,
            Some(MCP_FILE) => Self::Mcp,
            _ => Self::Team,
        }
    }
}

impl Problem {
    /// Returns a finding as it is reported and remembered.
    pub fn of(found: &Diagnostic) -> Self {
        let place = found.primary.as_ref();
        Self {
            code: found.rule.code.to_owned(),
            severity: found.severity,
            message: found.message.clone(),
            file: place.map(|label| label.source.name().to_owned()),
            range: place.map(|label| label.source.range(label.span)),
            help: found.help.clone(),
        }
    }
}

/// Returns a finding in one line, without its help.
pub fn format_finding(found: &Diagnostic) -> String {
    let place = found.primary.as_ref().map(|label| {
        let start = label.source.range(label.span).start;
        format!("{}:{}:{}: ", label.source.name(), start.line, start.column)
    });
    format!("{}{}[{}]: {}", place.unwrap_or_default(), found.severity, found.rule.code, found.message)
}

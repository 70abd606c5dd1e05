//! What was found wrong with the files of the team, remembered until it is mended and for a while after.
//!
//! Each validation publishes what it found in its files: what is new is added, what is gone is resolved, with the time.
//! The list stands in the folder for what is not the workspace's, readable by its owner alone.

mod reconcile;
mod store;

use minds_core::{LLM_FILE, MCP_FILE};
use minds_diagnostics::{Diagnostic, PositionRange, Severity};
use serde::{Deserialize, Serialize};

pub(crate) use store::publish;
pub use store::{ProblemsError, remembered_problems};

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The code of the rule that found it.
    pub code: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file; none if it belongs to no file.
    pub file: Option<String>,
    /// Where in the file; lines and columns begin at 1.
    pub range: Option<PositionRange>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A problem, since when it is known, and whether it is gone. Times are UTC as RFC 3339 writes them, to the millisecond.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberedProblem {
    /// The problem as it was found last.
    #[serde(flatten)]
    pub problem: Problem,
    /// When it was found first.
    pub first_seen: String,
    /// Whether it is gone.
    pub resolved: bool,
    /// When it was first not found any more.
    pub resolved_at: Option<String>,
}

/// The files that are validated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    /// `team.yaml`, the minds files, and what else says how the team works.
    Team,
    /// `llm.yaml`
    Llm,
    /// `mcp.yaml`
    Mcp,
}

impl Files {
    /// Returns the files that a file is validated with.
    pub(crate) fn with(file: Option<&str>) -> Self {
        match file {
            Some(LLM_FILE) => Self::Llm,
            Some(MCP_FILE) => Self::Mcp,
            _ => Self::Team,
        }
    }
}

impl Problem {
    /// Returns a finding as it is told and remembered.
    pub(crate) fn of(found: &Diagnostic) -> Self {
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

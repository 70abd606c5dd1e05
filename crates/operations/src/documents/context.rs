//! `minds context`

use minds_clients::BYTES_PER_TOKEN;
use minds_diagnostics::JsonDocument;
use minds_workspace::context::MemberContext;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ContextOutcome;

/// What the start of a session costs each member, by client and source.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContextDocument<'a> {
    /// The directory in which the session starts, relative to the workspace.
    directory: &'a str,
    /// How tokens are estimated.
    estimate: TokenEstimate,
    /// The members in the order of `team.yaml`.
    members: &'a [MemberContext],
}

/// How tokens are estimated.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenEstimate {
    /// The number of bytes for which one token is counted.
    bytes_per_token: usize,
}

impl<'a> ContextDocument<'a> {
    /// Returns the document of an outcome.
    pub fn new(outcome: &'a ContextOutcome) -> Self {
        Self {
            directory: &outcome.directory,
            estimate: TokenEstimate { bytes_per_token: BYTES_PER_TOKEN },
            members: &outcome.members,
        }
    }

    /// Returns the document without a team.
    pub fn empty() -> Self {
        Self { directory: ".", estimate: TokenEstimate { bytes_per_token: BYTES_PER_TOKEN }, members: &[] }
    }
}

impl JsonDocument for ContextDocument<'_> {
    const NAME: &'static str = "context";
}

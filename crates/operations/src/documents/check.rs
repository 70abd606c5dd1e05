//! `minds check --diff`

use minds_diagnostics::JsonDocument;
use schemars::JsonSchema;
use serde::Serialize;

use crate::FixOutcome;

/// The changes that `minds check --fix` would make.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FixDocument<'a> {
    /// The changes as a unified diff, empty if there are none. Secrets are redacted with `*`.
    diff: &'a str,
    /// The files that would change, relative to the workspace.
    files: &'a [String],
    /// The number of findings that would be fixed.
    fixed: usize,
}

impl<'a> From<&'a FixOutcome> for FixDocument<'a> {
    fn from(outcome: &'a FixOutcome) -> Self {
        Self { diff: &outcome.diff, files: &outcome.files, fixed: outcome.fixed }
    }
}

impl JsonDocument for FixDocument<'_> {
    const NAME: &'static str = "check-diff";
}

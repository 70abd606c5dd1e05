//! `minds fmt` and `minds init`

use minds_diagnostics::JsonDocument;
use minds_diagnostics::emit::{Finding, json_findings};
use schemars::JsonSchema;
use serde::Serialize;

use super::ErrorReport;
use crate::{FmtOutcome, InitDone, OperationErrorCode, OperationErrorKind, Refusal};

/// The formatted files.
#[derive(Serialize, JsonSchema)]
pub struct FmtDocument<'a> {
    /// The files that changed or would change.
    changed: Vec<&'a str>,
    /// Places at which formatting could change the meaning of a file, which is therefore not formatted.
    unsure: &'a [String],
    /// The errors because of which files were not formatted.
    diagnostics: Vec<Finding<'a>>,
    /// The changes as a unified diff, empty if there are none.
    diff: &'a str,
    /// The formatted text of stdin.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl<'a> FmtDocument<'a> {
    /// Returns the document of an outcome. For stdin, `text` is the formatted text.
    pub fn new(outcome: &'a FmtOutcome, text: Option<String>) -> Self {
        Self {
            changed: outcome.changed.iter().map(|(file, _)| file.as_str()).collect(),
            unsure: &outcome.unsure,
            diagnostics: json_findings(&outcome.report.diagnostics),
            diff: &outcome.diff,
            text,
        }
    }
}

impl JsonDocument for FmtDocument<'_> {
    const NAME: &'static str = "fmt";
}

/// The files of a new configuration.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitDocument<'a> {
    /// The changes as a unified diff, empty if there are none.
    diff: &'a str,
    /// Whether nothing was written.
    dry_run: bool,
    /// The files that were already up to date.
    unchanged: &'a [String],
    /// The new or changed files.
    written: &'a [String],
}

impl<'a> InitDocument<'a> {
    /// Returns the document of what was written, or with `is_dry_run` would be.
    pub fn new(done: &'a InitDone, is_dry_run: bool) -> Self {
        Self { diff: &done.diff, dry_run: is_dry_run, unchanged: &done.unchanged, written: &done.written }
    }
}

impl JsonDocument for InitDocument<'_> {
    const NAME: &'static str = "init";
}

/// Editor settings that cannot be merged. Nothing was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitRefusedDocument<'a> {
    /// The error.
    error: ErrorReport<'a, OperationErrorKind, OperationErrorCode>,
    /// The files.
    refused: Vec<UnmergeableSettings<'a>>,
}

/// A settings file that cannot be merged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnmergeableSettings<'a> {
    /// The file.
    file: &'a str,
    /// The reason.
    reason: &'a str,
    /// The settings to add by hand.
    snippet: &'a str,
}

impl<'a> InitRefusedDocument<'a> {
    /// Returns the document of these files.
    pub fn new(refused: &'a [Refusal]) -> Self {
        let message = "settings cannot be merged; nothing was written";
        let settings = |refusal: &'a Refusal| UnmergeableSettings {
            file: &refusal.file,
            reason: &refusal.reason,
            snippet: &refusal.snippet,
        };
        Self {
            error: ErrorReport { kind: OperationErrorKind::Unmergeable, code: None, message, next: None },
            refused: refused.iter().map(settings).collect(),
        }
    }
}

impl JsonDocument for InitRefusedDocument<'_> {
    const NAME: &'static str = "init-refused";
}

//! Errors of all commands.

use minds_diagnostics::JsonDocument;
use schemars::JsonSchema;
use serde::Serialize;

/// An error in a JSON document, in the same form for every command.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ErrorReport<'a> {
    /// The kind of error, such as `usage`, `not-found`, `refused` or `system`.
    pub kind: &'a str,
    /// The stable code, which is more specific than the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'a str>,
    /// What went wrong, in one line.
    pub message: &'a str,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'a str>,
}

/// The error because of which a command printed nothing else.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorDocument<'a> {
    /// The error.
    pub error: ErrorReport<'a>,
}

impl JsonDocument for ErrorDocument<'_> {
    const NAME: &'static str = "error";
}

/// A refused operation on a task package. Nothing was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusalDocument<'a> {
    /// Always `error`.
    pub status: RefusalStatus,
    /// The stable code of the reason.
    pub code: &'a str,
    /// The reason.
    pub message: &'a str,
    /// What to do.
    pub next: Option<&'a str>,
    /// The same as an error, where every document has it.
    pub error: ErrorReport<'a>,
}

/// The status of a refused operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalStatus {
    /// The operation was refused.
    Error,
}

impl JsonDocument for RefusalDocument<'_> {
    const NAME: &'static str = "refusal";
}

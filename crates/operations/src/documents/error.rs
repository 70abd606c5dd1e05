//! Errors of all commands.

use minds_diagnostics::{ErrorKind, JsonDocument};
use schemars::JsonSchema;
use serde::Serialize;

/// An error in a JSON document, in the same form for every command: with the kinds `K` and the codes `C`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ErrorReport<'a, K, C> {
    /// The kind of error.
    pub kind: K,
    /// The stable code, which is more specific than the kind; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<C>,
    /// What went wrong, in one line.
    pub message: &'a str,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'a str>,
}

/// The error because of which a command printed nothing else.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ErrorDocument")]
pub struct ErrorDocument<'a, K, C> {
    /// The error.
    pub error: ErrorReport<'a, K, C>,
}

impl<K: Serialize + JsonSchema, C: Serialize + JsonSchema> JsonDocument for ErrorDocument<'_, K, C> {
    const NAME: &'static str = "error";
}

/// A refused operation on a task package. Nothing was changed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RefusalDocument")]
pub struct RefusalDocument<'a, C> {
    /// Always `error`.
    pub status: RefusalStatus,
    /// The stable code of the reason.
    pub code: C,
    /// The reason.
    pub message: &'a str,
    /// What to do.
    pub next: Option<&'a str>,
    /// The same as an error, where every document has it.
    pub error: ErrorReport<'a, ErrorKind, C>,
}

/// The status of a refused operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalStatus {
    /// The operation was refused.
    Error,
}

impl<C: Serialize + JsonSchema> JsonDocument for RefusalDocument<'_, C> {
    const NAME: &'static str = "refusal";
}

//! What a call of a tool gives.

use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, FailureCode, Stream};
use serde::Serialize;

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutcome {
    /// Whether the tool succeeded.
    pub is_ok: bool,
    /// What the model reads.
    pub content: String,
    /// The exit code of a command.
    pub rc: Option<i32>,
    /// Why the call failed.
    pub code: Option<FailureCode>,
}

impl ToolOutcome {
    /// Returns the result of a call that succeeded, as one JSON object.
    pub(crate) fn success(value: &impl Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(content) => Self { is_ok: true, content, ..Self::default() },
            Err(error) => Refusal::new(ErrorCode::HandlerError, error.to_string()).into(),
        }
    }
}

/// What a running tool reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolEvent {
    /// It wrote output.
    Output {
        /// Where.
        stream: Stream,
        /// What.
        text: String,
    },
    /// It has ended.
    Ended(ToolOutcome),
}

/// A tool while it runs. To drop it ends it at once.
pub trait RunningTool: Send {
    /// Returns what the tool reports next; none if nothing happens within `wait`. After [`ToolEvent::Ended`] nothing happens.
    fn next(&mut self, wait: Duration) -> Option<ToolEvent>;

    /// Ends the tool: soon, or at once and with everything that it started.
    fn stop(&mut self, is_hard: bool);
}

/// A call that has its result already.
#[derive(Debug)]
pub struct EndedTool(Option<ToolOutcome>);

impl EndedTool {
    /// Returns a call with this result.
    pub fn new(outcome: ToolOutcome) -> Self {
        Self(Some(outcome))
    }
}

impl RunningTool for EndedTool {
    fn next(&mut self, _: Duration) -> Option<ToolEvent> {
        self.0.take().map(ToolEvent::Ended)
    }

    fn stop(&mut self, _: bool) {}
}

/// Why a call does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Returns the refusal of a call that the agent may not make.
    pub(crate) fn deny(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ToolDenied, message)
    }

    /// Returns the refusal of a call with arguments that are not valid.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ArgsInvalid, message)
    }
}

impl From<Refusal> for ToolOutcome {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, message } = refusal;
        Self { is_ok: false, content: message, rc: None, code: Some(FailureCode::Known(code)) }
    }
}

impl From<Result<Self, Refusal>> for ToolOutcome {
    fn from(result: Result<Self, Refusal>) -> Self {
        result.unwrap_or_else(Self::from)
    }
}

/// The maximum number of characters of a name or path of a caller in a message.
const MAX_QUOTED: usize = 120;

/// Quotes what a caller wrote, for a message: bounded, and without characters that are not displayed.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(MAX_QUOTED).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_QUOTED).is_some() {
        quoted.push('…');
    }
    format!("`{quoted}`")
}

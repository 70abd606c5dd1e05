//! The tools of an agent, as the worker uses them.

use std::time::Duration;

use minds_fleet_protocol::{ErrorCode, FailureCode, Stream};
use minds_model_client::{ToolCall, ToolDescription};

use crate::turn::{ToolOutcome, Verdict};

/// The tools of an agent. They are asked again for every step.
pub trait Tools: Send {
    /// Returns the tools that a request offers to the model.
    fn list(&mut self) -> Vec<ToolDescription>;

    /// Returns whether a call changes something outside the agent, so that it must not run twice.
    fn has_effect(&self, call: &ToolCall) -> bool;

    /// Decides whether a call may run.
    fn judge(&mut self, call: &ToolCall) -> Verdict;

    /// Runs a call. `effect` identifies it: no two calls of an agent have the same one.
    fn run(&mut self, call: &ToolCall, effect: &str) -> Box<dyn RunningTool>;
}

/// A tool while it runs. To drop it ends it at once.
pub trait RunningTool: Send {
    /// Returns what the tool reports next; none if nothing happens within `wait`. After [`ToolEvent::Ended`] nothing happens.
    fn next(&mut self, wait: Duration) -> Option<ToolEvent>;

    /// Ends the tool: soon, or at once and with everything that it started.
    fn stop(&mut self, is_hard: bool);
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

/// The tools of an agent that has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTools;

impl Tools for NoTools {
    fn list(&mut self) -> Vec<ToolDescription> {
        Vec::new()
    }

    fn has_effect(&self, _: &ToolCall) -> bool {
        false
    }

    fn judge(&mut self, call: &ToolCall) -> Verdict {
        Verdict::Refuse(denial(&call.name))
    }

    fn run(&mut self, call: &ToolCall, _: &str) -> Box<dyn RunningTool> {
        Box::new(Ended(Some(denial(&call.name))))
    }
}

/// A call that has its result already.
struct Ended(Option<ToolOutcome>);

impl RunningTool for Ended {
    fn next(&mut self, _: Duration) -> Option<ToolEvent> {
        self.0.take().map(ToolEvent::Ended)
    }

    fn stop(&mut self, _: bool) {}
}

fn denial(name: &str) -> ToolOutcome {
    let name: String = name.chars().take(80).collect();
    ToolOutcome {
        is_ok: false,
        content: format!("the agent does not have the tool `{}`", name.escape_debug()),
        rc: None,
        code: Some(FailureCode::Known(ErrorCode::ToolDenied)),
    }
}

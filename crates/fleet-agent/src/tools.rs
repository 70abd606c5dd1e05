//! The tools of an agent, as the worker uses them.

use minds_agent_tools::{EndedTool, RunningTool, ToolOutcome};
use minds_fleet_protocol::{ErrorCode, FailureCode};
use minds_model_client::{ToolCall, ToolDescription};

use crate::config::AgentConfig;
use crate::turn::Verdict;

/// The tools of an agent. They are asked again for every step.
pub trait Tools: Send {
    /// Uses a configuration from now on, before each step; returns warnings to publish.
    fn configure(&mut self, config: &AgentConfig) -> Vec<String> {
        let _ = config;
        Vec::new()
    }

    /// Returns the tools that a request offers to the model.
    fn list(&mut self) -> Vec<ToolDescription>;

    /// Returns the name of a tool in files, by its name for models.
    fn file_name(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Returns whether a call changes something outside the agent, so that it must not run twice.
    fn has_effect(&self, call: &ToolCall) -> bool;

    /// Decides whether a call may run.
    fn judge(&mut self, call: &ToolCall) -> Verdict;

    /// Returns what the owner is asked about a call that was judged last; none to show its arguments.
    fn question(&self, call: &ToolCall) -> Option<Question> {
        let _ = call;
        None
    }

    /// Runs a call. `effect` identifies it: no two calls of an agent have the same one.
    fn run(&mut self, call: &ToolCall, effect: &str) -> Box<dyn RunningTool>;
}

/// A question to the owner about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// One line.
    pub title: String,
    /// What the call would do, as text.
    pub body: String,
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
        Box::new(EndedTool::new(denial(&call.name)))
    }
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

//! The remembered problems of an open workspace.

use std::fmt::Display;

use minds_diagnostics::Diagnostic;
use minds_state::problems;
pub(crate) use minds_state::problems::{Files, find_new, format_finding};
pub use minds_state::problems::{GatewayProblems, Problem, ProblemSource, ProblemsError, RememberedProblem};

use crate::ToolContext;

/// Returns the remembered problems: the open ones by place, then the resolved ones, the last resolved first.
///
/// # Errors
///
/// Fails if they cannot be read.
pub fn remembered_problems(context: &ToolContext) -> Result<Vec<RememberedProblem>, ProblemsError> {
    context.state()?.map_or_else(|| Ok(Vec::new()), |state| problems::read_remembered(&state, context.now()))
}

/// Returns the open problems of running MCP gateways. They are only read again if they may have changed since `before`.
pub fn gateway_problems(context: &ToolContext, before: Option<&GatewayProblems>) -> GatewayProblems {
    match context.state() {
        Ok(state) => GatewayProblems::read(state.as_ref(), context.now(), before),
        Err(_) => GatewayProblems::unreadable(),
    }
}

/// Returns the number of findings that the last validation did not find; `None` if there is no readable list of problems.
pub(crate) fn count_new(context: &ToolContext, found: &[Diagnostic]) -> Option<usize> {
    problems::count_new(&context.state().ok()??, found)
}

/// Replaces the open problems of `files` by `found`.
///
/// # Errors
///
/// Fails if the list cannot be read or written; it is unchanged then.
pub(crate) fn publish<'d>(
    context: &ToolContext,
    files: Files,
    found: impl IntoIterator<Item = &'d Diagnostic>,
) -> Result<problems::Published, ProblemsError> {
    problems::publish(&context.ensure_state()?, context.now(), files, found)
}

/// Returns a count with its noun.
pub(crate) fn plural(count: impl Copy + Display + PartialEq + From<u8>, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if count == 1.into() => format!("{count} {noun}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

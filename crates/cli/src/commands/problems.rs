//! `minds problems`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::Severity;
use minds_diagnostics::emit::printable;
use minds_toolset::{RememberedProblem, ToolContext, remembered_problems};
use serde::Serialize;

use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};
use crate::paint::{Style, paint};

/// Show what agents found wrong when they last validated the files of the team
///
/// The tools `team_mgmt_validate_team_cfg`, `team_mgmt_validate_llm_cfg` and `team_mgmt_validate_mcp_cfg` add what they
/// find, and remember of what is gone when it went. Nothing is checked here; `minds check` does that.
///
/// Exits with 0, whatever is remembered, and with 2 if that cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds problems                Show what is there
  minds problems --all          Show what is gone as well
  minds tool call team_mgmt_validate_team_cfg
                                Validate the team, and remember what is found")]
pub(crate) struct ProblemsArgs {
    /// Show problems that are gone as well; JSON always holds them
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &ProblemsArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let problems = remembered_problems(&ToolContext::find(directory)?)?;
    match args.format.chosen(out) {
        Format::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                problems: &'a [RememberedProblem],
            }
            out.json(&Document { problems: &problems });
        }
        Format::Human => {
            let is_coloured = out.is_coloured();
            for problem in problems.iter().filter(|problem| args.all || !problem.resolved) {
                out.painted(&line(problem, is_coloured));
            }
            out.remark_behind(&summary(&problems));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(problems: &[RememberedProblem]) -> String {
    if problems.is_empty() {
        return "no validation has found a problem here; `minds check` looks now".to_owned();
    }
    let resolved = problems.iter().filter(|problem| problem.resolved).count();
    let open = problems.len() - resolved;
    let plural = if open == 1 { "" } else { "s" };
    format!("{open} problem{plural}, {resolved} resolved")
}

/// Returns a problem as one line, like those of `minds check --format concise`, with what is remembered of it.
fn line(remembered: &RememberedProblem, is_coloured: bool) -> String {
    let problem = &remembered.problem;
    let file = problem.file.as_deref().map(printable).unwrap_or_default();
    let place = match problem.range.map(|range| range.start) {
        Some(start) => format!("{file}:{}:{}", start.line, start.column),
        None => file.into_owned(),
    };
    let style = match problem.severity {
        Severity::Error => Style::Red,
        Severity::Warning => Style::Yellow,
        Severity::Info => Style::Cyan,
    };
    let severity = paint(&format!("{}[{}]", problem.severity, printable(&problem.code)), style, is_coloured);
    let when = match &remembered.resolved_at {
        Some(time) => paint(&format!("resolved {}", printable(time)), Style::Green, is_coloured),
        None => format!("since {}", printable(&remembered.first_seen)),
    };
    let place = paint(&place, Style::Bold, is_coloured);
    format!("{place}: {severity}: {} ({when})\n", printable(&problem.message))
}

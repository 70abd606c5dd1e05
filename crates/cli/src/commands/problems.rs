//! `minds problems`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::Severity;
use minds_diagnostics::emit::printable;
use minds_toolset::{ProblemSource, ProblemsDocument, RememberedProblem, ToolContext, remembered_problems};

use minds_output::format::{Format, FormatArgs};
use minds_output::paint::{Style, paint};
use minds_output::{Failure, Output, count};

/// Show the recorded problems of the team and of its MCP servers
///
/// The tools `team_mgmt_validate_team_cfg`, `team_mgmt_validate_llm_cfg` and `team_mgmt_validate_mcp_cfg` record the
/// problems that they find, a running MCP gateway records those of the servers in `.minds/mcp.yaml`, and both record when
/// problems were resolved. This command checks nothing; `minds check` does that.
///
/// Exits with 0 even if there are problems, and with 2 if the record cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds problems                Show open problems
  minds problems --all          Also show resolved problems
  minds tool call team_mgmt_validate_team_cfg
                                Validate the team, and record problems")]
pub(crate) struct ProblemsArgs {
    /// Also show resolved problems; JSON output always includes them
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(directory: &Path, args: &ProblemsArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let problems = remembered_problems(&ToolContext::find(directory)?)?;
    match args.format.chosen(out) {
        Format::Json => out.document(&ProblemsDocument { problems: &problems }),
        Format::Human => {
            let is_colored = out.is_colored();
            for problem in problems.iter().filter(|problem| args.all || !problem.resolved) {
                out.push_styled(&line(problem, is_colored));
            }
            out.trailing_remark(&summary(&problems));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(problems: &[RememberedProblem]) -> String {
    if problems.is_empty() {
        return "no validation or gateway has recorded a problem; `minds check` checks the files now"
            .to_owned();
    }
    let resolved = problems.iter().filter(|problem| problem.resolved).count();
    let open = problems.len() - resolved;
    format!("{}, {resolved} resolved", count(open, "problem"))
}

/// Renders a problem as one line, like `minds check --format concise`, with its id and the time when it was found or
/// resolved.
fn line(remembered: &RememberedProblem, is_colored: bool) -> String {
    let problem = &remembered.problem;
    let file = problem.file.as_deref().map(printable).unwrap_or_default();
    let place = match (problem.range.map(|range| range.start), remembered.source) {
        (Some(start), _) => format!("{file}:{}:{}", start.line, start.column),
        (None, ProblemSource::Gateway) => "mcp gateway".to_owned(),
        (None, ProblemSource::Validation) => file.into_owned(),
    };
    let style = match problem.severity {
        Severity::Error => Style::Red,
        Severity::Warning => Style::Yellow,
        Severity::Info => Style::Cyan,
    };
    let severity = paint(&format!("{}[{}]", problem.severity, printable(&problem.code)), style, is_colored);
    let when = match &remembered.resolved_at {
        Some(time) => paint(&format!("resolved {}", printable(time)), Style::Green, is_colored),
        None => format!("since {}", printable(&remembered.first_seen)),
    };
    let id = remembered.id.as_deref().map(|id| format!("{}, ", printable(id))).unwrap_or_default();
    let place = paint(&place, Style::Bold, is_colored);
    format!("{place}: {severity}: {} ({id}{when})\n", printable(&problem.message))
}

//! `minds access lint`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::{Report, emit};
use minds_process::terminal_width;

use crate::commands::allow_nothing_to_do;
use crate::commands::check::WIDTH;
use minds_output::format::{Format, FormatArgs};
use minds_output::{Failure, Output};

/// Report entries of access lists that are misleading or have no effect
///
/// Reports entries that have no effect, because other entries cover them, deny everything that they allow, or allow nothing
/// of what they deny; entries that never match, that cover the whole workspace, or that are easily confused with other
/// entries; and deny lists that drop inherited entries. An entry is reported to have no effect if and only if removing it
/// changes the decision for no path. `minds explain CODE` explains each finding. `minds check` reports the same findings.
///
/// Exits with 0 if there are no findings or only infos, or if there is no team, and with 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds access lint
  minds access lint --format json | jq -r '.diagnostics[].message'")]
pub(super) struct LintArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(directory: &Path, args: &LintArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let Some(outcome) = allow_nothing_to_do(minds_operations::access_lint(directory), out)? else {
        if args.format.chosen(out) == Format::Json {
            out.data(&emit::json(&Report { root: ".".to_owned(), ..Report::default() }));
        }
        return Ok(ExitCode::SUCCESS);
    };
    match args.format.chosen(out) {
        Format::Human => {
            let width = terminal_width().unwrap_or(WIDTH);
            let color = out.is_colored();
            out.push_styled(&emit::human(&outcome.report, emit::Human { color, width }));
        }
        Format::Json => out.data(&emit::json(&outcome.report)),
    }
    Ok(super::exit_code(outcome.report.summary().is_clean(true)))
}

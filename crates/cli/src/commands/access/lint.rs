//! `minds access lint`

use std::path::Path;
use std::process::ExitCode;

use minds_diagnostics::{Report, emit};
use minds_system::terminal_width;

use crate::commands::check::WIDTH;
use crate::commands::unless_nothing;
use crate::format::{Format, FormatArgs};
use crate::output::{Failure, Output};

/// Report entries of access lists that are not what they seem
///
/// Those are entries that decide nothing (others cover them, deny all that they allow, or nothing of what they deny is
/// allowed), that never match, that cover the whole workspace, that are easily taken for others, and deny lists that drop
/// what they replace. An entry is reported as deciding nothing if, and only if, removing it would change the answer for no
/// path; `minds explain CODE` says what each finding means. `minds check` reports the same among everything else.
///
/// Exits with 0 if nothing or only infos were found, or if there is no team, and with 1 otherwise.
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
    let Some(outcome) = unless_nothing(minds_operations::access_lint(directory), out)? else {
        if args.format.chosen(out) == Format::Json {
            out.data(&emit::json(&Report { root: ".".to_owned(), ..Report::default() }));
        }
        return Ok(ExitCode::SUCCESS);
    };
    match args.format.chosen(out) {
        Format::Human => {
            let width = terminal_width().unwrap_or(WIDTH);
            let color = out.is_coloured();
            out.painted(&emit::human(&outcome.report, emit::Human { color, width }));
        }
        Format::Json => out.data(&emit::json(&outcome.report)),
    }
    Ok(super::code(outcome.report.summary().is_clean(true)))
}

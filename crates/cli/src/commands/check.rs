//! `minds check`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use minds_diagnostics::emit;
use minds_system::terminal_width;

use crate::output::{Failure, Output};

/// Check the workspace and report every problem
///
/// Reads the configuration of the workspace and never writes. The workspace is the nearest directory at or above PATH
/// that holds `.minds/`, `.team/team-compose.yaml`, `.ateam/` or `mind.toml`, within the repository.
///
/// Exits with 0 if no error was found, with 1 if there are errors, and with 2 if there is no such PATH.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds check                          Check the workspace that you are in
  minds check .minds/team.yaml         Print only what is found in this file
  minds check --strict                 Fail on warnings too, as in CI
  minds check --format json | jq -r '.diagnostics[].code'
                                       Let a program read the findings
  minds check --format concise         One line for each finding, as editors read it")]
pub(crate) struct CheckArgs {
    /// Directories of the workspace, or files: then only what is found in these is printed
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Exit with 1 on warnings too
    #[arg(long)]
    strict: bool,
}

/// How to print findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the lines that they are about
    Human,
    /// One line each: `file:line:column: severity[code]: message`
    Concise,
    /// One JSON document
    Json,
}

/// The width of excerpts where there is no terminal.
const WIDTH: usize = 100;

pub(crate) fn run(directory: &Path, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let outcome = minds_operations::check(directory, &args.paths)?;
    if let Some(reason) = &outcome.nothing {
        Output::remark(reason);
    }
    let report = &outcome.report;
    match args.format {
        Format::Human if outcome.nothing.is_some() && report.diagnostics.is_empty() => {}
        Format::Human => {
            let width = terminal_width().unwrap_or(WIDTH);
            let color = out.is_coloured();
            out.data(&emit::human(report, emit::Human { color, width }));
        }
        Format::Concise => out.data(&emit::concise(report)),
        Format::Json => out.data(&emit::json(report)),
    }
    Ok(if report.summary().is_clean(args.strict) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

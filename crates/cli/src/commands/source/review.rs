//! `minds source review`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit;
use minds_process::terminal_width;

use super::flags::{EarlyFlags, YesFlag};
use crate::commands::check::{Format, WIDTH};
use minds_output::format::FormatArgs;
use minds_output::{Failure, Output};

/// Check your own source before you publish it
///
/// Checks a directory as it is read when a user adds it as a source: `mind.toml`, offered and ignored
/// items, the contents of each item, references between items, and the requirements of agents for `SKILL.md`. Nothing is
/// written, fetched or run.
///
/// Exits with 0 if there are no errors, and with 1 if there are errors or the directory does not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source review                      Check the current directory
  minds source review ../agents --as jk    Check it with the prefix `jk`
  minds source review --format json | jq -r '.diagnostics[].code'
                                           Print the codes of the findings")]
pub(crate) struct ReviewArgs {
    /// The directory of the source, or its `mind.toml`
    #[arg(value_name = "TARGET", default_value = ".")]
    target: PathBuf,
    /// Check the source with this prefix; an empty PREFIX means no prefix
    #[arg(long = "as", value_name = "PREFIX")]
    prefix: Option<String>,
    #[command(flatten)]
    format: FormatArgs<Format>,
    /// Print no colors, and use only ASCII characters in the layout
    #[arg(long)]
    ascii: bool,
    #[command(flatten)]
    yes: YesFlag,
    /// Also exit with 1 on warnings
    #[arg(long)]
    strict: bool,
}

impl ReviewArgs {
    /// Applies options that were given before the name of the verb.
    pub(super) fn adopt(&mut self, early: EarlyFlags) {
        self.ascii |= early.ascii;
    }

    pub(super) fn wants_ascii(&self) -> bool {
        self.ascii
    }
}

pub(super) fn run(directory: &Path, args: &ReviewArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let reviewed = minds_installer::review(directory, &args.target, args.prefix.as_deref())?;
    let report = &reviewed.report;
    match args.format.chosen(out) {
        Format::Json => out.data(&emit::json(report)),
        Format::Human => {
            let width = terminal_width().unwrap_or(WIDTH);
            out.push_styled(&emit::human(report, emit::Human { color: out.is_colored(), width }));
        }
        Format::Concise => out.data(&emit::concise(report)),
        Format::Sarif => {
            let rules = minds_workspace::rules();
            out.data(&emit::sarif(report, emit::Tool { version: env!("CARGO_PKG_VERSION"), rules: &rules }));
        }
        Format::Github => out.data(&emit::github(report)),
    }
    // Errors already explain why a source offers nothing.
    if reviewed.items == 0 && report.summary().is_clean(false) {
        let places = "items are read from `skills/`, `agents/`, `rules/` and `tools/`, or from the directories in `mind.toml`";
        out.trailing_remark(&format!("the source offers no items: {places}"));
    }
    Ok(if report.summary().is_clean(args.strict) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

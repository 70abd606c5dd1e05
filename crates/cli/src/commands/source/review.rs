//! `minds source review`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit;
use minds_operations::source;
use minds_system::terminal_width;

use super::flags::{EarlyFlags, YesFlag};
use crate::commands::check::{Format, WIDTH};
use crate::format::FormatArgs;
use crate::output::{Failure, Output};

/// Review a source of yours before others use it
///
/// Looks at a folder as it would be looked at when somebody registers it: `mind.toml`, what is offered and what is passed
/// over, what each item consists of, references between items, and what agents want of `SKILL.md`. Nothing is written,
/// fetched or run.
///
/// Exits with 0 if no error was found, with 1 if there are errors or there is no such folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds review                       Review the source in this folder
  minds review ../agents --as jk     See what it would be with the prefix `jk`
  minds review --format json | jq -r '.diagnostics[].code'
                                     Let a program read the findings")]
pub(crate) struct ReviewArgs {
    /// The folder of the source, or its `mind.toml`
    #[arg(value_name = "TARGET", default_value = ".")]
    target: PathBuf,
    /// The prefix that the source would be used with; an empty one is none
    #[arg(long = "as", value_name = "PREFIX")]
    prefix: Option<String>,
    #[command(flatten)]
    format: FormatArgs<Format>,
    /// Print no colours, and no signs of our own that are not ASCII
    #[arg(long)]
    ascii: bool,
    #[command(flatten)]
    yes: YesFlag,
    /// Exit with 1 on warnings too
    #[arg(long)]
    strict: bool,
}

impl ReviewArgs {
    /// Takes over what stands before the verb.
    pub(super) fn adopt(&mut self, early: EarlyFlags) {
        self.ascii |= early.ascii;
    }

    pub(super) fn wants_ascii(&self) -> bool {
        self.ascii
    }
}

pub(super) fn run(directory: &Path, args: &ReviewArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let reviewed = source::review(directory, &args.target, args.prefix.as_deref())?;
    let report = &reviewed.report;
    match args.format.chosen(out) {
        Format::Json => out.data(&emit::json(report)),
        Format::Human => {
            let width = terminal_width().unwrap_or(WIDTH);
            out.painted(&emit::human(report, emit::Human { color: out.is_coloured(), width }));
        }
        Format::Concise => out.data(&emit::concise(report)),
        Format::Sarif => {
            let rules = minds_workspace::rules();
            out.data(&emit::sarif(report, emit::Tool { version: env!("CARGO_PKG_VERSION"), rules: &rules }));
        }
        Format::Github => out.data(&emit::github(report)),
    }
    // Where there are errors, they say why nothing is offered.
    if reviewed.items == 0 && report.summary().is_clean(false) {
        let places = "items lie in `skills/`, `agents/`, `rules/` and `tools/`, or where `mind.toml` says";
        out.remark_behind(&format!("nothing is offered: {places}"));
    }
    Ok(if report.summary().is_clean(args.strict) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

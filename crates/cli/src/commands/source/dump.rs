//! `minds source dump`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_operations::source::{self, DumpRequest};
use serde_json::json;

use super::flags::{FormatFlags, YesFlag};
use super::outcome::told;
use crate::output::{Failure, Output};

/// Print a `mind.toml` that brings along what is registered and installed
///
/// Melding it registers the same sources and installs the same items. With --output it is written to a folder together
/// with `mind.lock`; `minds meld --locked` of that folder installs the same commits and contents, or refuses.
///
/// What melding it without the lock would do otherwise is told on standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds dump                         Print what would be dumped
  minds dump --output team           Write `team/mind.toml` and `team/mind.lock`
  minds meld ./team --locked --yes   Install the same elsewhere")]
pub(crate) struct DumpArgs {
    /// The folder that gets `mind.toml` and `mind.lock`
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Dump all that the sources offer, whatever of it is installed
    #[arg(long)]
    whole_sources: bool,
    /// Replace files in the folder that are no dump
    #[arg(short, long, requires = "output")]
    force: bool,
    #[command(flatten)]
    pub(super) format: FormatFlags,
    #[command(flatten)]
    yes: YesFlag,
}

pub(super) fn run(directory: &Path, args: &DumpArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let request =
        DumpRequest { output: args.output.clone(), is_whole: args.whole_sources, is_forced: args.force };
    let (dump, failures) = source::dump(directory, &request)?;
    if args.format.wants_json(out) {
        out.json(&json!({
            "manifest": dump.manifest,
            "lock": dump.lock.write(),
            "warnings": dump.warnings,
        }));
    } else {
        match &args.output {
            None => out.data(&dump.manifest),
            Some(folder) => {
                for file in ["mind.toml", "mind.lock"] {
                    let file = folder.join(file).display().to_string();
                    out.data(&format!("wrote {}\n", printable(&file)));
                }
            }
        }
        dump.warnings.iter().for_each(|warning| Output::warning(warning));
    }
    Ok(told(&failures))
}

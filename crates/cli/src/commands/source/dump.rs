//! `minds source export`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minds_diagnostics::emit::printable;
use minds_installer::{DumpRequest, ExportDocument};

use super::flags::{FormatFlags, YesFlag};
use super::outcome::report_unreadable_sources;
use minds_output::{Failure, Output};

/// Export the sources and installed items as a `mind.toml`
///
/// Adding the exported directory as a source adds the same sources and installs the same items. With --output,
/// `mind.toml` and `mind.lock` are written to a directory; `minds source add --locked` of that directory installs exactly
/// the same commits and contents, or fails.
///
/// Differences that can occur without the lock file are reported on stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds source export                      Print the `mind.toml`
  minds source export --output team        Write it to `team/`, with a lock file
  minds source add ./team --locked --yes   Install the same items elsewhere")]
pub(crate) struct DumpArgs {
    /// Write `mind.toml` and `mind.lock` to this directory
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Export all items of the sources, installed or not
    #[arg(long)]
    whole_sources: bool,
    /// Replace files in the directory that are not an export
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
    let (dump, failures) = minds_installer::dump(directory, &request)?;
    if args.format.wants_json(out) {
        out.document(&ExportDocument::from(&dump));
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
    Ok(report_unreadable_sources(&failures))
}

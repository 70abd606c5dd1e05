//! `minds init`

use std::path::Path;
use std::process::ExitCode;

use minds_operations::InitOutcome;

use crate::output::{Failure, Output};

/// Write a first, commented configuration that checks clean
///
/// Writes `.minds/team.yaml` and the persona of a first member into the current directory, or into that of `-C`.
/// Never overwrites: if one of the files is there, nothing is written, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds init            Write `.minds/` here
  minds -C app init     Write `app/.minds/`")]
pub(crate) struct InitArgs {}

pub(crate) fn run(directory: &Path, _: &InitArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    match minds_operations::init(directory)? {
        InitOutcome::Written(files) => {
            for file in files {
                out.data(&format!("wrote {file}\n"));
            }
            out.data("next: edit `.minds/team.yaml`, then run `minds check`\n");
            Ok(ExitCode::SUCCESS)
        }
        InitOutcome::Exists(file) => {
            Output::remark(&format!("`{file}` already exists; nothing was written"));
            Ok(ExitCode::from(1))
        }
    }
}

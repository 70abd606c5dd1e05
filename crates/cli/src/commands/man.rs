//! `minds man`

use std::process::ExitCode;

use minds_output::{Failure, Output};

/// Print the man page of a command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds man | man -l -          Read the manual
  minds man check > minds-check.1
                                Write the page of a subcommand")]
pub(crate) struct ManArgs {
    /// The subcommand, such as `check` or `team show`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &ManArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let (name, command) = super::find_command(&args.command)?;
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = clap_mangen::Man::new(command).title(name).render(&mut page);
    out.data(&String::from_utf8_lossy(&page));
    Ok(ExitCode::SUCCESS)
}

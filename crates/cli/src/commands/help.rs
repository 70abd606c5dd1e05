//! `minds help`

use std::process::ExitCode;

use crate::output::{Failure, Output};

/// Print the help of the program, or of one of its commands
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds help             List all commands
  minds help check       Print the help of a command, as `minds check --help`
  minds help team show   Print the help of a command of a command")]
pub(crate) struct HelpArgs {
    /// The command, such as `check` or `team show`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &HelpArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    let (_, mut command) = super::find_command(&args.command)?;
    let help = command.render_long_help();
    if out.is_coloured() {
        out.painted(&help.ansi().to_string());
    } else {
        out.data(&help.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

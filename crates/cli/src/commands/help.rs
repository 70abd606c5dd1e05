//! `minds help`

use std::process::ExitCode;

use crate::args::Options;
use minds_output::{Failure, Output};

/// Print the help of a command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  minds help             List all commands
  minds help check       Print the help of `minds check`
  minds help team show   Print the help of `minds team show`
  minds help fleet ps    Print the help of `minds-fleet ps`")]
pub(crate) struct HelpArgs {
    /// The command, such as `check` or `team show` [default: list all commands]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(options: &Options, args: &HelpArgs, out: &mut Output) -> Result<ExitCode, Failure> {
    if let Some(code) = super::fleet::run_help(options, &args.command)? {
        return Ok(code);
    }
    // Reports names that do not exist.
    super::find_command(&args.command)?;
    let names = args.command.iter().map(String::as_str);
    let line = ["minds"].into_iter().chain(names).chain(["--help"]);
    let Err(help) = crate::command().try_get_matches_from(line).map_err(|error| error.render()) else {
        return Ok(ExitCode::SUCCESS);
    };
    if out.is_colored() {
        out.push_styled(&help.ansi().to_string());
    } else {
        out.data(&help.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

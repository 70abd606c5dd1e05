//! The `minds-fleet` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    minds_fleet_cli::run(std::env::args_os())
}

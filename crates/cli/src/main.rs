//! The `minds` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    minds_cli::run(std::env::args_os())
}

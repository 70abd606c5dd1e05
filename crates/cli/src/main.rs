//! The `minds` command.

use std::process::ExitCode;

// Only its feature is used, which leaves log statements out.
use tracing as _;

fn main() -> ExitCode {
    minds_cli::run(std::env::args_os())
}

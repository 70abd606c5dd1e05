//! The supervisor of one command of an agent.

use std::process::ExitCode;

use minds_exec::KernelSandbox;
use minds_process::SystemError;

use crate::command_error::CommandError;

/// Runs the supervisor until the command has ended. Its standard input is a socket to the agent.
pub(super) fn run() -> Result<ExitCode, CommandError> {
    let failed = |error| SystemError::new("supervise a command of", std::path::Path::new("stdin"), error);
    minds_exec::confine(KernelSandbox::Used).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

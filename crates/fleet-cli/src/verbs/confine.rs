//! The supervisor of one command of an agent.

use std::path::Path;
use std::process::ExitCode;

use minds_exec::{KernelSandbox, SupervisorProgram};
use minds_process::SystemError;

use crate::command_error::CommandError;

/// Returns how the supervisor is started: this program, with this command.
///
/// # Errors
///
/// Fails if the file of the program was not found.
pub(crate) fn supervisor() -> Result<SupervisorProgram, CommandError> {
    let program = minds_process::this_program()
        .map_err(|error| SystemError::new("find", Path::new("the running program"), error))?;
    Ok(SupervisorProgram { program, args: vec!["confine".into()] })
}

/// Runs the supervisor until the command has ended. Its standard input is a socket to the agent.
pub(super) fn run() -> Result<ExitCode, CommandError> {
    let failed = |error| SystemError::new("supervise a command through", Path::new("stdin"), error);
    minds_exec::confine(KernelSandbox::Used).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

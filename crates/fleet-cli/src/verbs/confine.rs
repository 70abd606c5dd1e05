//! What this program does beside an agent: it supervises a command, or connects a program with the tools of a member.

use std::path::Path;
use std::process::ExitCode;

use minds_exec::{KernelSandbox, SupervisorProgram};
use minds_fleet_agent::{OwnPrograms, RelayProgram};
use minds_process::SystemError;

use crate::command_error::CommandError;

/// Returns how this program is started for an agent.
///
/// # Errors
///
/// Fails if the file of the program was not found.
pub(crate) fn own_programs() -> Result<OwnPrograms, CommandError> {
    let failed = |error| SystemError::new("find", Path::new("the running program"), error);
    let program = minds_process::this_program().map_err(failed)?;
    let file = minds_process::program_file().map_err(failed)?;
    Ok(OwnPrograms {
        supervisor: SupervisorProgram { program, args: vec!["confine".into()] },
        relay: RelayProgram { program: file, args: vec!["relay".into()] },
    })
}

/// Runs the supervisor until the command has ended. Its standard input is a socket to the agent.
pub(super) fn run() -> Result<ExitCode, CommandError> {
    let failed = |error| SystemError::new("supervise a command through", Path::new("stdin"), error);
    minds_exec::confine(KernelSandbox::Used).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Connects stdin and stdout with the tools of a member.
pub(super) fn relay(folder: &Path) -> Result<ExitCode, CommandError> {
    let failed = |error| SystemError::new("connect to the tools of the member in", folder, error);
    minds_fleet_agent::relay(folder).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

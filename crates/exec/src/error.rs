//! Why a command was not started.

use std::io;
use std::path::PathBuf;

use minds_process::describe_io_error;

use crate::Level;

/// Why a command was not started. Nothing of it runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The supervisor cannot be started or does not answer.
    #[error("the supervisor of commands cannot be used: {}", describe_io_error(.source))]
    Supervisor {
        /// The cause.
        source: io::Error,
    },
    /// The program does not exist, or the sandbox cannot read it.
    #[error("the program `{program}` was not found")]
    NotFound {
        /// The program.
        program: String,
    },
    /// The file cannot be executed, or the sandbox does not permit it.
    #[error("the program `{program}` cannot be executed: it is not executable, or the sandbox does not permit it")]
    NotExecutable {
        /// The program.
        program: String,
    },
    /// The working directory does not exist.
    #[error("the directory `{}` does not exist or cannot be used", .directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
    },
    /// The kernel has no complete sandbox, and the rules require one.
    #[error("the kernel offers the sandbox only at the level `{level}`, and the configuration requires `full`")]
    SandboxRequired {
        /// The level that the kernel offers.
        level: Level,
    },
    /// The kernel has a sandbox and refused it.
    #[error("the sandbox cannot be set up: {reason}")]
    Sandbox {
        /// The cause.
        reason: String,
    },
    /// The system refused to start the program.
    #[error("the program `{program}` cannot be started: {reason}")]
    Refused {
        /// The program.
        program: String,
        /// The cause.
        reason: String,
    },
}

impl From<io::Error> for ExecError {
    fn from(source: io::Error) -> Self {
        Self::Supervisor { source }
    }
}

//! A program that runs beside this process and is talked to through pipes.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::describe_io_error;
use crate::group::Group;

/// The folders that are searched where `PATH` is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A program to start.
#[derive(Clone, Copy, Debug)]
pub struct ProgramCall<'c> {
    /// The program: a name, which is searched in `PATH` of its environment, or a path relative to the directory.
    pub command: &'c str,
    /// Its arguments.
    pub args: &'c [String],
    /// The variables of this process that it receives.
    pub inherited: Inherited<'c>,
    /// Further variables, which override inherited ones.
    pub variables: &'c [(String, String)],
    /// The working directory, an absolute path.
    pub directory: &'c Path,
}

/// The variables of this process that a program receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inherited<'i> {
    /// All but these.
    AllBut(&'i [&'i str]),
    /// Only these.
    Only(&'i [&'i str]),
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no such program.
    #[error("the program `{command}` was not found")]
    NotFound {
        /// The program.
        command: String,
    },
    /// The file cannot be executed.
    #[error("the program `{command}` is not an executable file")]
    NotExecutable {
        /// The program.
        command: String,
    },
    /// The working directory does not exist.
    #[error("the directory `{}` of the program `{command}` does not exist", .directory.display())]
    Directory {
        /// The program.
        command: String,
        /// The directory.
        directory: PathBuf,
    },
    /// The system refused to start it.
    #[error("the program `{command}` cannot be started: {}", describe_io_error(.source))]
    Refused {
        /// The program.
        command: String,
        /// The cause.
        source: io::Error,
    },
}

/// The ends of the pipes of a program that belong to this process. They are in blocking mode.
#[derive(Debug)]
pub struct ProgramPipes {
    /// Its standard input.
    pub stdin: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its standard error.
    pub stderr: OwnedFd,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramEnd {
    /// It exited with this status.
    Exited(i32),
    /// It was killed by this signal.
    Killed(i32),
}

/// A program in a process group of its own. Neither it nor another process of the group outlives this value.
///
/// No method waits for the program to act: who wants to end it closes its standard input, waits, calls
/// [`terminate`](Self::terminate), waits, and calls [`kill`](Self::kill). The signal `SIGCHLD` tells when to ask for the
/// [`end`](Self::end) again.
#[derive(Debug)]
pub struct Program {
    group: Group,
    id: u32,
}

impl Program {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// Fails if there is no such program, or it cannot be executed in the directory.
    pub fn start(call: &ProgramCall<'_>) -> Result<(Self, ProgramPipes), StartError> {
        let named = || call.command.to_owned();
        let variables = environment(call);
        let path = find(call, &variables)?;
        if access(call.directory, Access::EXEC_OK).is_err() {
            return Err(StartError::Directory { command: named(), directory: call.directory.to_owned() });
        }
        let refused = |source| StartError::Refused { command: named(), source };
        let spawn = |mut command: Command| {
            command.args(call.args).current_dir(call.directory).env_clear().envs(variables.iter().cloned());
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .spawn()
        };
        let mut command = Command::new(&path);
        command.arg0(call.command);
        let mut child = match spawn(command) {
            // A script that does not name its interpreter.
            Err(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
                let mut shell = Command::new("/bin/sh");
                shell.arg(&path);
                spawn(shell)
            }
            child => child,
        }
        .map_err(refused)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let id = child.id();
        let program = Self { group: Group::new(child), id };
        let missing = || refused(io::ErrorKind::BrokenPipe.into());
        let pipes = ProgramPipes {
            stdin: stdin.ok_or_else(missing)?.into(),
            stdout: stdout.ok_or_else(missing)?.into(),
            stderr: stderr.ok_or_else(missing)?.into(),
        };
        Ok((program, pipes))
    }

    /// Returns its process id, which is also that of its group.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns how the program ended; none if it still runs. Other processes of its group may still run.
    pub fn end(&mut self) -> Option<ProgramEnd> {
        // A process that cannot be asked about does not exist anymore.
        self.group.end_of_program().unwrap_or(Some(ProgramEnd::Killed(0)))
    }

    /// Asks the processes of the group to end.
    pub fn terminate(&self) {
        self.group.terminate();
    }

    /// Kills the remaining processes of the group, and returns how the program itself ended.
    pub fn kill(&mut self) -> Option<ProgramEnd> {
        self.group.kill();
        self.end()
    }
}

/// Returns the end that an exit status means.
pub(crate) fn end_of(status: ExitStatus) -> ProgramEnd {
    let signal = || ProgramEnd::Killed(status.signal().unwrap_or_default());
    status.code().map_or_else(signal, ProgramEnd::Exited)
}

impl fmt::Display for ProgramEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exited with status {status}"),
            Self::Killed(signal) => write!(f, "was killed by signal {signal}"),
        }
    }
}

fn environment(call: &ProgramCall<'_>) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = match call.inherited {
        Inherited::AllBut(names) => {
            std::env::vars_os().filter(|(name, _)| !names.iter().any(|one| name == one)).collect()
        }
        Inherited::Only(names) => {
            names.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?))).collect()
        }
    };
    variables.retain(|(name, _)| !call.variables.iter().any(|(given, _)| name == given.as_str()));
    variables.extend(call.variables.iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

/// Finds the file of a program as a shell does.
fn find(call: &ProgramCall<'_>, variables: &[(OsString, OsString)]) -> Result<PathBuf, StartError> {
    let command = || call.command.to_owned();
    let candidates: Vec<PathBuf> = if call.command.contains('/') {
        vec![call.directory.join(call.command)]
    } else {
        let path = variables.iter().find(|(name, _)| name == "PATH");
        let path = path.map_or(DEFAULT_PATH.into(), |(_, value)| value.clone());
        let folders = std::env::split_paths(&path);
        folders.map(|folder| call.directory.join(folder).join(call.command)).collect()
    };
    let mut error = StartError::NotFound { command: command() };
    if call.command.is_empty() {
        return Err(error);
    }
    for file in candidates {
        match access(&file, Access::EXEC_OK) {
            Ok(()) if file.is_file() => return Ok(file),
            Ok(()) | Err(Errno::ACCESS) => error = StartError::NotExecutable { command: command() },
            Err(_) => {}
        }
    }
    Err(error)
}

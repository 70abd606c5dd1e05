//! A command of an agent.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;
use std::time::Duration;

use crate::messages::{Request, Rules};
use crate::{ExecError, Pipes, Running, SandboxRules, Supervised};

/// What a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program, searched in `PATH` of its environment or named by its path, and its arguments.
    Argv(Vec<OsString>),
}

/// The program that supervises commands: it calls [`confine`](crate::confine) when it is started with these arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupervisorProgram {
    /// The program, an absolute path.
    pub program: PathBuf,
    /// Its arguments. Every user of the machine can read them.
    pub args: Vec<OsString>,
}

/// A command of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it runs.
    pub program: Program,
    /// Its working directory, an absolute path. The caller has checked that it lies in the working folder of the agent.
    pub cwd: PathBuf,
    /// Its environment, complete: see [`environment`](crate::environment).
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it gets a terminal of 80 columns and 24 rows. What it writes to its standard error is then part of its standard
    /// output, and lines end with `\r\n`. [`start_piped`](Self::start_piped) ignores this.
    pub pty: bool,
    /// The time after which it is stopped: `SIGTERM`, and `SIGKILL` 2 seconds later.
    pub time_limit: Option<Duration>,
    /// What it can access. None: everything that the user can.
    pub sandbox: Option<SandboxRules>,
    /// Its folder for temporary files, which exists: it becomes `TMPDIR`, and the sandbox can write it.
    pub temporary_folder: Option<PathBuf>,
}

impl Command {
    /// Starts the command without standard input. Its output and its end are read with [`Running::next`].
    ///
    /// # Errors
    ///
    /// Fails if the program, the directory or the supervisor cannot be used, or the sandbox is required and incomplete. Then
    /// nothing of the command runs.
    pub fn start(&self, supervisor: &SupervisorProgram) -> Result<Running, ExecError> {
        let request = self.request(self.pty);
        if self.pty {
            let (supervised, terminal) = Supervised::start(supervisor, &request, &[])?;
            let terminal = terminal.ok_or(io::Error::from(io::ErrorKind::InvalidData))?;
            return Running::new(supervised, terminal, None);
        }
        let (stdout, for_stdout) = io::pipe()?;
        let (stderr, for_stderr) = io::pipe()?;
        let (supervised, _) =
            Supervised::start(supervisor, &request, &[for_stdout.as_fd(), for_stderr.as_fd()])?;
        Running::new(supervised, stdout.into(), Some(stderr.into()))
    }

    /// Starts the command with these as its standard input, standard output and standard error.
    ///
    /// # Errors
    ///
    /// Fails as [`start`](Self::start) does.
    pub fn start_connected(
        &self,
        supervisor: &SupervisorProgram,
        [stdin, stdout, stderr]: [BorrowedFd<'_>; 3],
    ) -> Result<Supervised, ExecError> {
        let (supervised, _) = Supervised::start(supervisor, &self.request(false), &[stdout, stderr, stdin])?;
        Ok(supervised)
    }

    /// Starts the command with pipes as its standard streams, which the caller reads and writes.
    ///
    /// # Errors
    ///
    /// Fails as [`start`](Self::start) does.
    pub fn start_piped(&self, supervisor: &SupervisorProgram) -> Result<(Supervised, Pipes), ExecError> {
        let (for_stdin, stdin) = io::pipe()?;
        let (stdout, for_stdout) = io::pipe()?;
        let (stderr, for_stderr) = io::pipe()?;
        let descriptors = [for_stdin.as_fd(), for_stdout.as_fd(), for_stderr.as_fd()];
        let supervised = self.start_connected(supervisor, descriptors)?;
        Ok((supervised, Pipes { stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() }))
    }

    fn request(&self, has_terminal: bool) -> Request {
        let (program, args) = match &self.program {
            Program::Shell(line) => ("/bin/sh".into(), vec!["-c".into(), line.into()]),
            Program::Argv(words) => {
                let mut words = words.iter().cloned();
                (words.next().unwrap_or_default(), words.collect())
            }
        };
        let (mut variables, mut sandbox) = (self.environment.clone(), self.sandbox.clone());
        if let Some(folder) = &self.temporary_folder {
            variables.retain(|(name, _)| name != "TMPDIR");
            variables.push(("TMPDIR".into(), folder.clone().into_os_string()));
            if let Some(rules) = &mut sandbox {
                rules.write.push(folder.clone());
            }
        }
        Request {
            program,
            args,
            directory: self.cwd.clone().into_os_string(),
            variables,
            has_terminal,
            time_limit_ms: self.time_limit.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            rules: sandbox.as_ref().map(Rules::of),
        }
    }
}

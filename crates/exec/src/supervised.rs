//! A command that runs, and its supervisor.

use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use minds_process::{monotonic, pause, receive_descriptor, send_descriptors, try_send};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::messages::{KILL, Report, Request, StartFailure, TERMINATE, read_report};
use crate::{ExecError, Level, SkippedRule, SupervisorProgram};

/// The time for the end of a supervisor that was asked to kill its command.
const END_TIME: Duration = Duration::from_secs(5);
/// The interval of checks for that end.
const TICK: Duration = Duration::from_millis(1);
/// The number that a shell adds to that of a signal for an exit code.
const SIGNAL_BASE: i32 = 128;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its exit code; 128 and the number of the signal if one killed it, as in shells.
    pub rc: i32,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Whether it reached the time limit.
    pub timed_out: bool,
    /// The time from its start to its end and that of all that it started.
    pub duration: Duration,
}

/// The ends of the pipes of a command that belong to this process. They are in blocking mode.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub stdin: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its standard error.
    pub stderr: OwnedFd,
}

/// A command that runs with a supervisor. Nothing of it outlives this value: not its child processes, and not those that left
/// its process group or its session.
///
/// If this process ends in any way, the supervisor notices and kills all of it. If the supervisor itself is killed, which a
/// command can do only below [`Level::Full`] or on a kernel without limits on signals (before Linux 6.12), only the process
/// group of the command is killed.
#[derive(Debug)]
pub struct Supervised {
    child: Child,
    control: UnixStream,
    pid: u32,
    level: Level,
    skipped: Vec<SkippedRule>,
    started: Duration,
    outcome: Option<Outcome>,
}

impl Supervised {
    /// Starts a command with these descriptors: its standard output, standard error and, if it has any, standard input.
    ///
    /// Returns also the terminal, if the request asks for one.
    pub(crate) fn start(
        supervisor: &SupervisorProgram,
        request: &Request,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(Self, Option<OwnedFd>), ExecError> {
        let (mut control, theirs) = UnixStream::pair()?;
        let mut program = std::process::Command::new(&supervisor.program);
        // Without the environment of this process, which has API keys.
        program.args(&supervisor.args).env_clear().current_dir("/");
        program.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let child = program.spawn()?;
        // The command with the socket of the other side.
        drop(program);
        let mut supervised = Self {
            child,
            control: control.try_clone()?,
            pid: 0,
            level: Level::None,
            skipped: Vec::new(),
            started: monotonic(),
            outcome: None,
        };
        let message = serde_json::to_vec(request).map_err(io::Error::from)?;
        let length = u64::try_from(message.len()).unwrap_or(u64::MAX);
        send_descriptors(&control, length, descriptors)?;
        control.write_all(&message)?;
        match read_report(&control)? {
            Some(Report::Started { pid, level, skipped }) => {
                (supervised.pid, supervised.level, supervised.skipped) = (pid, level, skipped);
            }
            Some(Report::Failed(failure)) => return Err(error_of(failure, request)),
            Some(Report::Ended { .. }) => return Err(io::Error::from(io::ErrorKind::InvalidData).into()),
            None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
        let terminal = if request.has_terminal {
            let received = receive_descriptor(&control)?;
            Some(received.ok_or(io::Error::from(io::ErrorKind::UnexpectedEof))?)
        } else {
            None
        };
        Ok((supervised, terminal))
    }

    /// Returns the process id of the command, which is also that of its process group.
    pub fn id(&self) -> u32 {
        self.pid
    }

    /// Returns how much of the rules the kernel enforces.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the paths of the rules that gave nothing, each with the reason.
    pub fn skipped(&self) -> &[SkippedRule] {
        &self.skipped
    }

    /// Asks the command and all that it started to end: with `SIGTERM`, and with `SIGKILL` after 2 seconds or, if `is_hard`, at
    /// once. Does not wait for it.
    pub fn stop(&self, is_hard: bool) {
        // It has ended if its supervisor does not listen.
        let _ = try_send(&self.control, &[if is_hard { KILL } else { TERMINATE }]);
    }

    /// Waits at most `wait` for the end of the command; none if it still runs then. Its output may not be read yet.
    ///
    /// # Errors
    ///
    /// Fails if the supervisor sends something else.
    pub fn end(&mut self, wait: Duration) -> Result<Option<Outcome>, ExecError> {
        if self.outcome.is_none() {
            let mut polled = [PollFd::new(&self.control, PollFlags::IN)];
            match poll(&mut polled, Some(&timespec(wait))) {
                Ok(0) | Err(Errno::INTR) => return Ok(None),
                ready => ready.map_err(io::Error::from)?,
            };
            self.read_end()?;
        }
        Ok(self.outcome)
    }

    /// Reads the report about the end, which has arrived.
    pub(crate) fn read_end(&mut self) -> Result<(), ExecError> {
        self.outcome = Some(match read_report(&self.control)? {
            Some(Report::Ended { code, signal, timed_out, duration_ms }) => Outcome {
                rc: code.unwrap_or_else(|| SIGNAL_BASE + signal.unwrap_or_default()),
                signal,
                timed_out,
                duration: Duration::from_millis(duration_ms),
            },
            Some(_) => return Err(io::Error::from(io::ErrorKind::InvalidData).into()),
            None => self.kill_group(),
        });
        Ok(())
    }

    /// Returns the end, if it was reported.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns the socket on which the end is reported.
    pub(crate) fn control(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// Kills the process group of a command whose supervisor was killed.
    fn kill_group(&self) -> Outcome {
        let group = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // It may have ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let signal = Signal::KILL.as_raw();
        let duration = monotonic().saturating_sub(self.started);
        Outcome { rc: SIGNAL_BASE + signal, signal: Some(signal), timed_out: false, duration }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.stop(true);
        // The supervisor may wait for the rest of a request that could not be sent.
        let _ = self.control.shutdown(std::net::Shutdown::Both);
        let end = monotonic().saturating_add(END_TIME);
        while matches!(self.child.try_wait(), Ok(None)) {
            if monotonic() > end {
                let _ = self.child.kill();
                let _ = self.child.wait();
                self.kill_group();
                return;
            }
            pause(TICK);
        }
    }
}

/// Returns a time for `poll`.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

fn error_of(failure: StartFailure, request: &Request) -> ExecError {
    let program = request.program.to_string_lossy().into_owned();
    match failure {
        StartFailure::NotFound => ExecError::NotFound { program },
        StartFailure::NotExecutable => ExecError::NotExecutable { program },
        StartFailure::Directory => ExecError::Directory { directory: request.directory.clone().into() },
        StartFailure::SandboxRequired { level } => ExecError::SandboxRequired { level },
        StartFailure::Sandbox { reason } => ExecError::Sandbox { reason },
        StartFailure::Refused { reason } => ExecError::Refused { program, reason },
    }
}

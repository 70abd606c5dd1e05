//! The supervisor of one command: it confines it, and ends everything that it left running.
//!
//! It is a process of its own, because only the parent of a command learns about all that descend from it, and the agent has
//! other children. It is not confined itself, because it finds these processes through `/proc`: only the thread that starts the
//! command restricts itself, and the command inherits that.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use minds_process::{
    adopt_descendants, close_inherited_descriptors, describe_io_error, kill_descendants, monotonic,
    reap_adopted_except, receive_descriptors, send_descriptor, standard_input_socket, start_session,
    terminate_descendants, watch_signals,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, waitid};

use crate::kernel_sandbox::{KernelSandbox, Level, available_level, restrict_thread};
use crate::messages::{KILL, MAX_REQUEST_BYTES, Report, Request, StartFailure, TERMINATE};
use crate::rule_paths::{OpenRule, open_rules};
use crate::terminal::{CommandSide, open_terminal};
use crate::{SandboxRules, SkippedRule};

/// The time between `SIGTERM` and `SIGKILL`.
const GRACE: Duration = Duration::from_secs(2);
/// The interval of checks for adopted processes that have ended.
const TICK: Duration = Duration::from_secs(1);

/// Supervises one command, which the agent that started this process describes on its standard input, a socket.
///
/// The program of [`SupervisorProgram`](crate::SupervisorProgram) calls this first, before it opens any file or starts a thread:
/// all descriptors but the standard streams are closed. Returns when nothing of the command runs anymore.
///
/// # Errors
///
/// Fails if the standard input is not a socket from an agent.
pub fn confine(kernel: KernelSandbox) -> io::Result<()> {
    close_inherited_descriptors()?;
    // The command must not reach the terminal of the agent: what it writes there could become input of a shell.
    start_session();
    adopt_descendants()?;
    let control = standard_input_socket()?;
    let (request, streams) = receive_request(&control)?;
    let (own, for_signals) = UnixStream::pair()?;
    watch_signals(move |_| {
        // It is full if the wish was made already.
        let _ = (&for_signals).write(&[TERMINATE]);
    })?;
    let time_limit = request.time_limit_ms.map(Duration::from_millis);
    let started = monotonic();
    let begun = match start(request, streams, kernel) {
        Ok(begun) => begun,
        Err(failure) => return report(&control, &Report::Failed(failure)),
    };
    let supervision = Supervision { control: &control, signals: &own, pid: pid_of(&begun.child)?, started };
    let announced = report(&control, &Report::Started {
        pid: begun.child.id(),
        level: begun.level,
        skipped: begun.skipped,
    });
    // If the agent has ended, the socket says so, and the command is killed.
    let announced = announced.and_then(|()| match &begun.terminal {
        Some(terminal) => send_descriptor(&control, terminal),
        None => Ok(()),
    });
    drop(begun.terminal);
    let (status, timed_out) = supervision.run(time_limit, announced.is_err())?;
    kill_descendants();
    let (code, signal) = status.map_or((None, None), |status| (status.exit_status(), status.terminating_signal()));
    let duration_ms = u64::try_from(monotonic().saturating_sub(started).as_millis()).unwrap_or(u64::MAX);
    match report(&control, &Report::Ended { code, signal, timed_out, duration_ms }) {
        // Nobody waits for the report of a command that was dropped.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        reported => reported,
    }
}

fn receive_request(control: &UnixStream) -> io::Result<(Request, Vec<OwnedFd>)> {
    let received = receive_descriptors(control)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if received.number > MAX_REQUEST_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    control.take(received.number).read_to_end(&mut bytes)?;
    Ok((serde_json::from_slice(&bytes)?, received.descriptors))
}

fn report(mut control: &UnixStream, report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    control.write_all(&line)
}

fn pid_of(child: &Child) -> io::Result<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A command that has started.
struct Begun {
    child: Child,
    level: Level,
    skipped: Vec<SkippedRule>,
    terminal: Option<OwnedFd>,
}

/// Where the standard streams of the command lead.
enum Streams {
    Pipes { stdin: Stdio, stdout: OwnedFd, stderr: OwnedFd },
    Terminal(CommandSide),
}

fn start(request: Request, descriptors: Vec<OwnedFd>, kernel: KernelSandbox) -> Result<Begun, StartFailure> {
    let refused = |error: io::Error| StartFailure::Refused { reason: describe_io_error(&error) };
    let folder = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
    if openat(CWD, Path::new(&request.directory), folder, Mode::empty()).is_err() {
        return Err(StartFailure::Directory);
    }
    let (terminal, streams) = if request.has_terminal {
        let (terminal, side) = open_terminal().map_err(refused)?;
        (Some(terminal), Streams::Terminal(side))
    } else {
        (None, take_pipes(descriptors).map_err(refused)?)
    };
    let rules = request.rules.map(crate::messages::Rules::into_rules);
    let (opened, skipped) = rules.as_ref().map(open_rules).unzip();
    let mut command = Command::new(&request.program);
    command.args(&request.args).current_dir(&request.directory).env_clear().envs(request.variables);
    // The restriction holds for a thread and what it starts, and cannot be lifted.
    let starter = std::thread::Builder::new().name("starter".to_owned()).spawn(move || {
        let level = restrict(rules.as_ref(), opened.as_deref().unwrap_or_default(), kernel)?;
        Ok((spawn(command, streams)?, level))
    });
    let joined = starter.map_err(refused)?.join();
    let (child, level) =
        joined.unwrap_or_else(|_| Err(StartFailure::Refused { reason: "its starter has failed".to_owned() }))?;
    Ok(Begun { child, level, skipped: skipped.unwrap_or_default(), terminal })
}

fn take_pipes(descriptors: Vec<OwnedFd>) -> io::Result<Streams> {
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next().ok_or(io::Error::from(io::ErrorKind::InvalidData));
    let (stdout, stderr) = (next()?, next()?);
    let stdin = next().map_or_else(|_| Stdio::null(), Stdio::from);
    Ok(Streams::Pipes { stdin, stdout, stderr })
}

/// Restricts this thread, if the command has rules.
fn restrict(
    rules: Option<&SandboxRules>,
    opened: &[OpenRule],
    kernel: KernelSandbox,
) -> Result<Level, StartFailure> {
    let Some(rules) = rules else { return Ok(Level::None) };
    let offered = if kernel == KernelSandbox::Used { available_level() } else { Level::None };
    let expected = if rules.reads_proc { offered.min(Level::Partial) } else { offered };
    if rules.is_required && expected < Level::Full {
        return Err(StartFailure::SandboxRequired { level: expected });
    }
    if offered == Level::None {
        return Ok(Level::None);
    }
    let level = restrict_thread(opened).map_err(|reason| StartFailure::Sandbox { reason })?;
    Ok(level.min(expected))
}

fn spawn(mut command: Command, streams: Streams) -> Result<Child, StartFailure> {
    let spawned = match streams {
        Streams::Terminal(side) => side.spawn(command),
        Streams::Pipes { stdin, stdout, stderr } => {
            command.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0).spawn()
        }
    };
    spawned.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StartFailure::NotFound,
        io::ErrorKind::PermissionDenied => StartFailure::NotExecutable,
        _ => StartFailure::Refused { reason: describe_io_error(&error) },
    })
}

/// The supervision of a command that runs.
struct Supervision<'s> {
    control: &'s UnixStream,
    signals: &'s UnixStream,
    pid: Pid,
    started: Duration,
}

impl Supervision<'_> {
    /// Waits for the end of the command, and returns its status and whether it reached the time limit.
    fn run(&self, time_limit: Option<Duration>, is_over: bool) -> io::Result<(Option<WaitIdStatus>, bool)> {
        let mut deadline = time_limit.map(|limit| self.started.saturating_add(limit));
        let (mut kill_at, mut timed_out) = (is_over.then_some(Duration::ZERO), false);
        let ended = EndOf::open(self.pid)?;
        loop {
            if let Some(status) = self.status(WaitIdOptions::NOHANG)? {
                return Ok((Some(status), timed_out));
            }
            let now = monotonic();
            if kill_at.is_some_and(|time| time <= now) {
                // It may have ended.
                let _ = kill_process(self.pid, Signal::KILL);
                return Ok((self.status(WaitIdOptions::empty())?, timed_out));
            }
            if deadline.is_some_and(|time| time <= now) {
                (deadline, timed_out) = (None, true);
                terminate_descendants();
                kill_at.get_or_insert(now.saturating_add(GRACE));
            }
            reap_adopted_except(u32::try_from(self.pid.as_raw_nonzero().get()).unwrap_or_default());
            let next = [kill_at, deadline].into_iter().flatten().min();
            let wait = next.map_or(TICK, |time| time.saturating_sub(now).min(TICK));
            match self.wish(&ended, wait)? {
                Some(TERMINATE) if kill_at.is_none() => {
                    terminate_descendants();
                    kill_at = Some(now.saturating_add(GRACE));
                }
                Some(KILL) => kill_at = Some(Duration::ZERO),
                _ => {}
            }
        }
    }

    fn status(&self, options: WaitIdOptions) -> io::Result<Option<WaitIdStatus>> {
        loop {
            match waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | options) {
                Err(Errno::INTR) => {}
                status => return Ok(status?),
            }
        }
    }

    /// Waits for a wish of the agent or a signal; its end is the wish to kill.
    fn wish(&self, ended: &EndOf, wait: Duration) -> io::Result<Option<u8>> {
        let mut polled = vec![PollFd::new(self.control, PollFlags::IN), PollFd::new(self.signals, PollFlags::IN)];
        polled.extend(ended.descriptor().map(|end| PollFd::from_borrowed_fd(end, PollFlags::IN)));
        // A microsecond more, so that the time has come when the wait ends.
        let wait = ended.limit(wait).saturating_add(Duration::from_micros(1));
        let time = Timespec {
            tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: wait.subsec_nanos().into(),
        };
        match poll(&mut polled, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready: Vec<bool> = polled.iter().map(|one| !one.revents().is_empty()).collect();
        let (from_agent, from_signals) =
            (is_ready.first() == Some(&true), is_ready.get(1) == Some(&true));
        let mut byte = [0];
        if from_agent {
            return Ok(match (&*self.control).read(&mut byte) {
                Ok(1) => byte.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
                _ => Some(KILL),
            });
        }
        Ok(if from_signals && (&*self.signals).read(&mut byte).is_ok_and(|count| count > 0) {
            Some(TERMINATE)
        } else {
            None
        })
    }
}

/// Notices the end of a process, which stays as a zombie.
struct EndOf {
    #[cfg(target_os = "linux")]
    descriptor: OwnedFd,
}

#[cfg(target_os = "linux")]
impl EndOf {
    fn open(pid: Pid) -> io::Result<Self> {
        let descriptor = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
        Ok(Self { descriptor })
    }

    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        Some(self.descriptor.as_fd())
    }

    /// Returns how long to wait at once.
    fn limit(&self, wait: Duration) -> Duration {
        wait
    }
}

#[cfg(not(target_os = "linux"))]
impl EndOf {
    fn open(_: Pid) -> io::Result<Self> {
        Ok(Self {})
    }

    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        None
    }

    /// Returns how long to wait at once: the end is noticed only when it is asked for.
    fn limit(&self, wait: Duration) -> Duration {
        wait.min(Duration::from_millis(10))
    }
}

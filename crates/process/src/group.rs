//! Running a program in a process group of its own.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::program::{ProgramEnd, end_of};

/// The interval of checks for the end of the program while its output pipes are open.
const TICK: Duration = Duration::from_millis(50);
/// The interval after the pipes were closed, when the program is about to exit.
const SHORT_TICK: Duration = Duration::from_millis(1);
/// The number of bytes read at once.
const CHUNK: usize = 1 << 16;

/// Receives the output of a program. Each method can stop the program.
pub trait Listener {
    /// Handles bytes from standard output.
    fn output(&mut self, bytes: &[u8]) -> ControlFlow<()>;

    /// Handles bytes from standard error.
    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()>;

    /// Is called repeatedly while the program runs.
    fn tick(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited.
    Exited(ExitStatus),
    /// It reached the timeout and was killed.
    TimedOut,
    /// The listener stopped it, and it was killed.
    Stopped,
}

/// Runs a program with `input` on standard input for at most `time`, and then kills the remaining processes
/// of its group.
///
/// # Errors
///
/// Fails if the program cannot be started.
pub fn run_program(
    mut command: Command,
    input: &[u8],
    time: Duration,
    listener: &mut dyn Listener,
) -> io::Result<End> {
    let deadline = Instant::now() + time;
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut group = Group::new(command.spawn()?);
    let mut pipes = Pipes::of(&mut group.child, input)?;
    let ended = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break None;
        }
        let tick = if pipes.are_closed() { SHORT_TICK } else { TICK };
        if pipes.wait(tick.min(left), listener)?.is_break() || listener.tick().is_break() {
            group.kill();
            return Ok(End::Stopped);
        }
        if group.end_of_program()?.is_some() {
            // Its last output is still in the pipes, possibly followed by output of its remaining child processes.
            let flow = pipes.drain_all(listener)?;
            break Some(flow);
        }
    };
    let status = group.kill();
    Ok(match (ended, status) {
        (Some(ControlFlow::Continue(())), Some(status)) => End::Exited(status),
        (Some(_), _) => End::Stopped,
        (None, _) => End::TimedOut,
    })
}

/// The process ids of programs that were not waited for yet.
static STARTED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Returns the process ids of programs that were not waited for yet.
pub(crate) fn lock_started_groups() -> MutexGuard<'static, BTreeSet<u32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running program and its descendants. They do not outlive this value.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    is_over: bool,
    /// How the program ended; none as long as it was not reaped.
    status: Option<ExitStatus>,
}

impl Group {
    /// Returns the group of a program that was started as its leader.
    pub(crate) fn new(child: Child) -> Self {
        lock_started_groups().insert(child.id());
        Self { child, is_over: false, status: None }
    }

    /// Returns how the program ended; none if it still runs. It is not reaped, so that its process id remains that of its
    /// group.
    pub(crate) fn end_of_program(&self) -> io::Result<Option<ProgramEnd>> {
        if self.is_over {
            let end = self.status.map(end_of);
            return Ok(end.or(Some(ProgramEnd::Killed(0))));
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), options) {
                Err(Errno::INTR) => {}
                status => {
                    return Ok(status?.map(|status| {
                        let signal = || ProgramEnd::Killed(status.terminating_signal().unwrap_or_default());
                        status.exit_status().map_or_else(signal, ProgramEnd::Exited)
                    }));
                }
            }
        }
    }

    /// Asks the processes of the group to end.
    pub(crate) fn terminate(&self) {
        if !self.is_over {
            // The group may already be empty.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::TERM);
        }
    }

    /// Kills the remaining processes of the group, and returns how the program itself ended.
    pub(crate) fn kill(&mut self) -> Option<ExitStatus> {
        if !self.is_over {
            // The group may already be empty.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.status = self.child.wait().ok();
            lock_started_groups().remove(&self.child.id());
            self.is_over = true;
        }
        self.status
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The parent's ends of the pipes; a closed pipe is none.
struct Pipes<'i> {
    input: Option<(ChildStdin, &'i [u8])>,
    output: Option<std::process::ChildStdout>,
    errors: Option<std::process::ChildStderr>,
    chunk: Vec<u8>,
}

impl<'i> Pipes<'i> {
    fn of(child: &mut Child, input: &'i [u8]) -> io::Result<Self> {
        let input = child.stdin.take().map(|pipe| (pipe, input));
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        if let Some((pipe, _)) = &input {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        if let Some(pipe) = &output {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        if let Some(pipe) = &errors {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self { input, output, errors, chunk: vec![0; CHUNK] })
    }

    fn are_closed(&self) -> bool {
        self.output.is_none() && self.errors.is_none()
    }

    /// Waits at most `time` until a pipe is ready, and transfers its data.
    fn wait(&mut self, time: Duration, listener: &mut dyn Listener) -> io::Result<ControlFlow<()>> {
        let mut ends = Vec::with_capacity(3);
        if let Some((pipe, _)) = &self.input {
            ends.push(PollFd::new(pipe, PollFlags::OUT));
        }
        if let Some(pipe) = &self.output {
            ends.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let Some(pipe) = &self.errors {
            ends.push(PollFd::new(pipe, PollFlags::IN));
        }
        let time = Timespec {
            tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        match poll(&mut ends, Some(&time)) {
            Ok(0) | Err(Errno::INTR) => return Ok(ControlFlow::Continue(())),
            ready => ready?,
        };
        self.write()?;
        self.read(listener, 1)
    }

    /// Reads the remaining data of the pipes without waiting for more.
    fn drain_all(&mut self, listener: &mut dyn Listener) -> io::Result<ControlFlow<()>> {
        // Remaining child processes may print forever.
        const MAX_CHUNKS: usize = 1_024;
        self.read(listener, MAX_CHUNKS)
    }

    fn write(&mut self) -> io::Result<()> {
        let Some((pipe, left)) = &mut self.input else { return Ok(()) };
        match rustix::io::write(&*pipe, left) {
            Ok(count) => *left = left.get(count..).unwrap_or_default(),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // The program does not read its input; its own output explains why.
            Err(Errno::PIPE) => *left = &[],
            Err(error) => return Err(error.into()),
        }
        if left.is_empty() {
            self.input = None;
        }
        Ok(())
    }

    fn read(&mut self, listener: &mut dyn Listener, chunks: usize) -> io::Result<ControlFlow<()>> {
        let Self { output, errors, chunk, .. } = self;
        let mut flow = drain(output, chunk, chunks, |bytes| listener.output(bytes))?;
        if flow.is_continue() {
            flow = drain(errors, chunk, chunks, |bytes| listener.errors(bytes))?;
        }
        Ok(flow)
    }
}

/// Reads at most `chunks` chunks from a pipe, and drops a closed pipe.
fn drain<P: AsFd>(
    pipe: &mut Option<P>,
    chunk: &mut [u8],
    chunks: usize,
    mut handle: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    for _ in 0..chunks {
        let Some(end) = pipe else { break };
        match rustix::io::read(end.as_fd(), &mut *chunk) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                let flow = handle(chunk.get(..count).unwrap_or_default());
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            Err(Errno::AGAIN) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ControlFlow::Continue(()))
}

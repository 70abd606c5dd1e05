//! One process group, from its start to its end.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long nobody looks whether the program has ended while others hold on to what it printed to.
const TICK: Duration = Duration::from_millis(50);
/// The same once it has closed all of that: then it is about to end.
const SHORT_TICK: Duration = Duration::from_millis(1);
/// How many bytes are taken at once.
const PORTION: usize = 1 << 16;

/// Who hears what a program prints. Each call may end the program.
pub(crate) trait Listener {
    /// Takes what came on standard output.
    fn output(&mut self, bytes: &[u8]) -> ControlFlow<()>;

    /// Takes what came on standard error.
    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()>;

    /// Is asked again and again while the program runs.
    fn tick(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// Its time was up, and it was killed.
    TimedOut,
    /// The listener wanted no more, and it was killed.
    Stopped,
}

/// Runs a program with `input` on standard input, for at most `time`, and kills what is left of its group then.
///
/// # Errors
///
/// Fails if it cannot be started.
pub(crate) fn run(
    mut command: Command,
    input: &[u8],
    time: Duration,
    listener: &mut dyn Listener,
) -> io::Result<End> {
    let deadline = Instant::now() + time;
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut group = Group { child: command.spawn()?, is_over: false };
    let mut pipes = Pipes::of(&mut group.child, input)?;
    let ended = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break None;
        }
        let tick = if pipes.are_closed() { SHORT_TICK } else { TICK };
        if pipes.wait(tick.min(left), listener)?.is_break() || listener.tick().is_break() {
            group.end();
            return Ok(End::Stopped);
        }
        if group.has_ended()? {
            // What it printed last is still in the pipes, and perhaps more by those whom it left behind.
            let heard = pipes.rest(listener)?;
            break Some(heard);
        }
    };
    let status = group.end();
    Ok(match (ended, status) {
        (Some(ControlFlow::Continue(())), Some(status)) => End::Exited(status),
        (Some(_), _) => End::Stopped,
        (None, _) => End::TimedOut,
    })
}

/// A program that was started, with all whom it starts. They do not outlive this value.
struct Group {
    child: Child,
    is_over: bool,
}

impl Group {
    /// Returns whether the program ended. It stays there as a dead one, so that its number stays that of its group.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), options) {
                Err(Errno::INTR) => {}
                looked => return Ok(looked?.is_some()),
            }
        }
    }

    /// Kills all that are left, and returns how the program itself ended.
    fn end(&mut self) -> Option<ExitStatus> {
        // There may be nobody.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        self.is_over = true;
        self.child.wait().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_over {
            self.end();
        }
    }
}

/// The ends of the pipes to a program; closed ones are none.
struct Pipes<'i> {
    input: Option<(ChildStdin, &'i [u8])>,
    output: Option<std::process::ChildStdout>,
    errors: Option<std::process::ChildStderr>,
    portion: Vec<u8>,
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
        Ok(Self { input, output, errors, portion: vec![0; PORTION] })
    }

    fn are_closed(&self) -> bool {
        self.output.is_none() && self.errors.is_none()
    }

    /// Waits until something can be written or read, at most so long, and does it.
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
        self.take(listener, 1)
    }

    /// Hears what is in the pipes without waiting for more.
    fn rest(&mut self, listener: &mut dyn Listener) -> io::Result<ControlFlow<()>> {
        // Whoever was left behind may print for ever.
        const MAX_PORTIONS: usize = 1_024;
        self.take(listener, MAX_PORTIONS)
    }

    fn write(&mut self) -> io::Result<()> {
        let Some((pipe, left)) = &mut self.input else { return Ok(()) };
        match rustix::io::write(&*pipe, left) {
            Ok(count) => *left = left.get(count..).unwrap_or_default(),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // It does not read what it gets; what it prints says why.
            Err(Errno::PIPE) => *left = &[],
            Err(error) => return Err(error.into()),
        }
        if left.is_empty() {
            self.input = None;
        }
        Ok(())
    }

    fn take(&mut self, listener: &mut dyn Listener, portions: usize) -> io::Result<ControlFlow<()>> {
        let Self { output, errors, portion, .. } = self;
        let mut heard = drain(output, portion, portions, |bytes| listener.output(bytes))?;
        if heard.is_continue() {
            heard = drain(errors, portion, portions, |bytes| listener.errors(bytes))?;
        }
        Ok(heard)
    }
}

/// Takes at most so many portions of what is in a pipe, and drops the end of one that is closed.
fn drain<P: AsFd>(
    pipe: &mut Option<P>,
    portion: &mut [u8],
    portions: usize,
    mut hear: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    for _ in 0..portions {
        let Some(end) = pipe else { break };
        match rustix::io::read(end.as_fd(), &mut *portion) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                let heard = hear(portion.get(..count).unwrap_or_default());
                if heard.is_break() {
                    return Ok(heard);
                }
            }
            Err(Errno::AGAIN) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ControlFlow::Continue(()))
}

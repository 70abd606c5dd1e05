//! The output and the end of a command.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use minds_process::monotonic;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::supervised::timespec;
use crate::{ExecError, Level, Outcome, SkippedRule, Supervised};

/// The number of bytes read at once: the size of a pipe.
const CHUNK: usize = 1 << 16;
/// The maximum number of bytes that are read after the end of a command: more than any pipe of it can hold. A program outside may
/// have received the pipe and write on.
const MAX_LATE_BYTES: usize = 2 << 20;

/// One of the two output streams of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Standard output, or the terminal.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecEvent {
    /// It wrote these bytes, at most 64 KiB. They are untrusted, and a character can be split.
    Output {
        /// Where it wrote them.
        stream: Stream,
        /// What it wrote.
        bytes: Vec<u8>,
    },
    /// It has ended, and so has everything that it started. Nothing follows.
    Ended(Outcome),
}

/// A running command. Dropping it kills everything that it started.
///
/// No thread reads in the background: a command waits in its next write if its output is not read, so at most 64 KiB of it are
/// held here.
#[derive(Debug)]
pub struct Running {
    supervised: Supervised,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    /// The stream that was read last; the other one comes first now.
    last: Stream,
    chunk: Vec<u8>,
    late_bytes: usize,
    has_ended: bool,
}

impl Running {
    pub(crate) fn new(supervised: Supervised, stdout: OwnedFd, stderr: Option<OwnedFd>) -> Result<Self, ExecError> {
        for pipe in [Some(&stdout), stderr.as_ref()].into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true).map_err(io::Error::from)?;
        }
        Ok(Self {
            supervised,
            stdout: Some(stdout),
            stderr,
            last: Stream::Stderr,
            chunk: vec![0; CHUNK],
            late_bytes: 0,
            has_ended: false,
        })
    }

    /// Waits at most `wait` for the next event. None if nothing happens until then, and always after [`ExecEvent::Ended`].
    ///
    /// # Errors
    ///
    /// Fails if a pipe or the supervisor cannot be read.
    pub fn next(&mut self, wait: Duration) -> Result<Option<ExecEvent>, ExecError> {
        let deadline = monotonic().saturating_add(wait);
        while !self.has_ended {
            if let Some(outcome) = self.supervised.outcome() {
                // All writers have ended, so what is not in the pipes yet never comes.
                let late = self.read()?;
                if late.is_none() || self.late_bytes > MAX_LATE_BYTES {
                    self.has_ended = true;
                    return Ok(Some(ExecEvent::Ended(outcome)));
                }
                return Ok(late);
            }
            let left = deadline.saturating_sub(monotonic());
            if self.poll(left)? {
                self.supervised.read_end()?;
                continue;
            }
            if let Some(output) = self.read()? {
                return Ok(Some(output));
            }
            if left.is_zero() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Stops the command, as [`Supervised::stop`] does. Its last output and its end are still to be read.
    pub fn stop(&self, is_hard: bool) {
        self.supervised.stop(is_hard);
    }

    /// Returns the process id of the command.
    pub fn id(&self) -> u32 {
        self.supervised.id()
    }

    /// Returns how much of the rules the kernel enforces.
    pub fn level(&self) -> Level {
        self.supervised.level()
    }

    /// Returns the paths of the rules that gave nothing, each with the reason.
    pub fn skipped(&self) -> &[SkippedRule] {
        self.supervised.skipped()
    }

    /// Waits until something can be read, and returns whether it is the report about the end.
    fn poll(&self, wait: Duration) -> Result<bool, ExecError> {
        let mut polled = vec![PollFd::from_borrowed_fd(self.supervised.control(), PollFlags::IN)];
        let pipes = [self.stdout.as_ref(), self.stderr.as_ref()];
        polled.extend(pipes.into_iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        match poll(&mut polled, Some(&timespec(wait))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        Ok(polled.first().is_some_and(|control| !control.revents().is_empty()))
    }

    /// Reads what is in one of the pipes.
    fn read(&mut self) -> Result<Option<ExecEvent>, ExecError> {
        let order = match self.last {
            Stream::Stdout => [Stream::Stderr, Stream::Stdout],
            Stream::Stderr => [Stream::Stdout, Stream::Stderr],
        };
        for stream in order {
            let pipe = match stream {
                Stream::Stdout => &mut self.stdout,
                Stream::Stderr => &mut self.stderr,
            };
            let Some(open) = pipe else { continue };
            match rustix::io::read(open.as_fd(), &mut *self.chunk) {
                // A terminal without writers fails with this error.
                Ok(0) | Err(Errno::IO) => *pipe = None,
                Ok(count) => {
                    self.last = stream;
                    if self.supervised.outcome().is_some() {
                        self.late_bytes += count;
                    }
                    let bytes = self.chunk.get(..count).unwrap_or_default().to_vec();
                    return Ok(Some(ExecEvent::Output { stream, bytes }));
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        Ok(None)
    }
}

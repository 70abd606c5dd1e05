//! The standard output of a program, which is watched closely while a call runs that the program is likely to answer at once.
//!
//! A thread that sleeps takes tens of microseconds to wake up, which is longer than many servers take for a call. So the thread
//! that reads the answer stays awake for a moment, but only for servers whose answers arrive in that time.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::AsFd as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::client::lines::Readable;
use crate::client::wire::lock;

/// The time for which an answer is watched for.
const WATCH_TIME: Duration = Duration::from_micros(100);
/// The maximum number of calls that are not watched for after one whose answer took longer.
const MAX_PAUSE: u32 = 1023;

/// Announces that an answer is likely to arrive at once.
#[derive(Default)]
pub(super) struct Announcements {
    announced: Notify,
    patience: Mutex<Patience>,
}

impl Announcements {
    /// Announces the answer to a call, if those to former calls arrived at once.
    pub(super) fn announce(&self) {
        if lock(&self.patience).is_worth_it() {
            self.announced.notify_one();
        }
    }
}

/// Decides whether an answer is watched for.
#[derive(Debug, Default)]
struct Patience {
    /// The number of calls that are not watched for.
    pause: u32,
    /// The last such number.
    last: u32,
}

impl Patience {
    fn is_worth_it(&mut self) -> bool {
        self.pause = match self.pause.checked_sub(1) {
            Some(rest) => rest,
            None => return true,
        };
        false
    }

    fn record(&mut self, has_arrived: bool) {
        self.last = if has_arrived { 0 } else { MAX_PAUSE.min(self.last * 2 + 1) };
        self.pause = self.last;
    }
}

/// The standard output of a program.
pub(super) struct ProgramOutput<'r> {
    pipe: pipe::Receiver,
    /// The same pipe, which is read without asking whether there is something.
    unasked: PipeReader,
    /// Whether there is something that the runtime does not know of yet.
    has_arrived: AtomicBool,
    announcements: &'r Announcements,
    /// Without a second processor, the program would not run meanwhile.
    can_watch: bool,
}

impl<'r> ProgramOutput<'r> {
    /// # Errors
    ///
    /// Fails if the process has too few file descriptors.
    pub(super) fn new(pipe: pipe::Receiver, announcements: &'r Announcements) -> io::Result<Self> {
        let unasked = PipeReader::from(pipe.as_fd().try_clone_to_owned()?);
        let can_watch = available_parallelism().is_ok_and(|count| count.get() > 1);
        Ok(Self { pipe, unasked, has_arrived: AtomicBool::new(false), announcements, can_watch })
    }

    /// Watches for an answer, and returns whether it has arrived.
    fn watch(&self) -> bool {
        let end = Instant::now() + WATCH_TIME;
        let has_arrived = loop {
            if minds_process::has_input(&self.unasked) {
                break true;
            }
            if Instant::now() >= end {
                break false;
            }
            std::hint::spin_loop();
        };
        lock(&self.announcements.patience).record(has_arrived);
        has_arrived
    }
}

impl Readable for ProgramOutput<'_> {
    async fn readable(&self) -> io::Result<()> {
        loop {
            tokio::select! {
                biased;
                result = self.pipe.readable() => return result,
                () = self.announcements.announced.notified() => if self.can_watch && self.watch() {
                    self.has_arrived.store(true, Ordering::Relaxed);
                    return Ok(());
                },
            }
        }
    }

    fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        if self.has_arrived.swap(false, Ordering::Relaxed) {
            return (&self.unasked).read(space);
        }
        self.pipe.try_read(space)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_servers_are_soon_not_watched_for() {
        let mut patience = Patience::default();
        let mut watched = 0;
        for _ in 0..10_000 {
            if patience.is_worth_it() {
                watched += 1;
                patience.record(false);
            }
        }
        assert!(watched < 25, "{watched}");
        while !patience.is_worth_it() {}
        patience.record(true);
        assert!((0..1_000).all(|_| {
            patience.record(true);
            patience.is_worth_it()
        }));
    }

    #[tokio::test]
    async fn what_arrives_is_read_once_whether_it_is_announced_or_not() {
        let (sender, receiver) = pipe::pipe().unwrap();
        let announcements = Announcements::default();
        let output = ProgramOutput::new(receiver, &announcements).unwrap();
        for is_announced in [true, false, true, true, false] {
            if is_announced {
                announcements.announce();
            }
            sender.writable().await.unwrap();
            assert_eq!(sender.try_write(b"answer\n").unwrap(), 7);
            let mut space = [0; 64];
            let count = loop {
                output.readable().await.unwrap();
                match output.try_read(&mut space) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => break read.unwrap(),
                }
            };
            assert_eq!(&space[..count], b"answer\n");
        }
    }
}

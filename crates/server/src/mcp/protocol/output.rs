//! Lines on stdout, from several threads.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

/// The maximum length of a line that its own thread writes. The system writes so much to a pipe at once, or waits.
pub(super) const MAX_DIRECT: usize = 4096;

/// Writes lines to stdout. Mostly the thread that has a line can write it without waiting, and no other thread is needed.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<State>);

/// Where lines are written.
#[derive(Default)]
enum Output {
    #[default]
    Stdout,
    #[cfg(test)]
    Test(Receive),
}

/// Receives a line in a test.
#[cfg(test)]
type Receive = Box<dyn Fn(&[u8]) + Send + Sync>;

#[derive(Default)]
struct State {
    /// The number of lines that were given to the writing thread and are not written.
    queued: AtomicUsize,
    writing: Mutex<()>,
    output: Output,
}

impl Lines {
    /// Returns an output that a test receives.
    #[cfg(test)]
    pub(super) fn to_test(receive: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(State { output: Output::Test(Box::new(receive)), ..State::default() }))
    }

    /// Waits until the thread that writes a line has finished.
    #[cfg(test)]
    pub(super) fn wait_for_writer(&self) {
        drop(self.0.writing.lock());
    }

    /// Writes a line, and waits as long as the client does not read.
    pub(super) fn write(&self, line: &[u8]) -> io::Result<()> {
        let _writing = self.0.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.output.write(line)
    }

    /// Writes a line if it does not have to wait, and follows no line that waits; returns whether it is written.
    pub(super) fn try_write(&self, line: &[u8]) -> bool {
        if line.len() > MAX_DIRECT || self.0.queued.load(Ordering::SeqCst) > 0 {
            return false;
        }
        let _writing = match self.0.writing.try_lock() {
            Ok(writing) => writing,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        // After an error the writing thread finds the same one, and reports it.
        self.0.output.is_writable() && self.0.output.write(line).is_ok()
    }

    /// Records that a line is about to be given to the writing thread.
    pub(super) fn queue(&self) {
        self.0.queued.fetch_add(1, Ordering::SeqCst);
    }

    /// Records that the writing thread has written a line.
    pub(super) fn dequeue(&self) {
        self.0.queued.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Output {
    fn is_writable(&self) -> bool {
        match self {
            Self::Stdout => minds_process::is_standard_output_writable(),
            #[cfg(test)]
            Self::Test(_) => true,
        }
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(line)?;
                stdout.flush()
            }
            #[cfg(test)]
            Self::Test(receive) => {
                receive(line);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is written here.
    #[test]
    fn a_long_line_and_one_after_a_queued_line_take_the_other_way() {
        let lines = Lines::default();
        assert!(!lines.try_write(&[b'x'; MAX_DIRECT + 1]));
        lines.queue();
        assert!(!lines.try_write(b"x"));
        let _writing = lines.0.writing.lock().unwrap();
        lines.dequeue();
        assert!(!lines.try_write(b"x"));
    }
}

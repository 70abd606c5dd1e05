//! Lines on stdout, from several threads.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// The maximum length of a line that its own thread writes. The system writes so much to a pipe at once, or waits.
pub(super) const MAX_DIRECT: usize = 4096;

/// Writes lines to stdout. Mostly the thread that has a line can write it without waiting, and no other thread is needed.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<State>);

#[derive(Default)]
struct State {
    /// The number of lines that were given to the writing thread and are not written.
    queued: AtomicUsize,
    writing: Mutex<()>,
    /// The ids, as JSON, of requests whose replies are written although the session has not sent them.
    answered: Mutex<BTreeSet<String>>,
}

impl Lines {
    /// Writes a line, and waits as long as the client does not read.
    pub(super) fn write(&self, line: &[u8]) -> io::Result<()> {
        let _writing = self.0.writing.lock().unwrap_or_else(PoisonError::into_inner);
        write(line)
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
        minds_process::is_standard_output_writable() && write(line).is_ok()
    }

    /// Writes the reply to a request, as [`try_write`](Self::try_write) does; the one that the session sends is left out then.
    pub(super) fn try_answer(&self, id: &str, line: &[u8]) -> bool {
        // The session may send its reply as soon as the line is written.
        self.lock_answered().insert(id.to_owned());
        let is_written = self.try_write(line);
        if !is_written {
            self.lock_answered().remove(id);
        }
        is_written
    }

    /// Returns whether the reply to a request is written, and forgets it.
    pub(super) fn is_answered(&self, id: &str) -> bool {
        self.lock_answered().remove(id)
    }

    /// Returns whether any reply is written that the session has not sent.
    pub(super) fn has_answered(&self) -> bool {
        !self.lock_answered().is_empty()
    }

    fn lock_answered(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.answered.lock().unwrap_or_else(PoisonError::into_inner)
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

fn write(line: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(line)?;
    stdout.flush()
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

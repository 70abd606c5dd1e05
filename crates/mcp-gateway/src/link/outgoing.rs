//! Messages on their way to the process with the servers. No caller waits for that process to read.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, MutexGuard, PoisonError};

use minds_process::try_send;

use super::connection::{Shared, State};
use super::message::{Request, line};

/// The most bytes that wait; a process that does not read so much has failed.
const MAX_WAITING_BYTES: usize = 256 << 20;

/// Messages that did not find space.
#[derive(Default)]
pub(super) struct Outgoing {
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Whether the thread writes what it has taken.
    is_writing: bool,
    has_thread: bool,
}

impl Outgoing {
    /// Forgets what waits, because the process has ended.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.bytes = 0;
    }

    fn push(&mut self, line: Vec<u8>) {
        self.bytes += line.len();
        self.waiting.push_back(line);
    }

    fn pop(&mut self) -> Option<Vec<u8>> {
        let line = self.waiting.pop_front()?;
        self.bytes -= line.len();
        Some(line)
    }
}

impl Shared {
    /// Writes a message, or keeps it for the next process. The lock is held, so that messages keep their order.
    pub(super) fn write(&self, mut state: MutexGuard<'_, State>, request: &Request) {
        let mut line = line(request);
        let Some(stream) = state.stream.clone() else {
            if !state.has_ended {
                state.pending.push(line);
            }
            return;
        };
        if state.outgoing.waiting.is_empty() && !state.outgoing.is_writing {
            match send_now(&stream, &line) {
                Ok(count) if count == line.len() => return,
                Ok(count) => drop(line.drain(..count)),
                Err(_) => return fail(&stream),
            }
        }
        state.outgoing.push(line);
        if state.outgoing.bytes > MAX_WAITING_BYTES || !self.start_writing(&mut state) {
            return fail(&stream);
        }
        self.queued.notify_one();
    }

    /// Starts the thread that writes what did not find space, unless it runs; returns whether it runs.
    fn start_writing(&self, state: &mut State) -> bool {
        if !state.outgoing.has_thread {
            let this = self.this.clone();
            let thread = std::thread::Builder::new().name("gateway-write".to_owned());
            let started = thread.spawn(move || {
                if let Some(shared) = this.upgrade() {
                    shared.write_waiting();
                }
            });
            state.outgoing.has_thread = started.is_ok();
        }
        state.outgoing.has_thread
    }

    /// Writes what waits, until the gateway has ended.
    fn write_waiting(&self) {
        let mut state = self.lock();
        loop {
            let waits = |state: &mut State| state.outgoing.waiting.is_empty() && !state.has_ended;
            state = self.queued.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
            let (Some(line), Some(stream)) = (state.outgoing.pop(), state.stream.clone()) else {
                if state.has_ended {
                    return;
                }
                continue;
            };
            state.outgoing.is_writing = true;
            drop(state);
            if (&*stream).write_all(&line).is_err() {
                fail(&stream);
            }
            state = self.lock();
            state.outgoing.is_writing = false;
        }
    }
}

/// Sends as much as finds space, and returns the number of bytes.
fn send_now(stream: &Arc<UnixStream>, line: &[u8]) -> io::Result<usize> {
    let mut sent = 0;
    while let Some(rest) = line.get(sent..).filter(|rest| !rest.is_empty()) {
        match try_send(stream.as_ref(), rest) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(sent)
}

/// Closes a socket that cannot be written. The reader finds the end, and refuses what waits.
fn fail(stream: &UnixStream) {
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

//! The standard input of a program, to which several threads write lines.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use tokio::net::unix::pipe;
use tokio::sync::Notify;

use crate::client::wire::lock;

/// The maximum length of a line that is written at once or not at all, which the system guarantees for a pipe.
pub(super) const MAX_ATOMIC: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };
/// The number of lines that wait for a program from which its output is not read.
const MAX_WAITING: usize = 64;

/// The standard input of a program. Lines are never mixed.
pub(super) struct ProgramInput {
    state: Mutex<State>,
    queued: Notify,
    taken: Notify,
}

struct State {
    pipe: Option<Arc<pipe::Sender>>,
    /// Whether the last line is not written completely.
    is_within_line: bool,
    /// Lines of this side that did not find space.
    queue: VecDeque<Vec<u8>>,
}

impl ProgramInput {
    pub(super) fn new(pipe: pipe::Sender) -> Self {
        let state = State { pipe: Some(Arc::new(pipe)), is_within_line: false, queue: VecDeque::new() };
        Self { state: Mutex::new(state), queued: Notify::new(), taken: Notify::new() }
    }

    /// Writes a line if all of it finds space; returns whether it is written. It never waits.
    pub(super) fn try_write(&self, line: &[u8]) -> bool {
        let state = lock(&self.state);
        let is_free = line.len() <= MAX_ATOMIC && !state.is_within_line && state.queue.is_empty();
        let pipe = state.pipe.as_ref().filter(|_| is_free);
        // An error is found by the task that passes lines on.
        pipe.is_some_and(|pipe| pipe.try_write(line).is_ok_and(|count| count == line.len()))
    }

    /// Writes a line as soon as there is space.
    pub(super) fn write_soon(&self, line: Vec<u8>) {
        if !self.try_write(&line) {
            lock(&self.state).queue.push_back(line);
            self.queued.notify_one();
        }
    }

    /// Waits for a line that did not find space.
    pub(super) async fn next_waiting(&self) -> Vec<u8> {
        loop {
            let line = lock(&self.state).queue.pop_front();
            if let Some(line) = line {
                self.taken.notify_one();
                return line;
            }
            self.queued.notified().await;
        }
    }

    /// Waits until few lines wait.
    pub(super) async fn wait_for_space(&self) {
        loop {
            let has_space = lock(&self.state).queue.len() < MAX_WAITING;
            if has_space {
                return;
            }
            self.taken.notified().await;
        }
    }

    /// Writes a line of any length.
    ///
    /// # Errors
    ///
    /// Fails if the program has closed its standard input.
    pub(super) async fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut rest = line;
        loop {
            let pipe = {
                let mut state = lock(&self.state);
                let pipe = state.pipe.clone().ok_or(io::ErrorKind::BrokenPipe)?;
                match pipe.try_write(rest) {
                    Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error),
                }
                state.is_within_line = !rest.is_empty() && rest.len() < line.len();
                if rest.is_empty() {
                    return Ok(());
                }
                pipe
            };
            pipe.writable().await?;
        }
    }

    /// Closes the standard input.
    pub(super) fn close(&self) {
        lock(&self.state).pipe = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what is in a pipe.
    fn read(receiver: &pipe::Receiver) -> Vec<u8> {
        let (mut bytes, mut chunk) = (Vec::new(), [0; 1 << 12]);
        while let Ok(count) = receiver.try_read(&mut chunk) {
            bytes.extend_from_slice(&chunk[..count]);
        }
        bytes
    }

    #[tokio::test]
    async fn a_line_is_written_completely_or_not_at_all() {
        let (sender, receiver) = pipe::pipe().unwrap();
        let input = ProgramInput::new(sender);
        input.write(b"first\n").await.unwrap();
        let line = [b'x'; MAX_ATOMIC];
        assert!(!input.try_write(&[b'x'; MAX_ATOMIC + 1]));
        let mut count = 0;
        while input.try_write(&line) {
            count += 1;
        }
        assert!(count > 0);
        receiver.readable().await.unwrap();
        assert_eq!(read(&receiver).len(), "first\n".len() + count * MAX_ATOMIC);
    }

    #[tokio::test]
    async fn lines_are_not_mixed() {
        let (sender, receiver) = pipe::pipe().unwrap();
        let input = ProgramInput::new(sender);
        let long = vec![b'x'; 1 << 20];
        let write = async {
            input.write(&long).await.unwrap();
            let waiting = input.next_waiting().await;
            input.write(&waiting).await.unwrap();
        };
        let read = async {
            let mut bytes = Vec::new();
            while bytes.len() < long.len() + 2 {
                receiver.readable().await.unwrap();
                let is_first = bytes.is_empty();
                bytes.extend(read(&receiver));
                if is_first {
                    assert!(!input.try_write(b"z\n"), "a line is being written");
                    input.write_soon(b"y\n".to_vec());
                }
            }
            bytes
        };
        let ((), bytes) = tokio::join!(write, read);
        assert_eq!((&bytes[..long.len()], &bytes[long.len()..]), (&long[..], &b"y\n"[..]));
        input.close();
        assert!(!input.try_write(b"x\n") && input.write(b"x\n").await.is_err());
    }
}

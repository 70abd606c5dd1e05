//! A terminal with 80 columns that runs the command.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Pty, open};

pub(crate) const WIDTH: u16 = 80;
/// The time after which a test fails.
const TIMEOUT: Duration = Duration::from_mins(2);

pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    received: Receiver<Vec<u8>>,
    transcript: String,
    /// Output that was received, but not consumed by a wait.
    unconsumed: String,
}

/// The exit status of a command, and all output on the terminal.
pub(crate) struct End {
    pub(crate) exit: Option<i32>,
    pub(crate) transcript: String,
}

impl Terminal {
    /// Runs a command on a terminal, which can ask questions.
    pub(crate) fn start(mut command: Command) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(24, WIDTH)).unwrap();
        command.env("TERM", "xterm").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let child = pty_process::blocking::Command::from(command).spawn(pts).unwrap();
        let (sender, received) = channel();
        let pty = Arc::new(pty);
        let reader = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Linux reports an error when the last writer has closed the terminal.
            while let Ok(read @ 1..) = (&*reader).read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { pty, child, received, transcript: String::new(), unconsumed: String::new() }
    }

    fn receive(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.transcript.push_str(&text);
        self.unconsumed.push_str(&text);
    }

    /// Waits until the terminal displays `text`, and returns the output before it.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            if let Some((before, after)) = self.unconsumed.split_once(text) {
                let (before, after) = (before.to_owned(), after.to_owned());
                self.unconsumed = after;
                return before;
            }
            match self.received.recv_timeout(TIMEOUT) {
                Ok(bytes) => self.receive(&bytes),
                Err(error) => panic!("timeout before `{text}` ({error}): {}", self.transcript),
            }
        }
    }

    /// Types something.
    pub(crate) fn types(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the command to end.
    #[track_caller]
    pub(crate) fn end(mut self) -> End {
        loop {
            match self.received.recv_timeout(TIMEOUT) {
                Ok(bytes) => self.receive(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("timeout before the end: {}", self.transcript),
            }
        }
        let status = self.child.wait().unwrap();
        let transcript = std::mem::take(&mut self.transcript);
        End { exit: status.code(), transcript }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

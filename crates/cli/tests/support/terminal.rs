//! A terminal of 80 columns with the command in it.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Pty, open};

pub(crate) const WIDTH: u16 = 80;
/// How long a test waits before it gives up.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    heard: Receiver<Vec<u8>>,
    said: String,
    /// What was said and not waited for yet.
    unseen: String,
}

/// How a command ended, and all that stood on the terminal.
pub(crate) struct End {
    pub(crate) exit: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) said: String,
}

impl Terminal {
    /// Runs a command on a terminal, where somebody can be asked.
    pub(crate) fn start(mut command: Command) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(24, WIDTH)).unwrap();
        command.env("TERM", "xterm").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let child = pty_process::blocking::Command::from(command).spawn(pts).unwrap();
        let (tell, heard) = channel();
        let pty = Arc::new(pty);
        let reader = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Linux says that there is an error where the last one who writes is gone.
            while let Ok(read @ 1..) = (&*reader).read(&mut buffer) {
                if tell.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { pty, child, heard, said: String::new(), unseen: String::new() }
    }

    fn hear(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.said.push_str(&text);
        self.unseen.push_str(&text);
    }

    /// Waits until the terminal says a text, and returns what it said before it.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            if let Some((before, behind)) = self.unseen.split_once(text) {
                let (before, behind) = (before.to_owned(), behind.to_owned());
                self.unseen = behind;
                return before;
            }
            match self.heard.recv_timeout(PATIENCE) {
                Ok(bytes) => self.hear(&bytes),
                Err(error) => panic!("`{text}` never came ({error}): {}", self.said),
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
            match self.heard.recv_timeout(PATIENCE) {
                Ok(bytes) => self.hear(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.said),
            }
        }
        let status = self.child.wait().unwrap();
        let said = std::mem::take(&mut self.said);
        End { exit: status.code(), signal: status.signal(), said }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

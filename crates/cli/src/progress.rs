//! A progress bar on stderr, for work that takes a person's time.

use std::io::{self, IsTerminal as _, Write as _};

/// The number of characters of a full bar.
const WIDTH: usize = 30;

/// A bar that is removed when it is dropped. Without a terminal there is none.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    total: usize,
    done: usize,
    /// The percentage that is on the terminal.
    shown: Option<usize>,
    is_visible: bool,
}

impl Progress {
    /// Returns a bar for `total` steps; `is_long` says whether the work takes long enough for one.
    pub(crate) fn new(what: &'static str, total: usize, is_long: bool) -> Self {
        Self { what, total, done: 0, shown: None, is_visible: is_long && io::stderr().is_terminal() }
    }

    /// Counts one step.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        let percent = self.done.saturating_mul(100) / self.total.max(1);
        if !self.is_visible || self.shown == Some(percent) {
            return;
        }
        self.shown = Some(percent);
        let filled = (percent * WIDTH / 100).min(WIDTH);
        // An error of stderr cannot be reported anywhere.
        let _ = write!(io::stderr(), "\r{} [{:<WIDTH$}] {percent:3} %", self.what, "#".repeat(filled));
        let _ = io::stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let length = self.what.len() + WIDTH + " [] 100 %".len();
            let _ = write!(io::stderr(), "\r{:length$}\r", "");
        }
    }
}

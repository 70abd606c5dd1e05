//! A progress bar on stderr, for long work.

use std::io::{self, IsTerminal as _, Write as _};

use crate::output::Verbosity;

/// The number of characters of a full bar.
const WIDTH: usize = 30;

/// A bar that is erased when it is dropped. It is shown only on a terminal, and not with `--quiet`.
#[derive(Debug)]
pub struct Progress {
    what: &'static str,
    total: usize,
    done: usize,
    /// The displayed percentage.
    displayed: Option<usize>,
    is_visible: bool,
}

impl Progress {
    /// Creates a bar for `total` steps; `is_long` tells whether the work takes long enough for one.
    pub fn new(what: &'static str, total: usize, is_long: bool) -> Self {
        let is_visible = is_long && Verbosity::current() != Verbosity::Quiet && io::stderr().is_terminal();
        Self { what, total, done: 0, displayed: None, is_visible }
    }

    /// Counts one step.
    pub fn advance(&mut self) {
        self.done += 1;
        let percent = self.done.saturating_mul(100) / self.total.max(1);
        if !self.is_visible || self.displayed == Some(percent) {
            return;
        }
        self.displayed = Some(percent);
        let filled = (percent * WIDTH / 100).min(WIDTH);
        // If stderr is closed, there is no place to report it.
        let _ = write!(io::stderr(), "\r{} [{:<WIDTH$}] {percent:3} %", self.what, "#".repeat(filled));
        let _ = io::stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.displayed.is_some() {
            let length = self.what.len() + WIDTH + " [] 100 %".len();
            let _ = write!(io::stderr(), "\r{:length$}\r", "");
        }
    }
}

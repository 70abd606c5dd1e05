//! The terminal: what is shown while a verb is at work, and what is asked.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use minds_diagnostics::emit::printable;
use minds_operations::source::{Desk, Preview};

use super::outcome;
use crate::output::Output;

/// How often an answer that is neither yes nor no is asked for again.
const MAX_QUESTIONS: usize = 3;

/// Standard error says what happens, and standard input answers; where there is no terminal, or JSON is asked for, nobody
/// is asked.
pub(super) struct TerminalDesk {
    is_attended: bool,
    is_quiet: bool,
    shows_progress: bool,
    progress: usize,
}

impl TerminalDesk {
    pub(super) fn new(json: bool) -> Self {
        let is_attended = !json && io::stdin().is_terminal() && io::stderr().is_terminal();
        let shows_progress = !json && io::stderr().is_terminal();
        Self { is_attended, is_quiet: json, shows_progress, progress: 0 }
    }

    /// Takes the line of progress away, before anything else is said.
    fn clear_progress(&mut self) {
        if self.progress > 0 {
            let _ = write!(io::stderr(), "\r{:1$}\r", "", self.progress);
            self.progress = 0;
        }
    }
}

impl Desk for TerminalDesk {
    fn is_attended(&self) -> bool {
        self.is_attended
    }

    fn show(&mut self, preview: &Preview) {
        self.clear_progress();
        if !self.is_quiet {
            Output::remarks(&outcome::preview(preview));
        }
    }

    fn ask(&mut self, question: &str) -> bool {
        self.clear_progress();
        if !self.is_attended {
            return false;
        }
        for _ in 0..MAX_QUESTIONS {
            let Some(answer) = read_answer(&format!("{} [y/N]", printable(question))) else { return false };
            match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => return true,
                "" | "n" | "no" => return false,
                _ => {}
            }
        }
        Output::remark("that is neither yes nor no, so it is taken for no");
        false
    }

    fn answer(&mut self, question: &str) -> Option<String> {
        self.clear_progress();
        if self.is_attended { read_answer(&format!("{}:", printable(question))) } else { None }
    }

    fn progress(&mut self, text: &str) {
        if !self.shows_progress {
            return;
        }
        self.clear_progress();
        let text: String = printable(text).chars().take(78).collect();
        self.progress = text.chars().count();
        let _ = write!(io::stderr(), "\r{text}");
        let _ = io::stderr().flush();
    }
}

/// Asks, and reads a line; none where the input ends.
fn read_answer(question: &str) -> Option<String> {
    // Nobody can be told that standard error is closed.
    let _ = write!(io::stderr(), "{question} ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(read) if read > 0 => Some(answer),
        _ => {
            // The cursor is still behind the question.
            let _ = writeln!(io::stderr());
            None
        }
    }
}

impl Drop for TerminalDesk {
    fn drop(&mut self) {
        self.clear_progress();
    }
}

//! The terminal: progress, plans and questions while a verb runs.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use minds_diagnostics::emit::printable;
use minds_installer::{Interaction, Preview};

use super::outcome;
use minds_output::Output;

/// The maximum number of times that a question is asked until the answer is yes or no.
const MAX_QUESTIONS: usize = 3;

/// Writes to stderr and reads answers from stdin. Without a terminal, or for JSON output, no question is asked.
pub(super) struct TerminalInteraction {
    is_attended: bool,
    is_quiet: bool,
    shows_progress: bool,
    progress: usize,
}

impl TerminalInteraction {
    pub(super) fn new(json: bool) -> Self {
        let is_attended = !json && io::stdin().is_terminal() && io::stderr().is_terminal();
        let shows_progress = !json && io::stderr().is_terminal();
        Self { is_attended, is_quiet: json, shows_progress, progress: 0 }
    }

    /// Erases the progress line, so that other output can follow.
    fn clear_progress(&mut self) {
        if self.progress > 0 {
            let _ = write!(io::stderr(), "\r{:1$}\r", "", self.progress);
            self.progress = 0;
        }
    }
}

impl Interaction for TerminalInteraction {
    fn is_interactive(&self) -> bool {
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
        Output::remark("the answer is neither yes nor no; assuming no");
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

/// Prints a question and reads a line; returns `None` at the end of the input.
fn read_answer(question: &str) -> Option<String> {
    // If stderr is closed, there is no place to report it.
    let _ = write!(io::stderr(), "{question} ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(read) if read > 0 => Some(answer),
        _ => {
            // The cursor is still on the line of the question.
            let _ = writeln!(io::stderr());
            None
        }
    }
}

impl Drop for TerminalInteraction {
    fn drop(&mut self) {
        self.clear_progress();
    }
}

//! Questions to the person at the terminal.

use std::io::{self, IsTerminal as _, Write as _};

use minds_diagnostics::emit::printable;
use minds_output::Output;
use minds_process::{Line, standard_input_lines};

use crate::command_error::CommandError;

/// The most bytes of an answer.
const MAX_ANSWER: usize = 1_024;

/// Returns whether a person can answer: stdin and stderr are terminals.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a confirmation, which is an answer that begins with `y`. Without a terminal it is refused.
pub(crate) fn is_confirmed(question: &str) -> bool {
    if !can_ask() {
        return false;
    }
    // If stderr is closed, it is not a terminal.
    let _ = write!(io::stderr(), "{} [y/N] ", printable(question));
    match standard_input_lines(MAX_ANSWER).next_line() {
        Ok(Some(Line::Bytes(answer))) => {
            let answer = answer.trim_ascii();
            answer.eq_ignore_ascii_case(b"y") || answer.eq_ignore_ascii_case(b"yes")
        }
        _ => false,
    }
}

/// Fails unless the person at the terminal confirms something.
pub(crate) fn confirm(question: &str) -> Result<(), CommandError> {
    if is_confirmed(question) {
        return Ok(());
    }
    let reason =
        if can_ask() { "it was not confirmed" } else { "only a person at a terminal can confirm it" };
    Err(CommandError::Refused(format!("{}: {reason}", question.trim_end_matches('?'))))
}

/// Prints what a question is about.
pub(crate) fn show(text: &str) {
    Output::remarks(&minds_diagnostics::emit::visible(text));
}

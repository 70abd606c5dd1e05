//! Standard output and standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use minds_diagnostics::emit::{JSON_VERSION, printable};
use minds_operations::OperationError;
use minds_operations::source::{SourceError, SourceErrorKind};
use minds_toolset::{Code, ProblemsError};
use minds_workspace::message_without_secrets as covered;
use serde::Serialize;

use crate::args::Color;

/// What the command says: data to standard output, in one piece at the end, and remarks to standard error.
#[derive(Debug)]
pub(crate) struct Output {
    data: String,
    /// What standard error gets behind the data.
    behind: String,
    color: Color,
    json: bool,
    ascii: bool,
    /// Whether standard output is covered too, where it holds no content of files.
    covers: bool,
}

/// How many bytes are worth writing.
const MUCH: usize = 64 * 1024;

/// Why a command gave no answer.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    kind: &'static str,
    message: String,
    #[serde(skip)]
    code: u8,
}

/// Wrong usage or environment.
const UNUSABLE: u8 = 2;
/// A refusal.
const REFUSED: u8 = 1;

/// Returns the exit code for a refusal with this code: a lock of another process is a matter of the environment.
pub(crate) fn exit_code_of_refusal(code: &str) -> ExitCode {
    ExitCode::from(if code == Code::Locked.as_str() { UNUSABLE } else { REFUSED })
}

impl Failure {
    pub(crate) fn usage(message: String) -> Self {
        Self { kind: "usage", message, code: UNUSABLE }
    }

    pub(crate) fn environment(message: String) -> Self {
        Self { kind: "system", message, code: UNUSABLE }
    }
}

impl From<OperationError> for Failure {
    fn from(error: OperationError) -> Self {
        let code = match error {
            // Nothing is wrong; the same may be done a moment later.
            OperationError::PromptInUse { .. } | OperationError::Untrusted(_) => REFUSED,
            _ => UNUSABLE,
        };
        Self { kind: error.kind(), message: error.to_string(), code }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let code = if error.kind() == SourceErrorKind::Busy { UNUSABLE } else { REFUSED };
        Self { kind: error.kind().name(), message: error.to_string(), code }
    }
}

impl From<ProblemsError> for Failure {
    fn from(error: ProblemsError) -> Self {
        Self { kind: "problems", message: error.to_string(), code: UNUSABLE }
    }
}

impl Output {
    pub(crate) fn new(color: Color, json: bool) -> Self {
        Self { data: String::new(), behind: String::new(), color, json, ascii: false, covers: false }
    }

    /// Writes signs of our own in ASCII from now on. What others wrote stays as it is.
    pub(crate) fn keep_to_ascii(&mut self) {
        self.ascii = true;
    }

    /// Covers the secrets in all of standard output: for what is told of sources, and never for content.
    pub(crate) fn cover_secrets(&mut self) {
        self.covers = true;
    }

    /// Returns the data as it is written.
    fn shown(&self) -> Cow<'_, str> {
        if self.covers { covered(&self.data) } else { Cow::Borrowed(&self.data) }
    }

    /// Adds to what standard output will hold.
    pub(crate) fn data(&mut self, text: &str) {
        if self.ascii && !self.json {
            self.data.push_str(&text.replace('…', "..."));
        } else {
            self.data.push_str(text);
        }
    }

    /// Returns what standard output will hold, to be added to.
    pub(crate) fn text(&mut self) -> &mut String {
        &mut self.data
    }

    /// Adds a document as one line of JSON.
    pub(crate) fn json(&mut self, document: &impl Serialize) {
        // The documents hold only strings, numbers and lists of them, so serialization cannot fail.
        self.data.push_str(&serde_json::to_string(document).unwrap_or_default());
        self.data.push('\n');
    }

    /// Says something on standard error.
    pub(crate) fn remark(text: &str) {
        // Nobody can be told that standard error is closed.
        let _ = writeln!(io::stderr(), "minds: {}", printable(&covered(text)));
    }

    /// Writes a document on standard error with a secret that was just made for the user: nothing in it is covered.
    pub(crate) fn hand_over(document: &serde_json::Value) {
        // There is no way to report that standard error is closed.
        let _ = writeln!(io::stderr(), "{document}");
    }

    /// Says something on standard error once the data is written: what it sums up stands above it on a terminal.
    pub(crate) fn remark_behind(&mut self, text: &str) {
        self.behind.extend(["minds: ", &printable(&covered(text)), "\n"]);
    }

    /// Says something of several lines on standard error, which is safe for terminals already.
    pub(crate) fn remarks(text: &str) {
        // Nobody can be told that standard error is closed.
        let _ = io::stderr().write_all(covered(text).as_bytes());
    }

    /// Reports why there is no answer.
    pub(crate) fn failure(&mut self, failure: &Failure) -> ExitCode {
        #[derive(Serialize)]
        struct Document<'a> {
            version: u32,
            error: &'a Failure,
        }
        if self.json {
            self.data.clear();
            let message = covered(&failure.message).into_owned();
            let failure = &Failure { kind: failure.kind, message, code: failure.code };
            self.json(&Document { version: JSON_VERSION, error: failure });
        } else {
            Self::remark(&failure.message);
        }
        ExitCode::from(failure.code)
    }

    /// Returns whether to use colours on standard output.
    pub(crate) fn is_coloured(&self) -> bool {
        self.colours(io::stdout().is_terminal())
    }

    /// Returns whether to use colours on standard error.
    pub(crate) fn are_remarks_coloured(&self) -> bool {
        self.colours(io::stderr().is_terminal())
    }

    fn colours(&self, is_terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                !anstyle_query::no_color()
                    && (anstyle_query::clicolor_force()
                        || (is_terminal
                            && anstyle_query::term_supports_color()
                            && anstyle_query::clicolor() != Some(false)))
            }
        }
    }

    /// Writes the data so far; returns whether there is still somebody who reads.
    pub(crate) fn flush(&mut self) -> bool {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(self.shown().as_bytes()).and_then(|()| stdout.flush());
        self.data.clear();
        written.is_ok()
    }

    /// Writes the data so far if it is much, or if somebody may be waiting; returns whether there is still somebody who
    /// reads.
    pub(crate) fn pass_on(&mut self, is_awaited: bool) -> Result<bool, Failure> {
        if self.data.is_empty() || (!is_awaited && self.data.len() < MUCH) {
            return Ok(true);
        }
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(self.shown().as_bytes()).and_then(|()| stdout.flush());
        self.data.clear();
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => {
                let message = format!("cannot write to standard output: {error}");
                Err(Failure::environment(message))
            }
        }
    }

    /// Writes the data. Somebody who stops reading has what they wanted: a closed pipe is no error.
    pub(crate) fn finish(self, code: ExitCode) -> ExitCode {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(self.shown().as_bytes()).and_then(|()| stdout.flush());
        Self::remarks(&self.behind);
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = writeln!(io::stderr(), "minds: cannot write to standard output: {error}");
                ExitCode::from(2)
            }
            _ => code,
        }
    }
}

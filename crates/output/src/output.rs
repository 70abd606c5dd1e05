//! Output on stdout and stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::OnceLock;

use minds_diagnostics::emit::{escaped_json, printable, visible};
use minds_diagnostics::{ErrorKind, JsonDocument, to_json_line};
use minds_fs::Notice;
use minds_installer::{SourceError, SourceErrorKind};
use minds_operations::OperationError;
use minds_operations::documents::{ErrorDocument, ErrorReport, RefusalDocument, RefusalStatus};
use minds_toolset::{Answer, AnswerDocument, Code, ProblemsError, Refusal};
use minds_workspace::message_without_secrets as redacted;
use serde::Serialize;

use crate::color::Color;
use crate::exit_codes::{REFUSED, UNUSABLE};
use crate::failure_kind::{FailureCode, FailureKind};

/// The verbosity of the process. It is global, because any part of the program can emit notices.
static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// The name of the program in front of remarks.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name of the program in front of remarks, which is `minds` by default. Only the first call has an effect.
pub fn name_program(name: &'static str) {
    let _ = PROGRAM.set(name);
}

/// Returns the name of the program in front of remarks.
fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or("minds")
}

/// The amount of output on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Errors and warnings only
    Quiet,
    /// Also remarks
    Normal,
    /// Also what is read and decided
    Verbose,
}

impl Verbosity {
    /// Sets the verbosity of the process. Only the first call has an effect.
    pub fn set(self) {
        let _ = VERBOSITY.set(self);
    }

    /// Returns the verbosity of the process.
    pub fn current() -> Self {
        VERBOSITY.get().copied().unwrap_or(Self::Normal)
    }
}

/// The output of the command: data on stdout, written at the end, and remarks on stderr.
#[derive(Debug)]
pub struct Output {
    data: String,
    /// Remarks that are written to stderr after the data.
    trailing_remarks: String,
    color: Color,
    json: bool,
    ascii: bool,
    /// Whether secrets in stdout are redacted as well, for output that contains no files.
    redacts: bool,
}

/// Buffered output is written once it has this number of bytes.
const FLUSH_BYTES: usize = 64 * 1024;

/// The error of a command.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    code: Option<FailureCode>,
    message: String,
    exit: u8,
}

impl Failure {
    /// Creates an error about the arguments.
    pub fn usage(message: String) -> Self {
        Self { kind: FailureKind::Usage, code: None, message, exit: UNUSABLE }
    }

    /// Creates an error of the system.
    pub fn environment(message: String) -> Self {
        Self { kind: FailureKind::System, code: None, message, exit: UNUSABLE }
    }

    /// Creates a refusal, which means that nothing was changed.
    pub fn refusal(kind: FailureKind, message: String) -> Self {
        Self { kind, code: None, message, exit: REFUSED }
    }

    /// Adds the stable code of the error, which is more specific than its kind.
    #[must_use]
    pub fn with_code(self, code: impl Into<FailureCode>) -> Self {
        Self { code: Some(code.into()), ..self }
    }

    /// Returns the label in brackets, in front of the message.
    fn label(&self) -> &'static str {
        self.code.map_or(self.kind.as_str(), FailureCode::as_str)
    }
}

impl From<OperationError> for Failure {
    fn from(error: OperationError) -> Self {
        let exit = match error {
            // The same command can succeed later or elsewhere.
            OperationError::PromptInUse { .. } | OperationError::Untrusted(_) => REFUSED,
            _ => UNUSABLE,
        };
        Self {
            kind: error.kind().into(),
            code: error.code().map(Into::into),
            message: error.to_string(),
            exit,
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let exit = if error.kind() == SourceErrorKind::Busy { UNUSABLE } else { REFUSED };
        Self { kind: error.kind().into(), code: None, message: error.to_string(), exit }
    }
}

impl From<ProblemsError> for Failure {
    fn from(error: ProblemsError) -> Self {
        Self { kind: FailureKind::Problems, code: None, message: error.to_string(), exit: UNUSABLE }
    }
}

impl Output {
    /// Creates an empty output.
    pub fn new(color: Color, json: bool) -> Self {
        Self {
            data: String::new(),
            trailing_remarks: String::new(),
            color,
            json,
            ascii: false,
            redacts: false,
        }
    }

    /// Uses only ASCII characters in the layout from now on. Text of files stays unchanged.
    pub fn keep_to_ascii(&mut self) {
        self.ascii = true;
    }

    /// Redacts secrets in stdout, for output about sources. Not for the content of files.
    pub fn redact_secrets(&mut self) {
        self.redacts = true;
    }

    /// Returns the data in the form in which it is written.
    fn final_data(&self) -> Cow<'_, str> {
        if self.redacts { redacted(&self.data) } else { Cow::Borrowed(&self.data) }
    }

    /// Appends text to stdout. On a terminal, control characters and hidden text are escaped; elsewhere the text is written
    /// byte for byte.
    pub fn data(&mut self, text: &str) {
        match visible(text) {
            Cow::Owned(safe) if io::stdout().is_terminal() => self.push_styled(&safe),
            _ => self.push_styled(text),
        }
    }

    /// Appends text to stdout that may have colors and is otherwise safe for terminals.
    pub fn push_styled(&mut self, text: &str) {
        if self.ascii && !self.json {
            self.data.push_str(&text.replace('…', "..."));
        } else {
            self.data.push_str(text);
        }
    }

    /// Returns the buffer of stdout. Text that is appended to it must be safe for terminals.
    pub fn text(&mut self) -> &mut String {
        &mut self.data
    }

    /// Returns whether stdout must contain one JSON document.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Appends a document as one line of JSON.
    pub fn document(&mut self, document: &impl JsonDocument) {
        self.data.push_str(&to_json_line(document));
    }

    /// Appends a JSON value without a line break.
    pub fn json_value(&mut self, value: &impl Serialize) {
        // The documents consist of strings, numbers and lists, so serialization cannot fail.
        self.data.push_str(&escaped_json(serde_json::to_string(value).unwrap_or_default()));
    }

    /// Clears the terminal.
    pub fn clear_screen(&mut self) {
        self.push_styled("\u{1b}[2J\u{1b}[3J\u{1b}[H");
    }

    /// Appends the answer of a tool as one line of JSON. A refusal also has the field `error`, as all errors do.
    pub fn json_answer(&mut self, answer: &Answer) {
        let error = answer
            .refusal()
            .map(|refusal| error_of_refusal(refusal.code, &refusal.message, refusal.next.as_deref()));
        self.document(&AnswerDocument { answer, error });
    }

    /// Appends a refusal as one line of JSON.
    pub fn json_refusal(&mut self, code: Code, message: &str, next: Option<&str>) {
        let error = error_of_refusal(code, message, next);
        let status = RefusalStatus::Error;
        self.document(&RefusalDocument { status, code, message, next, error });
    }

    /// Writes a remark to stderr, except with `--quiet`.
    pub fn remark(text: &str) {
        if Verbosity::current() != Verbosity::Quiet {
            Self::warning(text);
        }
    }

    /// Writes a warning to stderr, also with `--quiet`.
    pub fn warning(text: &str) {
        // If stderr is closed, there is no place to report it.
        let _ = writeln!(io::stderr(), "{}: {}", program(), printable(&redacted(text)));
    }

    /// Writes an error to stderr: its code in brackets, as in findings, and the message.
    pub fn error(code: &str, message: &str) {
        let _ = io::stderr().write_all(error_line(code, message).as_bytes());
    }

    /// Writes the help of an error to stderr.
    pub fn help(text: &str) {
        let _ = writeln!(io::stderr(), "help: {}", printable(&redacted(text)));
    }

    /// Writes the refusal of a tool to stderr.
    pub fn refusal(refusal: &Refusal) {
        Self::error(refusal.code.as_str(), &refusal.message);
        if let Some(next) = &refusal.next {
            Self::help(next);
        }
    }

    /// Writes a notice to stderr, details only with `--verbose`.
    pub fn notice(notice: &Notice<'_>) {
        if !notice.is_detail() || Verbosity::current() == Verbosity::Verbose {
            Self::remark(&notice.to_string());
        }
    }

    /// Writes a document to stderr without redaction, for a secret that was just generated for the user.
    pub fn print_generated_secret(document: &impl Serialize) {
        let line = serde_json::to_string(document).unwrap_or_default();
        // If stderr is closed, there is no place to report it.
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Writes a remark to stderr after the data, so that a terminal shows it below the data.
    pub fn trailing_remark(&mut self, text: &str) {
        if Verbosity::current() != Verbosity::Quiet {
            self.trailing_warning(text);
        }
    }

    /// Writes a warning to stderr after the data, also with `--quiet`.
    pub fn trailing_warning(&mut self, text: &str) {
        self.trailing_remarks.extend([program(), ": ", &printable(&redacted(text)), "\n"]);
    }

    /// Writes an error to stderr after the data.
    pub fn trailing_error(&mut self, code: &str, message: &str) {
        self.trailing_remarks.push_str(&error_line(code, message));
    }

    /// Writes several lines to stderr, which must be safe for terminals.
    pub fn remarks(text: &str) {
        // If stderr is closed, there is no place to report it.
        let _ = io::stderr().write_all(redacted(text).as_bytes());
    }

    /// Reports the error of the command.
    pub fn failure(&mut self, failure: &Failure) -> ExitCode {
        if self.json {
            self.data.clear();
            let message = &redacted(&failure.message);
            let error = ErrorReport { kind: failure.kind, code: failure.code, message, next: None };
            self.document(&ErrorDocument { error });
        } else {
            Self::error(failure.label(), &failure.message);
        }
        ExitCode::from(failure.exit)
    }

    /// Returns whether to use colors on stdout.
    pub fn is_colored(&self) -> bool {
        self.uses_colors(io::stdout().is_terminal())
    }

    /// Returns whether to use colors on stderr.
    pub fn are_remarks_colored(&self) -> bool {
        self.uses_colors(io::stderr().is_terminal())
    }

    fn uses_colors(&self, is_terminal: bool) -> bool {
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

    /// Writes the buffered data. Returns whether stdout is still open.
    pub fn flush(&mut self) -> bool {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(self.final_data().as_bytes()).and_then(|()| stdout.flush());
        self.data.clear();
        written.is_ok()
    }

    /// Writes the buffered data if there is much of it, or if a reader may be waiting for it. Returns whether stdout is
    /// still open.
    ///
    /// # Errors
    ///
    /// Fails if stdout cannot be written, unless its reader is gone.
    pub fn flush_if_needed(&mut self, is_awaited: bool) -> Result<bool, Failure> {
        if self.data.is_empty() || (!is_awaited && self.data.len() < FLUSH_BYTES) {
            return Ok(true);
        }
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(self.final_data().as_bytes()).and_then(|()| stdout.flush());
        self.data.clear();
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => {
                let message = format!("cannot write to stdout: {error}");
                Err(Failure::environment(message))
            }
        }
    }

    /// Writes the data and the trailing remarks. A closed pipe is not an error, because the reader has what it needs.
    pub fn finish(self, code: ExitCode) -> ExitCode {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(self.final_data().as_bytes()).and_then(|()| stdout.flush());
        Self::remarks(&self.trailing_remarks);
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = writeln!(io::stderr(), "{}: cannot write to stdout: {error}", program());
                ExitCode::from(2)
            }
            _ => code,
        }
    }
}

fn error_of_refusal<'a>(
    code: Code,
    message: &'a str,
    next: Option<&'a str>,
) -> ErrorReport<'a, ErrorKind, Code> {
    ErrorReport { kind: code.kind(), code: Some(code), message, next }
}

/// Renders an error as a line that is safe for terminals.
fn error_line(code: &str, message: &str) -> String {
    format!("error[{code}]: {}\n", printable(&redacted(message)))
}

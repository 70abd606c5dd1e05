//! Standard output and standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::OnceLock;

use minds_diagnostics::emit::{JSON_VERSION, escaped_json, printable, visible};
use minds_operations::OperationError;
use minds_operations::source::{SourceError, SourceErrorKind};
use minds_system::Notice;
use minds_toolset::{Answer, ProblemsError, Refusal};
use minds_workspace::message_without_secrets as covered;
use serde::Serialize;

use crate::args::Color;
use crate::exit_codes::{self, REFUSED, UNUSABLE};

/// How much is said on standard error. Notices come from everywhere, so it is known everywhere.
static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors and warnings only
    Quiet,
    /// Remarks as well
    Normal,
    /// What is read and decided as well
    Verbose,
}

impl Verbosity {
    /// Sets it for the whole process. Only the first call has an effect.
    pub(crate) fn set(self) {
        let _ = VERBOSITY.set(self);
    }

    fn current() -> Self {
        VERBOSITY.get().copied().unwrap_or(Self::Normal)
    }
}

/// What the command says: data to standard output, in one piece at the end, and remarks to standard error.
#[derive(Debug)]
pub(crate) struct Output {
    data: String,
    /// What is written to stderr after the data.
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
#[derive(Debug)]
pub(crate) struct Failure {
    kind: &'static str,
    code: Option<&'static str>,
    message: String,
    exit: u8,
}

/// An error in a JSON document, the same for every command.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorDocument<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
}

impl<'a> ErrorDocument<'a> {
    /// Returns a refusal.
    pub(crate) fn refusal(code: &'a str, message: &'a str, next: Option<&'a str>) -> Self {
        Self { kind: exit_codes::kind_of_refusal(code), code: Some(code), message, next }
    }
}

impl Failure {
    pub(crate) fn usage(message: String) -> Self {
        Self { kind: "usage", code: None, message, exit: UNUSABLE }
    }

    pub(crate) fn environment(message: String) -> Self {
        Self { kind: "system", code: None, message, exit: UNUSABLE }
    }

    /// Returns a refusal: nothing was changed.
    pub(crate) fn refused(kind: &'static str, message: String) -> Self {
        Self { kind, code: None, message, exit: REFUSED }
    }

    /// Adds the stable code of the error, which is more exact than its kind.
    pub(crate) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Returns the label in brackets, in front of the message.
    fn label(&self) -> &'static str {
        self.code.unwrap_or(self.kind)
    }
}

impl From<OperationError> for Failure {
    fn from(error: OperationError) -> Self {
        let exit = match error {
            // Nothing is wrong; the same may be done a moment later.
            OperationError::PromptInUse { .. } | OperationError::Untrusted(_) => REFUSED,
            _ => UNUSABLE,
        };
        Self { kind: error.kind(), code: error.code(), message: error.to_string(), exit }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let exit = if error.kind() == SourceErrorKind::Busy { UNUSABLE } else { REFUSED };
        Self { kind: error.kind().name(), code: None, message: error.to_string(), exit }
    }
}

impl From<ProblemsError> for Failure {
    fn from(error: ProblemsError) -> Self {
        Self { kind: "problems", code: None, message: error.to_string(), exit: UNUSABLE }
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

    /// Adds to what standard output will hold. On a terminal, control characters and hidden text are escaped; anywhere else
    /// the text stays as it is, byte for byte.
    pub(crate) fn data(&mut self, text: &str) {
        match visible(text) {
            Cow::Owned(safe) if io::stdout().is_terminal() => self.painted(&safe),
            _ => self.painted(text),
        }
    }

    /// Adds text that may have colours, and is safe for terminals apart from these.
    pub(crate) fn painted(&mut self, text: &str) {
        if self.ascii && !self.json {
            self.data.push_str(&text.replace('…', "..."));
        } else {
            self.data.push_str(text);
        }
    }

    /// Returns what standard output will hold, to be added to; what is added must be safe for terminals.
    pub(crate) fn text(&mut self) -> &mut String {
        &mut self.data
    }

    /// Returns whether standard output must hold one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Adds a document, which is an object, as one line of JSON. Each begins with the version of its form, which is put in
    /// here so that none lacks it.
    pub(crate) fn json(&mut self, document: &impl Serialize) {
        #[derive(Serialize)]
        struct Versioned<'a, T> {
            version: u32,
            #[serde(flatten)]
            document: &'a T,
        }
        self.json_value(&Versioned { version: JSON_VERSION, document });
        self.data.push('\n');
    }

    /// Adds a JSON value without a line break.
    pub(crate) fn json_value(&mut self, value: &impl Serialize) {
        // The documents hold only strings, numbers and lists of them, so serialization cannot fail.
        self.data.push_str(&escaped_json(serde_json::to_string(value).unwrap_or_default()));
    }

    /// Removes what the terminal shows.
    pub(crate) fn clear_screen(&mut self) {
        self.painted("\u{1b}[2J\u{1b}[3J\u{1b}[H");
    }

    /// Adds the answer of a tool as one line of JSON; a refusal also in the form that all errors have.
    pub(crate) fn json_answer(&mut self, answer: &Answer) {
        #[derive(Serialize)]
        struct Document<'a> {
            #[serde(flatten)]
            answer: &'a Answer,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<ErrorDocument<'a>>,
        }
        let error = answer.refusal().map(|refusal| {
            ErrorDocument::refusal(refusal.code.as_str(), &refusal.message, refusal.next.as_deref())
        });
        self.json(&Document { answer, error });
    }

    /// Adds a refusal as one line of JSON.
    pub(crate) fn json_refusal(&mut self, code: &str, message: &str, next: Option<&str>) {
        #[derive(Serialize)]
        struct Document<'a> {
            status: &'static str,
            code: &'a str,
            message: &'a str,
            next: Option<&'a str>,
            error: ErrorDocument<'a>,
        }
        let error = ErrorDocument::refusal(code, message, next);
        self.json(&Document { status: "error", code, message, next, error });
    }

    /// Writes a remark on standard error, unless only errors are wanted.
    pub(crate) fn remark(text: &str) {
        if Verbosity::current() != Verbosity::Quiet {
            Self::warning(text);
        }
    }

    /// Writes on standard error what must be known even where only errors are wanted.
    pub(crate) fn warning(text: &str) {
        // There is no way to report that standard error is closed.
        let _ = writeln!(io::stderr(), "minds: {}", printable(&covered(text)));
    }

    /// Writes an error on standard error: its code in brackets, as findings have it, and the message.
    pub(crate) fn error(code: &str, message: &str) {
        let _ = io::stderr().write_all(error_line(code, message).as_bytes());
    }

    /// Writes what to do about an error on standard error, below it.
    pub(crate) fn help(text: &str) {
        let _ = writeln!(io::stderr(), "help: {}", printable(&covered(text)));
    }

    /// Writes the refusal of a tool on standard error.
    pub(crate) fn refusal(refusal: &Refusal) {
        Self::error(refusal.code.as_str(), &refusal.message);
        if let Some(next) = &refusal.next {
            Self::help(next);
        }
    }

    /// Writes what happens on standard error, as far as it is wanted.
    pub(crate) fn notice(notice: &Notice<'_>) {
        if !notice.is_detail() || Verbosity::current() == Verbosity::Verbose {
            Self::remark(&notice.to_string());
        }
    }

    /// Writes a document on standard error with a secret that was just made for the user: nothing in it is covered.
    pub(crate) fn hand_over(document: &serde_json::Value) {
        // There is no way to report that standard error is closed.
        let _ = writeln!(io::stderr(), "{document}");
    }

    /// Says something on standard error once the data is written: what it sums up stands above it on a terminal.
    pub(crate) fn remark_behind(&mut self, text: &str) {
        if Verbosity::current() != Verbosity::Quiet {
            self.warning_behind(text);
        }
    }

    /// Like [`remark_behind`](Self::remark_behind), for what must be known even where only errors are wanted.
    pub(crate) fn warning_behind(&mut self, text: &str) {
        self.behind.extend(["minds: ", &printable(&covered(text)), "\n"]);
    }

    /// Writes an error on standard error once the data is written.
    pub(crate) fn error_behind(&mut self, code: &str, message: &str) {
        self.behind.push_str(&error_line(code, message));
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
            error: ErrorDocument<'a>,
        }
        if self.json {
            self.data.clear();
            let message = &covered(&failure.message);
            let error = ErrorDocument { kind: failure.kind, code: failure.code, message, next: None };
            self.json(&Document { error });
        } else {
            Self::error(failure.label(), &failure.message);
        }
        ExitCode::from(failure.exit)
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

/// Returns an error as a line that is safe for terminals.
fn error_line(code: &str, message: &str) -> String {
    format!("error[{code}]: {}\n", printable(&covered(message)))
}

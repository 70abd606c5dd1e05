//! Errors of changing JSON files.

use std::ops::Range;

use jsonc_parser::ParseStringErrorKind;
use jsonc_parser::errors::ParseErrorKind;

/// The reason why a JSON file cannot be changed, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct JsonError {
    kind: JsonErrorKind,
    span: Range<usize>,
}

/// The reason why a JSON file cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The file does not conform to the dialect of its reader.
    #[error("{0}")]
    Syntax(String),
    /// The file exceeds the size limit.
    #[error("the file is larger than 16 MiB")]
    TooLarge,
    /// Something on the path to the change is not an object: the value of this key, or the root.
    #[error("{} is not an object", .0.as_ref().map_or("the root".to_owned(), |key| format!("`{key}`")))]
    NotAnObject(Option<String>),
    /// A key exists twice.
    #[error("the key `{0}` exists twice")]
    Repeated(String),
}

impl JsonError {
    pub(super) fn new(kind: JsonErrorKind, span: Range<usize>) -> Self {
        Self { kind, span }
    }

    /// Returns the error with its span moved by the length of `mark`.
    pub(super) fn shift_by_mark(mut self, mark: &str) -> Self {
        self.span = self.span.start + mark.len()..self.span.end + mark.len();
        self
    }

    /// Returns the reason.
    pub fn kind(&self) -> &JsonErrorKind {
        &self.kind
    }

    /// Returns the place, in bytes of the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// Returns the message, in lower case. It does not quote the file, which may contain secrets.
pub(super) fn sentence(kind: &ParseErrorKind) -> String {
    let text = match kind {
        ParseErrorKind::String(ParseStringErrorKind::InvalidUnicodeEscapeSequence(_)) => {
            "Invalid unicode escape sequence".to_owned()
        }
        kind => kind.to_string(),
    };
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

//! What keeps a JSON text from being changed.

use std::ops::Range;

use jsonc_parser::ParseStringErrorKind;
use jsonc_parser::errors::ParseErrorKind;

/// A JSON text that cannot be changed, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct JsonError {
    kind: JsonErrorKind,
    span: Range<usize>,
}

/// Why a JSON text cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// It is not in the dialect that its reader takes.
    #[error("{0}")]
    Syntax(String),
    /// It is larger than what is read.
    #[error("the text is larger than 16 MiB")]
    TooLarge,
    /// Something that holds what is to be changed is no object: the value of this key, or of the text.
    #[error("{} is no object", .0.as_ref().map_or("the text".to_owned(), |key| format!("`{key}`")))]
    NotAnObject(Option<String>),
    /// A key is there twice.
    #[error("`{0}` is there twice")]
    Repeated(String),
}

impl JsonError {
    pub(super) fn new(kind: JsonErrorKind, span: Range<usize>) -> Self {
        Self { kind, span }
    }

    /// Returns the same in a text that begins with `mark`.
    pub(super) fn behind(mut self, mark: &str) -> Self {
        self.span = self.span.start + mark.len()..self.span.end + mark.len();
        self
    }

    /// Returns why the text cannot be changed.
    pub fn kind(&self) -> &JsonErrorKind {
        &self.kind
    }

    /// Returns where that is, in bytes of the text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// Returns what is wrong, as messages begin: in lower case. It quotes nothing of the text, which may be a secret.
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

//! Reasons for refusing a change of a prompt.

use std::fmt;

use super::MarkerProblem;
use crate::ErrorCode;

/// A change that would break a protected block, or an invalid line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The line, from 1.
    pub line: usize,
    /// The text that contains the line.
    pub within: ViolationText,
    /// The kind of problem.
    pub kind: ViolationKind,
}

/// The text of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViolationText {
    /// The line to append.
    Line,
    /// The text after an edit.
    New,
    /// The current text.
    Old,
}

/// The kind of a violation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViolationKind {
    /// The markers of the text do not match.
    #[error("{0}")]
    Broken(#[from] MarkerProblem),
    /// A protected block was removed.
    #[error("the protected block `{0}` was removed")]
    Removed(String),
    /// A protected block was changed.
    #[error("the protected block `{0}` was changed")]
    Changed(String),
    /// A protected block was added, which only its generator may do.
    #[error("the protected block `{0}` is new")]
    Added(String),
    /// The line is blank.
    #[error("the line is blank")]
    Blank,
    /// The line contains a line break or a control character.
    #[error("a line must not contain line breaks or control characters")]
    NotOneLine,
    /// The line looks like the marker of a block.
    #[error("the line looks like a marker of a protected block, which cannot be appended")]
    Marker,
    /// The text would be too large.
    #[error("a prompt must not exceed 1 MiB")]
    TooLarge,
}

impl Violation {
    pub(super) fn new(within: ViolationText, line: usize, kind: ViolationKind) -> Self {
        Self { line, within, kind }
    }

    /// Returns the error code; `None` for an invalid line or text.
    pub fn code(&self) -> Option<ErrorCode> {
        match self.kind {
            ViolationKind::Blank | ViolationKind::NotOneLine | ViolationKind::TooLarge => None,
            _ => Some(ErrorCode::PromptProtectedViolation),
        }
    }

    /// Formats the violation with code and place; `old` and `new` are the names of the files.
    pub fn to_message(&self, old: &str, new: &str) -> String {
        let code = self.code().map_or(String::new(), |code| format!("{code}: "));
        format!("{code}{}", self.describe(old, new))
    }

    /// As [`to_message`](Self::to_message), without the code.
    pub fn describe(&self, old: &str, new: &str) -> String {
        let place = match (self.within, &self.kind) {
            (ViolationText::Line, _) => String::new(),
            // The size does not belong to a line.
            (ViolationText::Old, ViolationKind::TooLarge) => format!("{old}: "),
            (ViolationText::New, ViolationKind::TooLarge) => format!("{new}: "),
            (ViolationText::Old, _) => format!("{old}:{}: ", self.line),
            (ViolationText::New, _) => format!("{new}:{}: ", self.line),
        };
        format!("{place}{}", self.kind)
    }
}

impl std::error::Error for Violation {}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_message("the current text", "the new text"))
    }
}

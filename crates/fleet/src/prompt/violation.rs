//! Why a prompt stays as it is.

use std::fmt;

use super::BrokenKind;
use crate::ErrorCode;

/// What would break a protected block, or is no line to append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The line, from 1.
    pub line: usize,
    /// Of which text the line is.
    pub within: Within,
    /// What is wrong.
    pub kind: ViolationKind,
}

/// The texts in which something can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Within {
    /// What is to be appended.
    Line,
    /// The text after an edit.
    New,
    /// The text that is there, before anything is done.
    Old,
}

/// What would be wrong with a prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViolationKind {
    /// The marks of the text do not fit together.
    #[error("{0}")]
    Broken(#[from] BrokenKind),
    /// A protected block is gone.
    #[error("the protected block `{0}` is gone")]
    Removed(String),
    /// A protected block says something else.
    #[error("the protected block `{0}` was changed")]
    Changed(String),
    /// A protected block is new, and nobody but its owner makes one.
    #[error("the protected block `{0}` is new")]
    Added(String),
    /// There is nothing to append.
    #[error("there is nothing to append")]
    Blank,
    /// What is to be appended is more than one line.
    #[error("a line has no line break and no control character")]
    NotOneLine,
    /// What is to be appended looks like the mark of a block.
    #[error("the line looks like the mark of a protected block, which cannot be appended")]
    Marker,
    /// The text would be larger than a prompt may be.
    #[error("a prompt has at most 1 MiB")]
    TooLarge,
}

impl Violation {
    pub(super) fn new(within: Within, line: usize, kind: ViolationKind) -> Self {
        Self { line, within, kind }
    }

    /// Returns the code of what touches a protected block; none where the line or the text could not be taken anyway.
    pub fn code(&self) -> Option<ErrorCode> {
        match self.kind {
            ViolationKind::Blank | ViolationKind::NotOneLine | ViolationKind::TooLarge => None,
            _ => Some(ErrorCode::PromptProtectedViolation),
        }
    }

    /// Returns what is wrong and where, with the names of the text that is there and of the one after an edit.
    pub fn told(&self, old: &str, new: &str) -> String {
        let code = self.code().map_or(String::new(), |code| format!("{code}: "));
        format!("{code}{}", self.describe(old, new))
    }

    /// Like [`told`](Self::told), without the code.
    pub fn describe(&self, old: &str, new: &str) -> String {
        let place = match (self.within, &self.kind) {
            (Within::Line, _) => String::new(),
            // It is no line that is too large.
            (Within::Old, ViolationKind::TooLarge) => format!("{old}: "),
            (Within::New, ViolationKind::TooLarge) => format!("{new}: "),
            (Within::Old, _) => format!("{old}:{}: ", self.line),
            (Within::New, _) => format!("{new}:{}: ", self.line),
        };
        format!("{place}{}", self.kind)
    }
}

impl std::error::Error for Violation {}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told("the text that is there", "the new text"))
    }
}

//! Why a prompt stays as it is.

use std::fmt;

use super::BrokenKind;
use crate::ErrorCode;

/// What would break a protected block, or is no line to append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The line, from 1.
    pub line: usize,
    /// Whether the line is one of the text before the edit, because the new one no longer has it.
    pub is_in_old: bool,
    /// What is wrong.
    pub kind: ViolationKind,
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
    #[error("a line that is appended must not look like the mark of a protected block")]
    Marker,
    /// The text would be larger than a prompt may be.
    #[error("a prompt has at most 1 MiB")]
    TooLarge,
}

impl Violation {
    pub(super) fn new(line: usize, kind: ViolationKind) -> Self {
        Self { line, is_in_old: false, kind }
    }

    pub(super) fn in_old(line: usize, kind: ViolationKind) -> Self {
        Self { line, is_in_old: true, kind }
    }

    /// Returns the code of what touches a protected block; none where the line or the text could not be taken anyway.
    pub fn code(&self) -> Option<ErrorCode> {
        match self.kind {
            ViolationKind::Blank | ViolationKind::NotOneLine | ViolationKind::TooLarge => None,
            _ => Some(ErrorCode::PromptProtectedViolation),
        }
    }
}

impl std::error::Error for Violation {}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(code) = self.code() {
            let place = if self.is_in_old { " of the text before the edit" } else { "" };
            write!(f, "{code}: line {}{place}: ", self.line)?;
        }
        self.kind.fmt(f)
    }
}

//! Refusals: why an operation is not performed.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Why an item or a source is not changed. The name of each kind is stable, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RefusalKind {
    /// No item or source has this name.
    NotFound,
    /// Several have.
    Ambiguous,
    /// The string is not a valid reference to an item or a source.
    BadReference,
    /// An item refers to one that its source does not offer.
    UnresolvedReference,
    /// Its name with the prefix is not a valid name.
    BadName,
    /// Its `link` is not a valid path for its kind.
    BadLink,
    /// Its content could not be read, or must not be installed.
    BadContent,
    /// An item with the same kind and name is installed from another source, or would be installed as well.
    NameTaken,
    /// Another item is, or would be, linked at the same path.
    LinkTaken,
    /// A file that this program did not create is at the path.
    Occupied,
    /// The installed files were modified.
    Drifted,
    /// Other items depend on it.
    Needed,
    /// It differs from the lock file.
    Locked,
    /// The source could not be read.
    BrokenSource,
}

impl RefusalKind {
    /// Returns the stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::Ambiguous => "ambiguous",
            Self::BadReference => "bad-reference",
            Self::UnresolvedReference => "unresolved-reference",
            Self::BadName => "bad-name",
            Self::BadLink => "bad-link",
            Self::BadContent => "bad-content",
            Self::NameTaken => "name-taken",
            Self::LinkTaken => "link-taken",
            Self::Occupied => "occupied",
            Self::Drifted => "drifted",
            Self::Needed => "needed",
            Self::Locked => "locked",
            Self::BrokenSource => "broken-source",
        }
    }
}

impl fmt::Display for RefusalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An operation that is not performed, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The reason, for programs.
    pub kind: RefusalKind,
    /// The reason, for people. It may contain text of a source, which has to be escaped for a terminal.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

//! Why something is not done.

use std::fmt;

/// Why an item or a source is left as it is. The word of each is stable, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RefusalKind {
    /// No item, or no source, is called so.
    NotFound,
    /// Several are.
    Ambiguous,
    /// A text that should name an item or a source is none.
    BadReference,
    /// An item refers to one that its source does not offer.
    UnresolvedReference,
    /// Its name and the prefix together are no name.
    BadName,
    /// It asks to be linked where its kind is never placed.
    BadLink,
    /// What it consists of could not be read, or must not be installed.
    BadContent,
    /// An item with the same kind and name is installed from another source, or is to be installed as well.
    NameTaken,
    /// Another item is, or is to be, linked at the same place.
    LinkTaken,
    /// Something that does not belong to this program stands where it would be placed.
    Occupied,
    /// What is installed was changed by somebody else.
    Drifted,
    /// Other items need it.
    Needed,
    /// It is not what the lock says.
    Locked,
    /// The source could not be read.
    BrokenSource,
}

impl RefusalKind {
    /// Returns the stable word.
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

/// Something that is not done, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Why, as a stable word.
    pub kind: RefusalKind,
    /// Why, for people. It may hold text of a source, which is not fit for a terminal as it is.
    pub message: String,
}

impl Refusal {
    /// Returns a refusal.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

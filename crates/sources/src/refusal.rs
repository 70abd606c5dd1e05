//! Refusals: why an operation is not performed.

minds_diagnostics::kinds! {
    /// Why an item or a source is not changed. The name of each kind is stable, for programs.
    pub enum RefusalKind {
        /// No item or source has this name.
        NotFound = "not-found";
        /// Several items or sources have this name.
        Ambiguous = "ambiguous";
        /// The string is not a valid reference to an item or a source.
        BadReference = "bad-reference";
        /// An item refers to one that its source does not offer.
        UnresolvedReference = "unresolved-reference";
        /// Its name with the prefix is not a valid name.
        BadName = "bad-name";
        /// Its `link` is not a valid path for its kind.
        BadLink = "bad-link";
        /// Its content could not be read, or must not be installed.
        BadContent = "bad-content";
        /// An item with the same kind and name is installed from another source, or would be installed as well.
        NameTaken = "name-taken";
        /// Another item is, or would be, linked at the same path.
        LinkTaken = "link-taken";
        /// A file that this program did not create is at the path.
        Occupied = "occupied";
        /// The installed files were modified.
        Drifted = "drifted";
        /// Other items depend on it.
        Needed = "needed";
        /// It differs from the lock file.
        Locked = "locked";
        /// The source could not be read.
        BrokenSource = "broken-source";
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

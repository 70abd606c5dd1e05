//! Answers.

use std::fmt;

use minds_paths::{PathErrorKind, WorkspacePath};

use crate::{Access, ListKind, Policy};

/// Why something is allowed or not. They are considered in this order, and the first that applies decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The text names no path: it has a backslash or a character that cannot be seen.
    InvalidPath,
    /// The path leads out of the workspace.
    Outside,
    /// The path is in an area that no entry can open; see [`Reserved`](crate::Reserved).
    Reserved,
    /// A list about this access is unreadable.
    InvalidPolicy,
    /// A pattern of the deny list covers the path. Deny always wins.
    Denied,
    /// The extension of the file is in the deny list of extensions.
    ExtensionDenied,
    /// There is an allow list, and no pattern of it covers the path.
    NotInAllowList,
    /// There is an allow list of extensions, and that of the file is not in it.
    ExtensionNotAllowed,
    /// A pattern of the allow list covers the path.
    Allowed,
    /// There is no allow list.
    AllowedByDefault,
}

impl Reason {
    /// All reasons, in the order in which they are considered.
    pub const ALL: [Self; 10] = [
        Self::InvalidPath,
        Self::Outside,
        Self::Reserved,
        Self::InvalidPolicy,
        Self::Denied,
        Self::ExtensionDenied,
        Self::NotInAllowList,
        Self::ExtensionNotAllowed,
        Self::Allowed,
        Self::AllowedByDefault,
    ];

    /// Returns whether this is a reason to allow.
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::Allowed | Self::AllowedByDefault)
    }

    /// Returns the stable name for machines, such as `not-in-allow-list`.
    pub fn code(self) -> &'static str {
        match self {
            Self::InvalidPath => "invalid-path",
            Self::Outside => "outside",
            Self::Reserved => "reserved",
            Self::InvalidPolicy => "invalid-policy",
            Self::Denied => "denied",
            Self::ExtensionDenied => "extension-denied",
            Self::NotInAllowList => "not-in-allow-list",
            Self::ExtensionNotAllowed => "extension-not-allowed",
            Self::Allowed => "allowed",
            Self::AllowedByDefault => "allowed-by-default",
        }
    }

    /// Returns the list in which the deciding entry stands; none if no entry decides.
    pub fn list(self) -> Option<ListKind> {
        match self {
            Self::Denied => Some(ListKind::Deny),
            Self::ExtensionDenied => Some(ListKind::DenyExtension),
            Self::Allowed => Some(ListKind::Allow),
            _ => None,
        }
    }
}

impl From<PathErrorKind> for Reason {
    fn from(kind: PathErrorKind) -> Self {
        if kind.is_outside() { Self::Outside } else { Self::InvalidPath }
    }
}

/// The answer to an access question, with the entry that decided it.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Decision<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) access: Access,
    pub(crate) path: &'a WorkspacePath,
    pub(crate) reason: Reason,
}

/// The entry that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecidingEntry<'a> {
    /// The list that it stands in.
    pub list: ListKind,
    /// Its place in the list, from 0 on; none if the list is unreadable.
    pub index: Option<usize>,
    /// How it was written; none where it is not known how an unreadable list was.
    pub written: Option<&'a str>,
    /// Whether it denies the path only because letter case and Unicode normalisation do not count in deny lists: a file
    /// system may take both names for the same. Never so of extensions, which no list distinguishes by letter case.
    pub is_by_folding: bool,
}

impl<'a> Decision<'a> {
    /// Returns whether the access is allowed.
    pub fn is_allowed(&self) -> bool {
        self.reason.is_allowed()
    }

    /// Returns why.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Returns the entry that decided: the first of its list that covers the path as it is written, else the first of a deny
    /// list that covers it by folding, or the first that cannot be read. None where no entry did.
    ///
    /// The entry is looked for now, in time proportional to its list.
    pub fn entry(&self) -> Option<DecidingEntry<'a>> {
        let lists = self.policy.lists(self.access);
        if self.reason == Reason::InvalidPolicy {
            let (list, written) = lists.unreadable()?;
            return Some(DecidingEntry { list, index: None, written, is_by_folding: false });
        }
        let list = self.reason.list()?;
        let (index, written, is_by_folding) = lists.first_covering(list, self.path)?;
        Some(DecidingEntry { list, index: Some(index), written: Some(written), is_by_folding })
    }
}

/// Says what decided, such as "denied by `src/gen`".
impl fmt::Display for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.entry();
        let folding = if entry.is_some_and(|entry| entry.is_by_folding) {
            ", ignoring letter case and Unicode form"
        } else {
            ""
        };
        let written = entry.and_then(|entry| entry.written).map(str::escape_debug);
        match (self.reason, written) {
            (Reason::InvalidPath, _) => f.write_str("denied: it is no path"),
            (Reason::Outside, _) => f.write_str("denied: it leads out of the workspace"),
            (Reason::Reserved, _) => f.write_str("denied: the area is reserved"),
            (Reason::InvalidPolicy, Some(entry)) => write!(f, "denied: `{entry}` cannot be read"),
            (Reason::InvalidPolicy, None) => f.write_str("denied: a list cannot be read"),
            (Reason::Denied | Reason::ExtensionDenied, Some(entry)) => {
                write!(f, "denied by `{entry}`{folding}")
            }
            (Reason::Denied | Reason::ExtensionDenied, None) => f.write_str("denied"),
            (Reason::NotInAllowList, _) => f.write_str("denied: no entry allows it"),
            (Reason::ExtensionNotAllowed, _) => f.write_str("denied: no entry allows the extension"),
            (Reason::Allowed, Some(entry)) => write!(f, "allowed by `{entry}`"),
            (Reason::Allowed, None) => f.write_str("allowed"),
            (Reason::AllowedByDefault, _) => f.write_str("allowed by default"),
        }
    }
}

//! Decisions and the reasons for them.

use std::fmt;

use minds_vfs::{PathErrorKind, WorkspacePath};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Access, ListKind, Policy};

/// Why an access is allowed or denied. The reasons are considered in this order, and the first that applies decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The string is not a valid path: it contains a backslash or an invisible character.
    InvalidPath,
    /// The path is outside of the workspace.
    Outside,
    /// The path is in a reserved area, which no entry can open.
    Reserved,
    /// One of the lists that apply to this operation is unreadable.
    InvalidPolicy,
    /// A pattern of the deny list covers the path. Deny always takes precedence.
    Denied,
    /// The extension of the file is in the deny list of extensions.
    ExtensionDenied,
    /// There is an allow list, and none of its patterns covers the path.
    NotInAllowList,
    /// There is an allow list of extensions, and the extension of the file is not in it.
    ExtensionNotAllowed,
    /// A pattern of the allow list covers the path.
    Allowed,
    /// There is no allow list.
    AllowedByDefault,
}

impl Reason {
    /// Every reason, in the order in which they are considered.
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

    /// Returns whether this reason allows the access.
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::Allowed | Self::AllowedByDefault)
    }

    /// Returns the stable machine-readable code, such as `not-in-allow-list`.
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

    /// Returns the list that contains the deciding entry; `None` if no entry decides.
    pub fn list(self) -> Option<ListKind> {
        match self {
            Self::Denied => Some(ListKind::Deny),
            Self::ExtensionDenied => Some(ListKind::DenyExtension),
            Self::Allowed => Some(ListKind::Allow),
            _ => None,
        }
    }
}

/// Writes the reason as a clause, such as "no entry allows it".
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidPath => "not a valid path",
            Self::Outside => "outside of the workspace",
            Self::Reserved => "the area is reserved",
            Self::InvalidPolicy => "a list cannot be read",
            Self::Denied => "an entry denies it",
            Self::ExtensionDenied => "an entry denies the extension",
            Self::NotInAllowList => "no entry allows it",
            Self::ExtensionNotAllowed => "no entry allows the extension",
            Self::Allowed => "an entry allows it",
            Self::AllowedByDefault => "no list restricts it",
        })
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
    /// The list that contains it.
    pub list: ListKind,
    /// Its zero-based index in the list; `None` if the list is unreadable.
    pub index: Option<usize>,
    /// The entry as written in the list; `None` if it is not known which entry made the list unreadable.
    pub text: Option<&'a str>,
    /// Whether the entry denies the path only because deny lists ignore letter case and Unicode normalization: a file
    /// system may treat both names as the same. Always `false` for extensions, which are case-insensitive in all lists.
    pub is_by_folding: bool,
}

impl<'a> Decision<'a> {
    /// Returns whether the access is allowed.
    pub fn is_allowed(&self) -> bool {
        self.reason.is_allowed()
    }

    /// Returns the reason for the decision.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Returns the entry that decided: the first of its list that matches the path exactly, else the first of a deny list
    /// that matches it after folding, or the first entry that cannot be read. `None` if no entry decided.
    ///
    /// The entry is searched for on each call, in time proportional to the length of its list.
    pub fn entry(&self) -> Option<DecidingEntry<'a>> {
        let lists = self.policy.lists(self.access);
        if self.reason == Reason::InvalidPolicy {
            let (list, text) = lists.unreadable()?;
            return Some(DecidingEntry { list, index: None, text, is_by_folding: false });
        }
        let list = self.reason.list()?;
        let (index, text, is_by_folding) = lists.first_covering(list, self.path)?;
        Some(DecidingEntry { list, index: Some(index), text: Some(text), is_by_folding })
    }
}

/// Writes the decision and what caused it, such as "denied by `src/gen`".
impl fmt::Display for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.entry();
        let folding = if entry.is_some_and(|entry| entry.is_by_folding) {
            ", ignoring letter case and Unicode form"
        } else {
            ""
        };
        let text = entry.and_then(|entry| entry.text).map(str::escape_debug);
        match (self.reason, text) {
            (Reason::InvalidPolicy, Some(entry)) => write!(f, "denied: `{entry}` cannot be read"),
            (Reason::Denied | Reason::ExtensionDenied, Some(entry)) => {
                write!(f, "denied by `{entry}`{folding}")
            }
            (Reason::Denied | Reason::ExtensionDenied, None) => f.write_str("denied"),
            (Reason::Allowed, Some(entry)) => write!(f, "allowed by `{entry}`"),
            (Reason::Allowed, None) => f.write_str("allowed"),
            (Reason::AllowedByDefault, _) => f.write_str("allowed by default"),
            (reason, _) => write!(f, "denied: {reason}"),
        }
    }
}

//! The displayed form of access lists.

use minds_access_control::{Access, ListKey, ListKind};
use minds_core::TEAM_FILE;

use super::MemberAccess;
use crate::redact::without_secrets;
use crate::team::{Place, place};

/// An access list that a member has, with its first entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListView {
    /// The key of the list.
    pub key: ListKey,
    /// The first entries as written; empty if the list cannot be read.
    pub entries: Vec<String>,
    /// The number of all entries.
    pub total: usize,
    /// The place of the list; `null` if it is built in.
    pub at: Option<Place>,
    /// Whether the list is defined in `member_defaults`.
    pub inherited: bool,
    /// Whether the list cannot be read and therefore denies the whole operation.
    pub unreadable: bool,
}

impl MemberAccess<'_> {
    /// Returns the lists that restrict an operation of the member, each with at most `max_entries` entries.
    pub fn lists(&self, access: Access, max_entries: usize) -> Vec<ListView> {
        let lists = self.policy.policy.lists(access);
        let view = |kind: ListKind| {
            let at_list = self.policy.place(access, kind);
            let unreadable = match kind {
                ListKind::Deny => lists.deny.is_unreadable(),
                ListKind::DenyExtension => lists.deny_extensions.is_unreadable(),
                ListKind::Allow => lists.allow.is_unreadable(),
                ListKind::AllowExtension => lists.allow_extensions.is_unreadable(),
            };
            let written = |index| lists.entry_text(kind, index);
            let shown = |entry: &str| without_secrets(TEAM_FILE, entry).into_owned();
            ListView {
                key: kind.key(access),
                entries: (0..max_entries).map_while(written).map(shown).collect(),
                total: (0..).map_while(written).count(),
                at: self.document.zip(at_list.node).map(|(document, node)| place(document, node)),
                inherited: at_list.is_inherited,
                unreadable,
            }
        };
        let views = ListKind::ALL.into_iter().map(view);
        views.filter(|list| list.total > 0 || list.unreadable).collect()
    }
}

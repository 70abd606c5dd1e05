//! The displayed form of list entries.

use std::fmt;

use minds_access_control::{Access, ListKey, ListKind};
use minds_core::{ListPlace, MemberPolicy, TEAM_FILE};
use minds_document::{Document, NodeId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::redact::without_secrets;
use crate::team::{Place, place};

/// An entry of a list and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryView {
    /// The key of the list.
    pub list: ListKey,
    /// The entry as written; `null` if the list as a whole could not be read.
    pub entry: Option<String>,
    /// The place of the entry or of the unreadable list; `null` if it is built in or not known.
    pub at: Option<Place>,
    /// Whether the list is defined in `member_defaults`.
    pub inherited: bool,
}

/// Identifies an entry of a member by its index in its list; without an index, the unreadable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) access: Access,
    pub(super) list: ListKind,
    pub(super) index: Option<usize>,
}

/// Writes the entry, its list and its place: an entry `src` of `write_dirs`, followed by `(.minds/team.yaml:3:18)`.
impl fmt::Display for EntryView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.entry {
            Some(entry) => write!(f, "`{}` of {}", entry.escape_debug(), self.list)?,
            None => f.write_str(self.list.as_str())?,
        }
        match &self.at {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

impl EntryView {
    pub(super) fn new(
        document: Option<&Document>,
        policy: &MemberPolicy,
        key: Key,
        written: Option<&str>,
    ) -> Self {
        let place = policy.place(key.access, key.list);
        let node = match key.index {
            Some(index) => place.entries.get(index).copied().flatten(),
            None => place.unreadable_entry.or(place.node),
        };
        Self::at(document, key.list.key(key.access), place, node, written)
    }

    /// Returns an entry of a list at the place `at_list`, with its node.
    pub(super) fn at(
        document: Option<&Document>,
        list: ListKey,
        at_list: &ListPlace,
        node: Option<NodeId>,
        written: Option<&str>,
    ) -> Self {
        Self {
            list,
            entry: written.map(|written| without_secrets(TEAM_FILE, written).into_owned()),
            at: document.zip(node).map(|(document, node)| place(document, node)),
            inherited: at_list.is_inherited,
        }
    }
}

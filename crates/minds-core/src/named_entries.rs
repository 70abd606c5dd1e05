//! Mappings whose keys are user-defined names.

use minds_document::{Context, Entry, Node};

/// The entries of a mapping with user-defined names as keys.
pub(crate) struct NamedEntries<'d> {
    /// The entries in file order, without keys that begin with `x-`, which are reserved for the user.
    pub(crate) entries: Vec<Entry<'d>>,
    /// Whether the entries are complete: `false` if there is a merge key, which is reported and could add entries.
    pub(crate) is_complete: bool,
}

impl<'d> NamedEntries<'d> {
    /// Returns the entries of `node`; empty if it is not a mapping.
    pub(crate) fn of(node: Node<'d>, cx: &mut Context) -> Self {
        let mut entries: Vec<Entry<'d>> = own_entries(node).collect();
        let all = entries.len();
        entries.retain(|entry| !cx.is_merge_key(entry));
        Self { is_complete: entries.len() == all, entries }
    }
}

/// Returns the entries whose keys are not reserved for the user.
pub(crate) fn own_entries(node: Node<'_>) -> impl Iterator<Item = Entry<'_>> {
    node.entries().filter(|entry| !entry.key.starts_with("x-"))
}

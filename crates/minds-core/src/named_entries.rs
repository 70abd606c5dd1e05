//! Mappings whose keys are names that people give.

use minds_document::{Context, Entry, Node};

/// The entries of a mapping from names.
pub(crate) struct Named<'d> {
    /// The entries in the order of the file, without keys that begin with `x-`: those belong to the user.
    pub(crate) entries: Vec<Entry<'d>>,
    /// Whether these are all: a merge key was reported, and may be meant to bring more.
    pub(crate) is_complete: bool,
}

impl<'d> Named<'d> {
    /// Returns the entries of `node`; none if it is no mapping.
    pub(crate) fn of(node: Node<'d>, cx: &mut Context) -> Self {
        let mut entries: Vec<Entry<'d>> = own_entries(node).collect();
        let all = entries.len();
        entries.retain(|entry| !cx.is_merge_key(entry));
        Self { is_complete: entries.len() == all, entries }
    }
}

/// Returns the entries that do not belong to the user alone.
pub(crate) fn own_entries(node: Node<'_>) -> impl Iterator<Item = Entry<'_>> {
    node.entries().filter(|entry| !entry.key.starts_with("x-"))
}

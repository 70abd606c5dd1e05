//! The collections and anchors that the builder has not finished.

/// A collection that has started and not ended.
pub(super) struct Open {
    pub(super) node: u32,
    pub(super) anchor: usize,
    /// Whether it is written in brackets or braces.
    pub(super) flow: bool,
    pub(super) mapping: bool,
    /// Whether it is in the place of a key.
    pub(super) is_key: bool,
    pub(super) children: u32,
    /// The last key, while its value is expected, and the last child.
    pub(super) last: u32,
    /// The number of descendants, where an alias counts as the nodes that it stands for.
    pub(super) weight: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Anchor {
    pub(super) node: u32,
    /// The number of nodes that an alias stands for; none while the node is still open.
    pub(super) weight: Option<u64>,
}

impl Open {
    /// Returns whether a key comes next.
    pub(super) fn awaits_key(&self) -> bool {
        self.mapping && self.children.is_multiple_of(2)
    }
}

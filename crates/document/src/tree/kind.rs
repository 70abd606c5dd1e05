//! Nodes as they are written: every node of the source is visited, and no alias is resolved.

use super::{Content, Document, Node, NodeId};

/// What a node is in the source; its [`Value`](super::Value) is what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A scalar without quotes.
    Plain,
    /// A scalar that is always a string: quoted, a block, or a key in a format whose keys are always strings.
    Quoted,
    /// A list.
    Sequence,
    /// A mapping from keys to values.
    Mapping,
    /// An alias, with the node that it stands for.
    Alias(NodeId),
    /// Something that was reported and has no value.
    Unknown,
}

impl NodeId {
    /// Returns the index of the node among all nodes of its document; see [`Document::iter`].
    pub fn index(self) -> u32 {
        self.0
    }
}

impl Document {
    /// Returns the node with an index among all nodes; see [`iter`](Self::iter).
    pub fn find_node(&self, index: u32) -> Option<Node<'_>> {
        ((index as usize) < self.nodes.len()).then_some(Node { document: self, id: index })
    }
}

impl Node<'_> {
    /// Returns what the node is in the source.
    pub fn kind(self) -> NodeKind {
        match self.content() {
            Content::Plain(_) | Content::Literal(..) => NodeKind::Plain,
            Content::Quoted(_) => NodeKind::Quoted,
            Content::Sequence => NodeKind::Sequence,
            Content::Mapping => NodeKind::Mapping,
            Content::Alias(target) => NodeKind::Alias(NodeId(target)),
            Content::Unknown => NodeKind::Unknown,
        }
    }

    /// Returns the index of the first node after this one that is not inside of it.
    pub fn end(self) -> u32 {
        self.raw().map_or(self.id, |raw| raw.end)
    }
}

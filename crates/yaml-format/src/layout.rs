//! The layout of a document: the tree, with comments and white space.
//!
//! The [`Document`](minds_document::Document) contains the values. The layout contains the comments, blank lines, anchors and
//! tags, and the value that each of them belongs to. Scalars are spans: nothing is copied.

use minds_diagnostics::Span;

use super::block_text::BlockText;
use super::comments::Comment;
use super::flow::Flow;

/// The layout of a complete file.
#[derive(Debug)]
pub(super) struct Layout {
    /// Directives, the marker `---`, and the comments above it.
    pub(super) before: Vec<FrameLine>,
    pub(super) root: Value,
    /// The marker `...`, and the comments after it.
    pub(super) after: Vec<FrameLine>,
}

/// A line outside of the content of the document.
#[derive(Debug)]
pub(super) enum FrameLine {
    Comment(Comment),
    /// A directive or a marker.
    Sign {
        span: Span,
        /// Whether a blank line precedes it.
        blank: bool,
    },
}

/// A value, and what belongs to it.
#[derive(Debug)]
pub(super) struct Value {
    /// The node in the document.
    pub(super) node: u32,
    /// Anchor and tag.
    pub(super) props: Vec<Span>,
    /// Comments between the indicator of the value and the value.
    pub(super) head: Vec<Comment>,
    pub(super) content: Content,
    /// Comments after the value on its line.
    pub(super) tail: Vec<Comment>,
    /// Comments on the following lines that are indented as if they were in the value.
    pub(super) below: Vec<Comment>,
}

/// The notation of a value.
#[derive(Debug)]
pub(super) enum Content {
    /// Empty: the value is null.
    Nothing,
    /// A scalar with or without quotes, or an alias.
    Text(Span),
    /// A block scalar.
    Block(BlockText),
    /// A collection in brackets or braces.
    Flow(Flow),
    /// A collection with items or keys on lines of their own.
    Collection(Vec<Entry>),
}

/// An item of a list, or a key with its value.
#[derive(Debug)]
pub(super) struct Entry {
    /// Comments on the preceding lines.
    pub(super) above: Vec<Comment>,
    /// Whether a blank line directly precedes it, after the comments.
    pub(super) blank: bool,
    /// The key; none for an item.
    pub(super) key: Option<Key>,
    pub(super) value: Value,
    /// Comments directly after it that move with the entry.
    pub(super) footer: Vec<Comment>,
}

impl Entry {
    /// Returns whether a blank line precedes the entry and the comments above it.
    pub(super) fn blank_above(&mut self) -> &mut bool {
        match self.above.first_mut() {
            Some(comment) => &mut comment.blank,
            None => &mut self.blank,
        }
    }
}

/// A key.
#[derive(Debug)]
pub(super) struct Key {
    /// The node in the document.
    pub(super) node: u32,
    /// Anchor and tag.
    pub(super) props: Vec<Span>,
    pub(super) content: Content,
    /// Whether it is written with `?`.
    pub(super) is_explicit: bool,
    /// Whether a `:` follows, which is optional after `?`.
    pub(super) has_sign: bool,
    /// Comments between a key with `?` and its `:`.
    pub(super) tail: Vec<Comment>,
}

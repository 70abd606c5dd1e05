//! A text as it is laid out: the tree, and what stands around its values.
//!
//! The tree of the [`Document`](crate::Document) knows what a text says. The layout knows where the comments, blank
//! lines, anchors and tags are, and which value each of them belongs to. Texts are spans: nothing is copied.

use minds_diagnostics::Span;

use super::block_text::BlockText;
use super::comments::Comment;
use super::flow::Flow;

/// A whole text.
#[derive(Debug)]
pub(super) struct Layout {
    /// Directives, the sign `---`, and the comments above it.
    pub(super) before: Vec<FrameLine>,
    pub(super) root: Value,
    /// The sign `...`, and the comments behind it.
    pub(super) after: Vec<FrameLine>,
}

/// A line outside of the document proper.
#[derive(Debug)]
pub(super) enum FrameLine {
    Comment(Comment),
    /// A directive or a sign.
    Sign {
        span: Span,
        /// Whether a blank line stands above.
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
    /// Comments between the sign that announces the value and the value.
    pub(super) head: Vec<Comment>,
    pub(super) content: Content,
    /// Comments behind the value on its line.
    pub(super) tail: Vec<Comment>,
    /// Comments on lines below the value that are indented as if they stood in it.
    pub(super) below: Vec<Comment>,
}

/// How a value is written.
#[derive(Debug)]
pub(super) enum Content {
    /// Not at all: it is null.
    Nothing,
    /// As a text with or without quotes, or as an alias.
    Text(Span),
    /// As a text with `|` or `>`.
    Block(BlockText),
    /// In brackets or braces.
    Flow(Flow),
    /// As items or keys on lines of their own.
    Collection(Vec<Entry>),
}

/// An item of a list, or a key with its value.
#[derive(Debug)]
pub(super) struct Entry {
    /// Comments on lines above.
    pub(super) above: Vec<Comment>,
    /// Whether a blank line stands directly above, below the comments.
    pub(super) blank: bool,
    /// The key; none for an item.
    pub(super) key: Option<Key>,
    pub(super) value: Value,
    /// Comments directly below that move with the entry.
    pub(super) footer: Vec<Comment>,
}

impl Entry {
    /// Returns whether a blank line stands above the entry and the comments above it.
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
    /// Whether a `:` follows, which may be missing behind a `?`.
    pub(super) has_sign: bool,
    /// Comments between a key with `?` and its `:`.
    pub(super) tail: Vec<Comment>,
}

//! Flow collections as a sequence of pieces.

use minds_diagnostics::Span;
use minds_document::{Document, Node, NodeKind};

use super::comments::Cursor;
use super::reader::UnsupportedLayout;

/// A list in brackets or a mapping in braces.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) pieces: Vec<Piece>,
    /// The node after its last descendant.
    pub(super) end: u32,
    /// Whether the closing bracket begins its line and is not deeper than the entry that it belongs to.
    pub(super) is_flush: bool,
}

/// An indicator, a scalar or a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) span: Span,
    /// How many line breaks precede it; two if there are more.
    pub(super) breaks: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Open,
    Close,
    Comma,
    Colon,
    Question,
    /// An anchor, alias or tag, which an indicator must not touch.
    Name,
    Text,
    Comment,
}

impl Piece {
    /// Returns whether a space is between this piece and the preceding one on the same line.
    pub(super) fn is_separated(self, before: Self) -> bool {
        use PieceKind::{Close, Colon, Comma, Comment, Name, Open, Text};
        !matches!(
            (before.kind, self.kind),
            (Open, _)
                | (Text | Name | Close | Comma, Close)
                | (Text | Name | Close, Comma)
                | (Text | Close, Colon)
        ) || self.kind == Comment
    }
}

/// Reads the collection at the cursor, which is `node`. It belongs to an entry in `column`, counted from 1.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    document: &Document,
    node: u32,
    column: u32,
) -> Result<Flow, UnsupportedLayout> {
    let end = document.find_node(node).map_or(node, Node::end);
    let mut leaves = leaves(document, node + 1, end).peekable();
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut depth, mut breaks) = (0_u32, 0_u8);
    // The column of the line, as long as it contains only closing brackets.
    let mut closing: Option<u32> = None;
    loop {
        cursor.blanks();
        if cursor.line_break() {
            breaks = (breaks + 1).min(2);
            continue;
        }
        let (at, leads) = (cursor.at, breaks > 0);
        let (kind, length) = match (cursor.byte(), leaves.peek()) {
            (_, Some(leaf)) if leaf.start() == at => {
                let length = leaf.len();
                leaves.next();
                (if cursor.byte() == Some(b'*') { PieceKind::Name } else { PieceKind::Text }, length)
            }
            (Some(b'#'), _) => {
                let span = cursor.comment();
                pieces.push(Piece { kind: PieceKind::Comment, span, breaks });
                (breaks, closing) = (0, None);
                continue;
            }
            (Some(b'[' | b'{'), _) => (PieceKind::Open, 1),
            (Some(b']' | b'}'), _) => (PieceKind::Close, 1),
            (Some(b','), _) => (PieceKind::Comma, 1),
            (Some(b':'), _) => (PieceKind::Colon, 1),
            (Some(b'?'), _) => (PieceKind::Question, 1),
            (Some(b'&' | b'!'), _) => (PieceKind::Name, cursor.places.find_word_end(at) - at),
            _ => return Err(UnsupportedLayout { at }),
        };
        cursor.at += length;
        if kind == PieceKind::Close && pieces.last().is_some_and(|last| last.kind == PieceKind::Open) {
            // An empty value has no lines.
            breaks = 0;
        }
        pieces.push(Piece { kind, span: Span::new(at, cursor.at), breaks });
        breaks = 0;
        if kind == PieceKind::Close {
            if leads {
                closing = Some(cursor.column(at));
            }
            depth = depth.saturating_sub(1);
            if depth == 0 {
                let is_flush = closing.is_some_and(|at| at <= column);
                return Ok(Flow { pieces, end, is_flush });
            }
        } else {
            closing = None;
            depth += u32::from(kind == PieceKind::Open);
        }
    }
}

/// Returns the spans of the scalars and aliases among the nodes from `first` to `end`.
fn leaves(document: &Document, first: u32, end: u32) -> impl Iterator<Item = Span> {
    let nodes = (first..end).filter_map(move |index| document.find_node(index));
    nodes.filter_map(move |node| {
        let is_leaf = match node.kind() {
            NodeKind::Plain | NodeKind::Quoted => {
                let text = document.source().slice(node.span());
                !text.is_empty() && !text.starts_with(['&', '!'])
            }
            NodeKind::Alias(_) => true,
            NodeKind::Sequence | NodeKind::Mapping | NodeKind::Unknown => false,
        };
        is_leaf.then_some(node.span())
    })
}

//! Verification that a formatted file has the same meaning.

use minds_diagnostics::{SourceFile, Span};
use minds_document::{Document, Node, NodeKind, yaml};

use super::printer::PrintedFile;
use super::reader::{self, UnsupportedLayout};

/// Parses `after` and compares it with the original document: node by node in the order in which they were printed,
/// comment by comment, and byte by byte without white space.
///
/// # Errors
///
/// Returns the place in the document of the first change of meaning.
pub(super) fn verify(
    document: &Document,
    comments: Vec<Span>,
    printed: &PrintedFile,
    after: &SourceFile,
) -> Result<(), UnsupportedLayout> {
    let unknown = UnsupportedLayout { at: 0 };
    let parsed = yaml::parse(after);
    let tree = parsed.value.filter(|_| parsed.problems.is_empty()).ok_or(unknown)?;
    if tree.len() != document.len() || printed.nodes.len() != document.len() {
        return Err(unknown);
    }
    let mut rank = vec![u32::MAX; document.len()];
    for (place, node) in (0..).zip(&printed.nodes) {
        *rank.get_mut(*node as usize).ok_or(unknown)? = place;
    }
    let renamed = |node: u32| rank.get(node as usize).copied();
    let index = |node: Node<'_>| node.id().index();
    for (new, node) in tree.iter().zip(&printed.nodes) {
        let old = document.find_node(*node).ok_or(unknown)?;
        let same_place =
            new.index() == old.index() && new.key().map(index) == old.key().map(index).and_then(renamed);
        let same_parent = new.parent().map(index) == old.parent().map(index).and_then(renamed);
        if !(same_place && same_parent && is_equal(old, new, renamed)) {
            return Err(UnsupportedLayout { at: old.span().start() });
        }
    }
    let (_, comments_after) = reader::read(&tree).map_err(|_| unknown)?;
    if sort_comments(document, comments) != sort_comments(&tree, comments_after) {
        return Err(unknown);
    }
    if characters(document.source().bytes()) == characters(after.bytes()) { Ok(()) } else { Err(unknown) }
}

fn is_equal(old: Node<'_>, new: Node<'_>, renamed: impl Fn(u32) -> Option<u32>) -> bool {
    match (old.kind(), new.kind()) {
        (NodeKind::Plain, NodeKind::Plain) | (NodeKind::Quoted, NodeKind::Quoted) => {
            old.scalar_text() == new.scalar_text()
        }
        (NodeKind::Sequence, NodeKind::Sequence) | (NodeKind::Mapping, NodeKind::Mapping) => true,
        (NodeKind::Alias(old), NodeKind::Alias(new)) => renamed(old.index()) == Some(new.index()),
        _ => false,
    }
}

/// Returns the comments sorted, because those of moved entries move.
fn sort_comments(document: &Document, comments: Vec<Span>) -> Vec<&str> {
    let mut texts: Vec<&str> = comments.into_iter().map(|comment| document.source().slice(comment)).collect();
    texts.sort_unstable();
    texts
}

/// Counts each byte that is not white space.
fn characters(bytes: &[u8]) -> [u64; 256] {
    let mut counts = [0; 256];
    for byte in bytes.iter().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    counts
}

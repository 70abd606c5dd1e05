//! Verification that a formatted file has the same meaning.

use minds_diagnostics::{SourceFile, Span};

use super::printer::Printed;
use super::reader::{self, Unsure};
use crate::tree::{Content, Document, RawNode};
use crate::yaml;

/// Parses `after` and compares it with the original document: node by node in the order in which they were printed,
/// comment by comment, and byte by byte without white space.
///
/// # Errors
///
/// Returns the place in the document of the first change of meaning.
pub(super) fn verify(
    document: &Document,
    comments: Vec<Span>,
    printed: &Printed,
    after: &SourceFile,
) -> Result<(), Unsure> {
    let nowhere = Unsure { at: 0 };
    let parsed = yaml::parse(after);
    let tree = parsed.value.filter(|_| parsed.problems.is_empty()).ok_or(nowhere)?;
    if tree.nodes.len() != document.nodes.len() || printed.nodes.len() != document.nodes.len() {
        return Err(nowhere);
    }
    let mut rank = vec![u32::MAX; document.nodes.len()];
    for (place, node) in (0..).zip(&printed.nodes) {
        *rank.get_mut(*node as usize).ok_or(nowhere)? = place;
    }
    let renamed = |node: u32| rank.get(node as usize).copied();
    for (new, node) in tree.nodes.iter().zip(&printed.nodes) {
        let old = document.nodes.get(*node as usize).ok_or(nowhere)?;
        let same_place = match document.nodes.get(old.parent as usize).map(|parent| parent.content) {
            Some(Content::Sequence) => new.place == old.place,
            _ => Some(new.place) == renamed(old.place),
        };
        if !(same_place
            && Some(new.parent) == renamed(old.parent)
            && is_equal(document, *old, &tree, *new, renamed))
        {
            return Err(Unsure { at: old.span.start() });
        }
    }
    let (_, comments_after) = reader::read(&tree).map_err(|_| nowhere)?;
    if sort_comments(document, comments) != sort_comments(&tree, comments_after) {
        return Err(nowhere);
    }
    if characters(document.source().bytes()) == characters(after.bytes()) { Ok(()) } else { Err(nowhere) }
}

fn is_equal(
    document: &Document,
    old: RawNode,
    tree: &Document,
    new: RawNode,
    renamed: impl Fn(u32) -> Option<u32>,
) -> bool {
    match (old.content, new.content) {
        (Content::Plain(old), Content::Plain(new)) | (Content::Quoted(old), Content::Quoted(new)) => {
            document.text(old) == tree.text(new)
        }
        (Content::Sequence, Content::Sequence) | (Content::Mapping, Content::Mapping) => true,
        (Content::Alias(old), Content::Alias(new)) => renamed(old) == Some(new),
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

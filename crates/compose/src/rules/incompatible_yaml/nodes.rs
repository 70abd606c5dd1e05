//! What the grammar of YAML 1.2 lets stand around a value, and that of YAML 1.1 does not: one walk over the nodes.

use minds_diagnostics::Span;
use minds_document::{Document, Node, NodeId, Value};

use super::{Found, block, span};

/// How many bytes stand from the start of a key to its colon at most, where no `?` announces it.
const MAX_KEY_BYTES: usize = 1024;

/// How many times as many values as the file has its aliases may stand for.
const MAX_REPEATED: u64 = 100;

const QUOTE: &str = "write it in quotes";

pub(super) fn check(document: &Document, text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    for node in document.iter() {
        let parent = node.parent().map(Node::id);
        while open.last().is_some_and(|open| Some(open.id) != parent) {
            open.pop();
        }
        let range = node.span().range();
        let is_flow = open.last().is_some_and(|open| open.is_flow);
        let mut begin = range.start;
        for word in node.properties().map(Span::range) {
            begin = begin.min(word.start);
            property(bytes, &word, is_flow, found);
            if !is_flow && word.start < range.start {
                tab_before(bytes, word.start, found);
            }
        }
        let block = block_header(bytes, node, is_flow);
        if let Some(header) = block {
            begin = begin.min(header);
            block::check(bytes, header, range.end, found);
        }
        let place = Place { node, start: range.start, end: range.end, begin };
        if let Some(text) = node.scalar_text() {
            scalar(bytes, &place, text, is_flow, found);
        }
        if !is_flow {
            // A mapping in a block starts with its first key.
            if node.scalar_text().is_some() || !is_block_mapping(bytes, &place) {
                tab_before(bytes, range.start, found);
            }
            if let Some(list) = open.last_mut().filter(|_| node.index().is_some()) {
                dash(bytes, list.behind, found);
            }
        }
        if parent.is_some() && node.index().is_none() && node.key().is_none() {
            key(bytes, &place, found);
        }
        if let Some(open) = open.last_mut() {
            open.behind = range.end;
        }
        if node.scalar_text().is_none() {
            let is_flow = is_flow || matches!(bytes.get(range.start), Some(b'[' | b'{'));
            open.push(Open { id: node.id(), is_flow, behind: range.start });
        }
    }
    let most = MAX_REPEATED.saturating_mul(u64::try_from(document.len()).unwrap_or(u64::MAX));
    if document.aliased_nodes() > most {
        found.push((
            span(0, 0),
            "a file whose aliases stand for more than 100 times as many values as it has",
            "write the values where they are needed",
        ));
    }
}

/// A collection that holds the node that is looked at.
struct Open {
    id: NodeId,
    /// Whether it stands in brackets or braces, or in something that does.
    is_flow: bool,
    /// Where the last node in it ended.
    behind: usize,
}

/// A node, and where it stands.
struct Place<'d> {
    node: Node<'d>,
    start: usize,
    end: usize,
    /// Where its anchor or tag starts, if it has any.
    begin: usize,
}

fn is_block_mapping(bytes: &[u8], place: &Place<'_>) -> bool {
    place.node.value() == Value::Mapping && bytes.get(place.start) != Some(&b'{')
}

/// Returns the first offset from `at` on that holds no white space.
fn behind_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// An anchor or a tag: what names may be made of, and what may follow.
fn property(bytes: &[u8], word: &std::ops::Range<usize>, is_flow: bool, found: &mut Vec<Found>) {
    let next = bytes.get(word.end).copied();
    let ends = |closers: &[u8]| {
        next.is_none_or(|next| next.is_ascii_whitespace() || is_flow && closers.contains(&next))
    };
    let name = bytes.get(word.start + 1..word.end).unwrap_or_default();
    if bytes.get(word.start) == Some(&b'!') {
        if !ends(b",") {
            found.push((
                span(word.start, word.end),
                "a tag right before a bracket",
                "put a space behind it, or remove it",
            ));
        }
    } else if !name.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-')) {
        found.push((
            span(word.start, word.end),
            "this name of an anchor",
            "use letters, digits, `_` and `-`",
        ));
    } else if !ends(b",]}") {
        found.push((span(word.start, word.end), "an anchor right before a bracket", "put a space behind it"));
    }
}

/// Returns where the `|` or `>` of a block text stands, if the node is one. A key has it before its place.
fn block_header(bytes: &[u8], node: Node<'_>, is_flow: bool) -> Option<usize> {
    let start = node.span().range().start;
    if is_flow || node.is_plain() || node.scalar_text().is_none() {
        return None;
    }
    match bytes.get(start)? {
        b'|' | b'>' => Some(start),
        b'"' | b'\'' => None,
        // With a tag a word is a text too.
        _ if node.tag().is_some() => None,
        _ => bytes.get(..start)?.iter().rposition(|byte| matches!(byte, b'|' | b'>')),
    }
}

fn scalar(bytes: &[u8], place: &Place<'_>, text: &str, is_flow: bool, found: &mut Vec<Found>) {
    let first = bytes.get(place.start).copied();
    let is_quoted = matches!(first, Some(b'"' | b'\''));
    if is_flow && !text.is_empty() && !is_quoted {
        plain_in_brackets(bytes, place, found);
    }
    // What is tagged as null is a text to that program, where nothing is behind the tag.
    if place.node.is_plain() && text.is_empty() && place.node.tag().is_some() {
        found.push((
            span(place.begin, place.end.max(place.start)),
            "a tag with nothing behind it",
            "write `null` behind it, or remove it",
        ));
    }
}

/// A text without quotes in brackets: signs that cannot start it, and colons that cannot be in it.
fn plain_in_brackets(bytes: &[u8], place: &Place<'_>, found: &mut Vec<Found>) {
    let text = bytes.get(place.start..place.end).unwrap_or_default();
    if let Some(b':' | b'?' | b'|' | b'>' | b'%' | b'@' | b'`') = text.first() {
        found.push((
            span(place.start, place.start + 1),
            "a text in brackets that begins with this sign",
            QUOTE,
        ));
        return;
    }
    if let Some(at) = text.windows(2).position(|pair| pair == b":?") {
        found.push((
            span(place.start + at, place.start + at + 1),
            "a colon right before a question mark in brackets",
            QUOTE,
        ));
    }
    let colon = behind_blanks(bytes, place.end);
    if bytes.get(colon) == Some(&b':')
        && let Some(b',' | b'?' | b'[' | b']' | b'{' | b'}') = bytes.get(colon + 1)
    {
        found.push((
            span(colon, colon + 1),
            "a colon right before a bracket or a comma",
            "put a space behind it",
        ));
    }
}

/// A key without `?` before it: it needs a text, and its colon not far away.
fn key(bytes: &[u8], place: &Place<'_>, found: &mut Vec<Found>) {
    let Place { node, start, end, begin } = *place;
    if node.is_plain() && node.scalar_text() == Some("") {
        found.push((span(start, end), "a key without a text", "write the key, or `\"\"`"));
        return;
    }
    let colon = behind_blanks(bytes, end);
    if bytes.get(colon) != Some(&b':') {
        return;
    }
    let is_broken =
        bytes.get(begin..colon).unwrap_or_default().iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    let is_long = colon.saturating_sub(begin) > MAX_KEY_BYTES;
    if (is_broken || is_long) && !is_announced(bytes, begin) {
        found.push(if is_broken {
            (span(begin, end), "a key that is not on one line with its colon", "write both on one line")
        } else {
            (span(begin, end), "a key of more than 1,024 bytes", "shorten it")
        });
    }
}

/// Returns whether a `?` stands before the key at `at`.
fn is_announced(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let trimmed = before.trim_ascii_end();
    trimmed.len() < before.len()
        && trimmed.last() == Some(&b'?')
        && trimmed
            .len()
            .checked_sub(2)
            .and_then(|at| trimmed.get(at))
            .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'[' | b','))
}

/// A tab that stands in a block before what can be a key: at the start of a line, or behind a dash or a question mark.
fn tab_before(bytes: &[u8], at: usize, found: &mut Vec<Found>) {
    let mut at = at;
    loop {
        let before = bytes.get(..at).unwrap_or_default();
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let run = before.len() - blanks;
        let tab = before.get(run..).unwrap_or_default().iter().position(|byte| *byte == b'\t');
        let sign = run.checked_sub(1).and_then(|at| before.get(at));
        let starts_line = match sign {
            None | Some(b'\n' | b'\r' | b'-' | b'?') => true,
            Some(b':') => is_first(before.get(..run - 1).unwrap_or_default()),
            Some(_) => false,
        };
        if let Some(tab) = tab.filter(|_| starts_line) {
            found.push((span(run + tab, run + tab + 1), "a tab", "use spaces"));
            return;
        }
        match sign {
            Some(b'-' | b'?') if blanks > 0 => at = run - 1,
            _ => return,
        }
    }
}

/// Returns whether what follows is the first in its line.
fn is_first(before: &[u8]) -> bool {
    let mut blanks = before.iter().rev().skip_while(|byte| matches!(byte, b' ' | b'\t'));
    matches!(blanks.next(), None | Some(b'\n' | b'\r'))
}

/// A dash with a tab behind it and no item on its line; `from` is where the item before it ended.
fn dash(bytes: &[u8], from: usize, found: &mut Vec<Found>) {
    let mut at = behind_blanks(bytes, from);
    while bytes.get(at) == Some(&b'#') {
        let rest = bytes.get(at..).unwrap_or_default();
        let line = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        at = behind_blanks(bytes, at + line);
    }
    let Some(rest) = bytes.get(at..).filter(|rest| rest.first() == Some(&b'-')) else { return };
    let blanks = rest.iter().skip(1).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let tab = rest.iter().take(1 + blanks).position(|byte| *byte == b'\t');
    let ends = matches!(rest.get(1 + blanks), None | Some(b'\n' | b'\r' | b'#'));
    if let (Some(tab), true) = (tab, ends) {
        found.push((span(at + tab, at + tab + 1), "a tab", "remove it, or use spaces"));
    }
}

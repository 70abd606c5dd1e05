//! Syntax around values that is valid in YAML 1.2 but not in YAML 1.1, found in one walk over the nodes.

use minds_diagnostics::Span;
use minds_document::{Document, Node, NodeId, Value};

use super::{Issue, block_scalar, span};

/// The maximum number of bytes from the start of a key without `?` to its colon.
const MAX_KEY_BYTES: usize = 1024;

/// The maximum ratio between the number of values after expanding aliases and before.
const MAX_REPEATED: u64 = 100;

const QUOTE: &str = "write it in quotes";

pub(super) fn check(document: &Document, text: &str, issues: &mut Vec<Issue>) {
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
            check_property(bytes, &word, is_flow, issues);
            if !is_flow && word.start < range.start {
                check_tab_before(bytes, word.start, issues);
            }
        }
        let block = block_header(bytes, node, is_flow);
        if let Some(header) = block {
            begin = begin.min(header);
            block_scalar::check(bytes, header, range.end, issues);
        }
        let place = Place { node, start: range.start, end: range.end, begin };
        if let Some(text) = node.scalar_text() {
            check_scalar(bytes, &place, text, is_flow, issues);
        }
        if !is_flow {
            // A block mapping starts with its first key.
            if node.scalar_text().is_some() || !is_block_mapping(bytes, &place) {
                check_tab_before(bytes, range.start, issues);
            }
            if let Some(list) = open.last_mut().filter(|_| node.index().is_some()) {
                check_dash(bytes, list.last_end, issues);
            }
        }
        if parent.is_some() && node.index().is_none() && node.key().is_none() {
            check_key(bytes, &place, issues);
        }
        if let Some(open) = open.last_mut() {
            open.last_end = range.end;
        }
        if node.scalar_text().is_none() {
            let is_flow = is_flow || matches!(bytes.get(range.start), Some(b'[' | b'{'));
            open.push(Open { id: node.id(), is_flow, last_end: range.start });
        }
    }
    let most = MAX_REPEATED.saturating_mul(u64::try_from(document.len()).unwrap_or(u64::MAX));
    if document.aliased_nodes() > most {
        issues.push((
            span(0, 0),
            "a file whose aliases expand to more than 100 times its number of values",
            "write the values out instead of using aliases",
        ));
    }
}

/// A collection that contains the current node.
struct Open {
    id: NodeId,
    /// Whether the collection is in brackets or braces, or inside a collection that is.
    is_flow: bool,
    /// The end of the last node in it.
    last_end: usize,
}

/// A node with its offsets.
struct Place<'d> {
    node: Node<'d>,
    start: usize,
    end: usize,
    /// The start of its anchor or tag, if it has one.
    begin: usize,
}

fn is_block_mapping(bytes: &[u8], place: &Place<'_>) -> bool {
    place.node.value() == Value::Mapping && bytes.get(place.start) != Some(&b'{')
}

/// Returns the first offset at or after `at` that is not white space.
fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Checks the name of an anchor, and what follows an anchor or a tag.
fn check_property(bytes: &[u8], word: &std::ops::Range<usize>, is_flow: bool, issues: &mut Vec<Issue>) {
    let next = bytes.get(word.end).copied();
    let ends = |closers: &[u8]| {
        next.is_none_or(|next| next.is_ascii_whitespace() || is_flow && closers.contains(&next))
    };
    let name = bytes.get(word.start + 1..word.end).unwrap_or_default();
    if bytes.get(word.start) == Some(&b'!') {
        if !ends(b",") {
            issues.push((
                span(word.start, word.end),
                "a tag right before a bracket",
                "add a space after it, or remove it",
            ));
        }
    } else if !name.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-')) {
        issues.push((span(word.start, word.end), "this anchor name", "use letters, digits, `_` and `-`"));
    } else if !ends(b",]}") {
        issues.push((span(word.start, word.end), "an anchor right before a bracket", "add a space after it"));
    }
}

/// Returns the offset of the `|` or `>` if the node is a block scalar. For a key it precedes the span of the
/// node.
fn block_header(bytes: &[u8], node: Node<'_>, is_flow: bool) -> Option<usize> {
    let start = node.span().range().start;
    if is_flow || node.is_plain() || node.scalar_text().is_none() {
        return None;
    }
    match bytes.get(start)? {
        b'|' | b'>' => Some(start),
        b'"' | b'\'' => None,
        // A plain scalar with a tag is a string too.
        _ if node.tag().is_some() => None,
        _ => bytes.get(..start)?.iter().rposition(|byte| matches!(byte, b'|' | b'>')),
    }
}

fn check_scalar(bytes: &[u8], place: &Place<'_>, text: &str, is_flow: bool, issues: &mut Vec<Issue>) {
    let first = bytes.get(place.start).copied();
    let is_quoted = matches!(first, Some(b'"' | b'\''));
    if is_flow && !text.is_empty() && !is_quoted {
        check_plain_in_brackets(bytes, place, issues);
    }
    // An empty scalar with a tag is a string to that program.
    if place.node.is_plain() && text.is_empty() && place.node.tag().is_some() {
        issues.push((
            span(place.begin, place.end.max(place.start)),
            "a tag without a value",
            "write `null` after it, or remove it",
        ));
    }
}

/// Checks a plain scalar in brackets for characters that cannot start it, and for colons that it cannot
/// contain.
fn check_plain_in_brackets(bytes: &[u8], place: &Place<'_>, issues: &mut Vec<Issue>) {
    let text = bytes.get(place.start..place.end).unwrap_or_default();
    if let Some(b':' | b'?' | b'|' | b'>' | b'%' | b'@' | b'`') = text.first() {
        issues.push((
            span(place.start, place.start + 1),
            "a plain scalar in brackets that begins with this character",
            QUOTE,
        ));
        return;
    }
    if let Some(at) = text.windows(2).position(|pair| pair == b":?") {
        issues.push((
            span(place.start + at, place.start + at + 1),
            "a colon right before a question mark in brackets",
            QUOTE,
        ));
    }
    let colon = skip_blanks(bytes, place.end);
    if bytes.get(colon) == Some(&b':')
        && let Some(b',' | b'?' | b'[' | b']' | b'{' | b'}') = bytes.get(colon + 1)
    {
        issues.push((
            span(colon, colon + 1),
            "a colon right before a bracket or a comma",
            "add a space after it",
        ));
    }
}

/// Checks a key without `?`: it must not be empty, and its colon must be on the same line and not too far
/// away.
fn check_key(bytes: &[u8], place: &Place<'_>, issues: &mut Vec<Issue>) {
    let Place { node, start, end, begin } = *place;
    if node.is_plain() && node.scalar_text() == Some("") {
        issues.push((span(start, end), "an empty key", "write the key, or `\"\"`"));
        return;
    }
    let colon = skip_blanks(bytes, end);
    if bytes.get(colon) != Some(&b':') {
        return;
    }
    let is_broken =
        bytes.get(begin..colon).unwrap_or_default().iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    let is_long = colon.saturating_sub(begin) > MAX_KEY_BYTES;
    if (is_broken || is_long) && !has_question_mark(bytes, begin) {
        issues.push(if is_broken {
            (span(begin, end), "a key that is not on one line with its colon", "write both on one line")
        } else {
            (span(begin, end), "a key of more than 1,024 bytes", "shorten it")
        });
    }
}

/// Returns whether a `?` precedes the key at `at`.
fn has_question_mark(bytes: &[u8], at: usize) -> bool {
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

/// Reports a tab before a possible key in a block: at the start of a line, or after `-` or `?`.
fn check_tab_before(bytes: &[u8], at: usize, issues: &mut Vec<Issue>) {
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
            issues.push((span(run + tab, run + tab + 1), "a tab", "use spaces"));
            return;
        }
        match sign {
            Some(b'-' | b'?') if blanks > 0 => at = run - 1,
            _ => return,
        }
    }
}

/// Returns whether the text after `before` starts a line.
fn is_first(before: &[u8]) -> bool {
    let mut blanks = before.iter().rev().skip_while(|byte| matches!(byte, b' ' | b'\t'));
    matches!(blanks.next(), None | Some(b'\n' | b'\r'))
}

/// Reports a tab after a dash without an item on its line; `from` is the end of the preceding item.
fn check_dash(bytes: &[u8], from: usize, issues: &mut Vec<Issue>) {
    let mut at = skip_blanks(bytes, from);
    while bytes.get(at) == Some(&b'#') {
        let rest = bytes.get(at..).unwrap_or_default();
        let line = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        at = skip_blanks(bytes, at + line);
    }
    let Some(rest) = bytes.get(at..).filter(|rest| rest.first() == Some(&b'-')) else { return };
    let blanks = rest.iter().skip(1).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let tab = rest.iter().take(1 + blanks).position(|byte| *byte == b'\t');
    let ends = matches!(rest.get(1 + blanks), None | Some(b'\n' | b'\r' | b'#'));
    if let (Some(tab), true) = (tab, ends) {
        issues.push((span(at + tab, at + tab + 1), "a tab", "remove it, or use spaces"));
    }
}

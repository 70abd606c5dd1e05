//! Characters that end a line for some YAML readers only.
//!
//! YAML 1.1 ends lines at NEL, LS and PS, YAML 1.2 does not; a lone carriage return ends a line in both
//! specifications and in few programs. What follows such a character is a comment to one reader and a key to another,
//! so a file that has one is not read at all.

use minds_diagnostics::{Diagnostic, SourceFile, Span};

use crate::rules;
use crate::tree::{Content, Document};

/// The reason why the file is not read.
const NOTE: &str = "a comment for one YAML parser can be a key for another";

/// Returns the finding for all carriage returns in `part` that are not followed by a line feed.
pub(super) fn carriage_returns(source: &SourceFile, part: Span) -> Option<Diagnostic> {
    let bytes = source.bytes().get(part.range()).unwrap_or_default();
    // Most files have none; those with CRLF have many, each followed by a line feed.
    let mut lone = bytes.iter().enumerate().filter_map(|(at, byte)| {
        let is_lone = *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        is_lone.then(|| part.start() + offset(at))
    });
    let first = lone.next()?;
    let count = 1 + lone.count();
    Some(finding(source, Span::new(first, first + 1), count, "a carriage return without a line feed", "\\r"))
}

/// Returns the finding for Unicode line separators in `part`, the source of `document`, outside of quoted strings. In
/// a quoted string they are only a part of the value.
pub(super) fn separators(document: &Document, part: Span) -> Option<Diagnostic> {
    let source = document.source();
    let text = source.slice(part);
    if text.is_ascii() {
        return None;
    }
    let characters = text.char_indices();
    let mut found =
        characters.filter_map(|(at, c)| Some((part.start() + offset(at), c, name(c)?))).peekable();
    found.peek()?;
    // Nodes are in the order of the source, and quoted strings are not nested.
    let mut quoted = quoted_spans(document).peekable();
    let mut outside = found.filter(|(at, ..)| {
        let at = *at;
        while quoted.next_if(|span| span.end() <= at).is_some() {}
        quoted.peek().is_none_or(|span| at < span.start())
    });
    let (at, c, (what, escape)) = outside.next()?;
    let count = 1 + outside.count();
    let span = Span::new(at, at + offset(c.len_utf8()));
    Some(finding(source, span, count, what, escape))
}

fn quoted_spans(document: &Document) -> impl Iterator<Item = Span> {
    let source = document.source();
    let texts = document.nodes.iter().filter(|node| matches!(node.content, Content::Quoted(_)));
    // A block scalar has no quotes: a line of it can end it.
    texts.map(|node| node.span).filter(|span| source.slice(*span).starts_with(['"', '\'']))
}

/// Returns the name of a Unicode line separator, and its escape in double quotes.
fn name(c: char) -> Option<(&'static str, &'static str)> {
    match c {
        '\u{85}' => Some(("the character U+0085 (next line)", "\\N")),
        '\u{2028}' => Some(("the character U+2028 (line separator)", "\\L")),
        '\u{2029}' => Some(("the character U+2029 (paragraph separator)", "\\P")),
        _ => None,
    }
}

fn finding(source: &SourceFile, span: Span, count: usize, what: &str, escape: &str) -> Diagnostic {
    let label = match count {
        1 => "here".to_owned(),
        _ => format!("here, and {} more in this file", count - 1),
    };
    Diagnostic::new(&rules::LINE_BREAK, format!("{what} ends a line for some YAML parsers only"))
        .primary(source.label(span).message(label))
        .note(NOTE)
        .help(format!(
            "end lines with LF or CRLF; to keep the character in a string, write `{escape}` in double quotes"
        ))
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

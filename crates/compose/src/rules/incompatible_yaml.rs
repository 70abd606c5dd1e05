mod block;
mod free;
mod nodes;

use minds_diagnostics::{Diagnostic, Rule, Severity, Span};
use minds_document::{Document, Value};

use super::Check;
use crate::family::ComposeFamily;

pub(super) static RULE: Rule = Rule {
    code: "compose/incompatible-yaml",
    summary: "a file is no YAML to the program that starts the agents, or another one",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("incompatible_yaml.md"),
};

/// A part of a text that other readers take for something else, what it is, and what to do.
type Found = (Span, &'static str, &'static str);

pub(super) fn check(check: &mut Check<'_>) {
    for document in documents(check.family) {
        let source = document.source();
        let Ok(text) = source.text() else { continue };
        let mut found = Vec::new();
        mark(document, text, &mut found);
        directives(document, text, &mut found);
        characters(text, &mut found);
        first_end(document, text, &mut found);
        tabs(&masked(document, text), &mut found);
        nodes::check(document, text, &mut found);
        free::check(document, &mut found);
        for (span, what, help) in found {
            check.problems.report(source, span, &RULE, || {
                Diagnostic::new(&RULE, format!("{what} is not read here by every reader of YAML"))
                    .primary(source.label(span).message("here"))
                    .note("the program that starts the agents knows YAML 1.1 only, and refuses the file")
                    .help(help)
            });
        }
    }
}

/// Returns the trees of all files that the program reads.
fn documents(family: &ComposeFamily) -> impl Iterator<Item = &Document> {
    let compose = family.compose.iter().filter_map(|file| file.document.as_ref());
    let projects = family.projects.iter().filter_map(|file| file.document.as_ref());
    compose.chain(projects).chain(family.runtimes.values().filter_map(|file| file.document.as_ref()))
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// A byte order mark moves what stands behind it in its line by one column, so further keys are none of the same mapping.
fn mark(document: &Document, text: &str, found: &mut Vec<Found>) {
    let Some(behind) = text.strip_prefix('\u{feff}') else { return };
    let line = behind.lines().next().unwrap_or_default().trim();
    let root = document.root();
    let has_one_line = line.is_empty()
        || line.starts_with(['#', '{', '['])
        || (!line.starts_with(['-', '%', '\u{feff}'])
            && root.value() == Value::Mapping
            && root.entries().count() < 2);
    if !has_one_line {
        found.push((
            span(0, '\u{feff}'.len_utf8()),
            "a byte order mark",
            "save the file without a byte order mark",
        ));
    }
}

/// The end of a document where none has begun, and a byte order mark behind the start of the text that moves the first key.
fn first_end(document: &Document, text: &str, found: &mut Vec<Found>) {
    let most = usize::try_from(document.root().span().start()).unwrap_or(usize::MAX);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at >= most || line.starts_with("---") {
            return;
        }
        let is_end =
            line.strip_prefix("...").is_some_and(|rest| !rest.starts_with(|c: char| !c.is_whitespace()));
        if is_end {
            found.push((span(at, at + 3), "the end of a document before its start", "remove the line"));
        } else if at > 0 && line.starts_with('\u{feff}') {
            found.push((span(at, at + 3), "a byte order mark", "save the file without a byte order mark"));
        }
        at += line.len();
    }
}

/// Only two versions and `%TAG` are known.
fn directives(document: &Document, text: &str, found: &mut Vec<Found>) {
    let most = usize::try_from(document.root().span().start()).unwrap_or(usize::MAX);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at >= most || line.trim_start_matches('\u{feff}').starts_with("---") {
            return;
        }
        let mut words = line.split_whitespace();
        let is_known = match words.next() {
            Some("%YAML") => matches!(words.next(), Some("1.1" | "1.2")),
            Some(word) => word == "%TAG" || !line.starts_with('%'),
            None => true,
        };
        if !is_known {
            found.push((span(at, at + line.trim_end().len()), "this directive", "remove the line"));
        }
        at += line.len();
    }
}

/// What ends a line in YAML 1.1 and no line in YAML 1.2, and what no text may have.
fn characters(text: &str, found: &mut Vec<Found>) {
    let is_odd = |c: char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    for (at, c) in text.char_indices().filter(|(_, c)| is_odd(*c)) {
        let what =
            if c < '\u{fffe}' { "a line separator of Unicode" } else { "a code point that is no character" };
        found.push((
            span(at, at + c.len_utf8()),
            what,
            "remove it, or write it as an escape in double quotes",
        ));
    }
}

/// Returns the bytes of the text with letters in the place of scalars that are no plain ones.
fn masked(document: &Document, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for node in document.iter().filter(|node| node.scalar_text().is_some() && !node.is_plain()) {
        let range = usize::try_from(node.span().start()).ok().zip(usize::try_from(node.span().end()).ok());
        let hidden = range.and_then(|(start, end)| bytes.get_mut(start..end));
        hidden.into_iter().flatten().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b'x');
    }
    bytes
}

/// A tab before a comment, or alone in its line.
fn tabs(masked: &[u8], found: &mut Vec<Found>) {
    let mut at = 0;
    for line in masked.split_inclusive(|byte| *byte == b'\n') {
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_empty = matches!(line.get(blanks), None | Some(b'#' | b'\r' | b'\n'));
        let tab = line.iter().take(blanks).position(|byte| *byte == b'\t');
        if let (true, Some(tab)) = (is_empty, tab) {
            found.push((span(at + tab, at + tab + 1), "a tab", "remove it, or use spaces"));
        }
        at += line.len();
    }
}

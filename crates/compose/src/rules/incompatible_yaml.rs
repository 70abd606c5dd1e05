mod adapter_config;
mod block_scalar;
mod nodes;

use minds_diagnostics::{Diagnostic, Span, rule};
use minds_document::{Document, Value};

use super::Check;
use crate::family::ComposeFamily;

rule! {
    pub(super) static RULE {
        code: "compose/incompatible-yaml",
        summary: "a file is not valid, or has another meaning, in YAML 1.1",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "incompatible_yaml.md",
    }
}

/// A place where other YAML parsers differ: the span, a description, and the help.
type Issue = (Span, &'static str, &'static str);

pub(super) fn check(check: &mut Check<'_>) {
    for document in documents(check.family) {
        let source = document.source();
        let Ok(text) = source.text() else { continue };
        let mut issues = Vec::new();
        check_byte_order_mark(document, text, &mut issues);
        check_directives(document, text, &mut issues);
        check_characters(text, &mut issues);
        check_document_end(document, text, &mut issues);
        check_tabs(&mask_scalars(document, text), &mut issues);
        nodes::check(document, text, &mut issues);
        adapter_config::check(document, &mut issues);
        for (span, what, help) in issues {
            check.problems.report(source, span, &RULE, || {
                Diagnostic::new(&RULE, format!("{what} is not supported by every YAML parser"))
                    .primary(source.label(span).message("here"))
                    .note("the program that starts the agents supports only YAML 1.1 and rejects the file")
                    .help(help)
            });
        }
    }
}

/// Returns the documents of all files that the program reads.
fn documents(family: &ComposeFamily) -> impl Iterator<Item = &Document> {
    let compose = family.compose.iter().filter_map(|file| file.document.as_ref());
    let projects = family.projects.iter().filter_map(|file| file.document.as_ref());
    compose.chain(projects).chain(family.runtimes.values().filter_map(|file| file.document.as_ref()))
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// A byte order mark moves the rest of its line by one column, so the keys of the following lines would not
/// belong to the same mapping.
fn check_byte_order_mark(document: &Document, text: &str, issues: &mut Vec<Issue>) {
    let Some(rest) = text.strip_prefix('\u{feff}') else { return };
    let line = rest.lines().next().unwrap_or_default().trim();
    let root = document.root();
    let has_one_line = line.is_empty()
        || line.starts_with(['#', '{', '['])
        || (!line.starts_with(['-', '%', '\u{feff}'])
            && root.value() == Value::Mapping
            && root.entries().count() < 2);
    if !has_one_line {
        issues.push((
            span(0, '\u{feff}'.len_utf8()),
            "a byte order mark",
            "save the file without a byte order mark",
        ));
    }
}

/// Reports a document end before the document start, and a byte order mark after the first line that moves
/// the first key.
fn check_document_end(document: &Document, text: &str, issues: &mut Vec<Issue>) {
    let most = usize::try_from(document.root().span().start()).unwrap_or(usize::MAX);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at >= most || line.starts_with("---") {
            return;
        }
        let is_end =
            line.strip_prefix("...").is_some_and(|rest| !rest.starts_with(|c: char| !c.is_whitespace()));
        if is_end {
            issues.push((span(at, at + 3), "a document end before the document start", "remove the line"));
        } else if at > 0 && line.starts_with('\u{feff}') {
            issues.push((span(at, at + 3), "a byte order mark", "save the file without a byte order mark"));
        }
        at += line.len();
    }
}

/// Only the versions 1.1 and 1.2 and `%TAG` are known.
fn check_directives(document: &Document, text: &str, issues: &mut Vec<Issue>) {
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
            issues.push((span(at, at + line.trim_end().len()), "this directive", "remove the line"));
        }
        at += line.len();
    }
}

/// Reports characters that end a line only in YAML 1.1, and characters that are not allowed anywhere.
fn check_characters(text: &str, issues: &mut Vec<Issue>) {
    let is_reported = |c: char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    for (at, c) in text.char_indices().filter(|(_, c)| is_reported(*c)) {
        let what = if c < '\u{fffe}' { "a Unicode line separator" } else { "a noncharacter code point" };
        issues.push((
            span(at, at + c.len_utf8()),
            what,
            "remove it, or write it as an escape in double quotes",
        ));
    }
}

/// Returns the bytes of `text`, in which all scalars that are not plain are replaced with letters.
fn mask_scalars(document: &Document, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for node in document.iter().filter(|node| node.scalar_text().is_some() && !node.is_plain()) {
        let range = usize::try_from(node.span().start()).ok().zip(usize::try_from(node.span().end()).ok());
        let hidden = range.and_then(|(start, end)| bytes.get_mut(start..end));
        hidden.into_iter().flatten().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b'x');
    }
    bytes
}

/// Reports a tab before a comment or on an otherwise empty line.
fn check_tabs(masked: &[u8], issues: &mut Vec<Issue>) {
    let mut at = 0;
    for line in masked.split_inclusive(|byte| *byte == b'\n') {
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_empty = matches!(line.get(blanks), None | Some(b'#' | b'\r' | b'\n'));
        let tab = line.iter().take(blanks).position(|byte| *byte == b'\t');
        if let (true, Some(tab)) = (is_empty, tab) {
            issues.push((span(at + tab, at + tab + 1), "a tab", "remove it, or use spaces"));
        }
        at += line.len();
    }
}

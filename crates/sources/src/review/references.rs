//! References to other items of the source, in braces and without.

use minds_diagnostics::{Severity, SourceFile};

use super::{Review, ReviewedItem, is_markdown, rules, span};
use crate::ItemKind;
use crate::dependencies::resolve_requirement;
use crate::front_matter::body_start;
use crate::name_search::find_item_names;
use crate::rules::escape;
use crate::tokens::tokens;

/// Paths where agents keep installed items; a path with such a prefix is specific to one machine.
const HOMES: [&str; 6] = [
    ".claude/skills/",
    ".claude/agents/",
    ".claude/rules/",
    ".claude/tools/",
    ".mind/store/",
    ".minds/store/",
];

pub(super) fn check(review: &mut Review<'_>, subject: &ReviewedItem<'_>) {
    check_requires(review, subject);
    let head = subject.place.main_file.as_ref().map(SourceFile::name);
    for source in subject.files {
        let Ok(text) = source.text() else { continue };
        let body = if head == Some(source.name()) { body_start(text) } else { 0 };
        check_tokens(review, subject, source, text, body);
        if is_markdown(source) {
            check_paths(review, source, text);
            check_words(review, subject, source, text, body);
        }
    }
}

fn check_requires(review: &mut Review<'_>, subject: &ReviewedItem<'_>) {
    for required in &subject.item().requires {
        if required.contains("{{") || resolve_requirement(required, &review.siblings).is_some() {
            continue;
        }
        let source = subject.main_file();
        let text = source.text().unwrap_or_default();
        let start = text.find(required.as_str()).unwrap_or_default();
        let end = if text.is_empty() { 0 } else { start + required.len() };
        let message =
            || format!("requirement `{}` does not match exactly one item of the source", escape(required));
        review.report(&rules::BAD_REFERENCE, &source, span(start, end), message, |found| {
            found.help("write `KIND:NAME` with the name of an item of this source")
        });
    }
}

fn check_tokens(
    review: &mut Review<'_>,
    subject: &ReviewedItem<'_>,
    source: &SourceFile,
    text: &str,
    body: usize,
) {
    for (at, token) in tokens(text) {
        let place = span(at.start, at.end);
        let reference = escape(text.get(at.clone()).unwrap_or_default());
        if !review.siblings.resolves(token) {
            let message = || format!("`{reference}` does not match exactly one item of the source");
            review.report(&rules::BAD_REFERENCE, source, place, message, |found| {
                found.help("write the name of exactly one item of this source")
            });
        }
        if at.start >= body {
            continue;
        }
        let line = text.get(..at.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        let key = line.split_once(':').map_or("", |(key, _)| key).trim();
        let severity = if key == "name" { Severity::Error } else { Severity::Warning };
        let message = || {
            format!(
                "`{reference}` in the front matter of {} is not replaced before the front matter is read",
                subject.item().key()
            )
        };
        review.report(&rules::MISPLACED_REFERENCE, source, place, message, |found| {
            found.severity(severity).help("write the name itself")
        });
    }
}

fn check_paths(review: &mut Review<'_>, source: &SourceFile, text: &str) {
    for home in HOMES {
        for (start, _) in text.match_indices(home) {
            let message = || format!("`{home}` is a machine-specific path");
            review.report(
                &rules::HARDCODED_PATH,
                source,
                span(start, start + home.len()),
                message,
                |found| found.help("write `{{path:NAME}}`, `{{tools:NAME}}` or `{{self}}`"),
            );
        }
    }
}

/// Searches for bare names of other items: with a prefix they have another name, and tools are not in a
/// folder that agents read.
fn check_words(
    review: &mut Review<'_>,
    subject: &ReviewedItem<'_>,
    source: &SourceFile,
    text: &str,
    body: usize,
) {
    let has_prefix = review.items.prefix.is_some();
    let names: Vec<_> = find_item_names(text, body, subject.item(), &review.siblings).collect();
    for (place, word) in names {
        let is_path = text.get(..place.start).is_some_and(|before| before.ends_with("tools/"));
        let place = span(place.start, place.end);
        let is_tool =
            review.siblings.with_name(word).iter().any(|at| {
                review.items.items.get(*at).is_some_and(|offered| offered.item.kind == ItemKind::Tool)
            });
        if is_tool && is_path {
            let message = || format!("the tool `{word}` is not at `tools/{word}` after installation");
            review.report(&rules::BARE_TOOL_REFERENCE, source, place, message, |found| {
                found.help(format!("write `{{{{tools:{word}}}}}`"))
            });
        } else if has_prefix {
            let prefix = review.items.prefix.as_ref().map(ToString::to_string).unwrap_or_default();
            let message = || format!("`{word}` is installed as `{prefix}-{word}`");
            review.report(&rules::UNGUARDED_REFERENCE, source, place, message, |found| {
                found.help(format!("write `{{{{ns:{word}}}}}` if this refers to the item"))
            });
        }
    }
}

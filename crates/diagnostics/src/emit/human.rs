//! Findings with an excerpt of the file, for people.

use std::borrow::Cow;
use std::fmt::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use minds_text::hidden_text;

use super::printable;
use crate::{Diagnostic, Label, Report, Severity, Summary};

/// The style of the human format.
#[derive(Clone, Copy, Debug)]
pub struct Human {
    /// Whether to use colours.
    pub color: bool,
    /// The width of the terminal in columns; excerpts of longer lines are truncated to it.
    pub width: usize,
}

impl Default for Human {
    fn default() -> Self {
        Self { color: false, width: 100 }
    }
}

/// Longer lines are not shown: they are not readable, and rendering them takes time.
const MAX_LINE_BYTES: u32 = 2_000;

/// Labels with at most this distance in lines share one excerpt.
const NEAR: u32 = 8;

/// Returns every finding with an excerpt, and a last line with the counts.
pub fn human(report: &Report, style: Human) -> String {
    let mut out = human_findings(report, style);
    let files = report.files.len();
    let place = if report.root == "." { String::new() } else { format!(" in {}", printable(&report.root)) };
    let _ = writeln!(
        out,
        "checked {files} {}{place}: {}",
        if files == 1 { "file" } else { "files" },
        counts(report.summary())
    );
    out
}

/// Returns every finding with an excerpt, each followed by an empty line.
pub fn human_findings(report: &Report, style: Human) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() }.term_width(style.width);
    let mut out = String::new();
    for found in &report.diagnostics {
        let drawn = renderer.render(&[group(found)]);
        for line in drawn.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

fn counts(summary: Summary) -> String {
    let parts = [(summary.errors, "error"), (summary.warnings, "warning"), (summary.infos, "info")];
    let named: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    let found = if named.is_empty() { "no problems".to_owned() } else { named.join(", ") };
    if summary.allowed > 0 { format!("{found}, {} suppressed", summary.allowed) } else { found }
}

fn group(found: &Diagnostic) -> Group<'_> {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let mut group = Group::with_title(level.primary_title(printable(&found.message)).id(found.rule.code));
    let mut unseen = Vec::new();
    for excerpt in excerpts(found) {
        if let Some(snippet) = draw(&excerpt) {
            group = group.element(snippet);
            continue;
        }
        let label = excerpt.first;
        group = group.element(origin(label));
        if !label.message.is_empty() {
            unseen.push(label.message.as_str());
        }
    }
    for note in unseen.into_iter().chain(found.notes.iter().map(String::as_str)) {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    if let Some(help) = &found.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    if let Some(fix) = &found.fix {
        group =
            group.element(Level::HELP.message(format!("a safe fix is available: {}", printable(&fix.title))));
    }
    group
}

/// Nearby labels of one file.
struct Excerpt<'d> {
    first: &'d Label,
    labels: Vec<(&'d Label, AnnotationKind)>,
    first_line: u32,
    last_line: u32,
}

fn excerpts(found: &Diagnostic) -> Vec<Excerpt<'_>> {
    let labels = found
        .primary
        .iter()
        .map(|label| (label, AnnotationKind::Primary))
        .chain(found.secondary.iter().map(|label| (label, AnnotationKind::Context)));
    let mut excerpts: Vec<Excerpt<'_>> = Vec::new();
    for (label, kind) in labels {
        let line = label.source.lines().line_of(label.span.start());
        let near = excerpts.iter_mut().find(|excerpt| {
            excerpt.first.source.name() == label.source.name()
                && line + NEAR >= excerpt.first_line
                && line <= excerpt.last_line + NEAR
        });
        match near {
            Some(excerpt) => {
                excerpt.first_line = excerpt.first_line.min(line);
                excerpt.last_line = excerpt.last_line.max(line);
                excerpt.labels.push((label, kind));
            }
            None => excerpts.push(Excerpt {
                first: label,
                labels: vec![(label, kind)],
                first_line: line,
                last_line: line,
            }),
        }
    }
    excerpts
}

/// Returns the rendered excerpt; none if there is no line to show.
fn draw<'d>(excerpt: &Excerpt<'d>) -> Option<Snippet<'d, Annotation<'d>>> {
    let source = &excerpt.first.source;
    if source.is_withheld()
        || source.bytes().is_empty()
        || excerpt.labels.iter().all(|(label, _)| is_whole_file(label))
    {
        return None;
    }
    let lines = source.lines();
    let mut start = lines.start_of(excerpt.first_line);
    let end = if (excerpt.last_line as usize) < lines.len() {
        lines.start_of(excerpt.last_line + 1)
    } else {
        u32::try_from(source.bytes().len()).ok()?
    };
    for line in excerpt.first_line..=excerpt.last_line {
        let next = if (line as usize) < lines.len() { lines.start_of(line + 1) } else { end };
        if next - lines.start_of(line) > MAX_LINE_BYTES {
            return None;
        }
    }
    if start == 0 && source.bytes().starts_with(b"\xef\xbb\xbf") {
        start = 3;
    }
    // A file that is not UTF-8 has no excerpt.
    let text = source.text().ok()?.get(start as usize..end as usize)?;
    let text = text.trim_end_matches(['\n', '\r']);
    let text = make_printable(text);
    let length = text.len();
    let annotations: Vec<_> = excerpt
        .labels
        .iter()
        .map(|(label, kind)| {
            let from = (label.span.start().saturating_sub(start) as usize).min(length);
            let to = (label.span.end().saturating_sub(start) as usize).clamp(from, length);
            // A label that spans lines is shown on its first one.
            let to = text.get(from..to).and_then(|part| part.find(['\n', '\r'])).map_or(to, |at| from + at);
            let message = Some(&label.message).filter(|message| !message.is_empty());
            kind.span(from..to).label(message.map(|message| printable(message)))
        })
        .collect();
    Some(
        Snippet::source(text)
            .line_start(excerpt.first_line as usize)
            .path(printable(source.name()))
            .annotations(annotations),
    )
}

/// Returns a string of the same length in bytes that can be rendered: the renderer does not treat a lone carriage
/// return as a line break, and passes on control characters of two bytes, one of which begins escape codes on some
/// terminals, and characters that are not displayed.
fn make_printable(text: &str) -> Cow<'_, str> {
    let mut hidden = hidden_text(text).peekable();
    if !text.contains('\r') && hidden.peek().is_none() {
        return text.into();
    }
    let mut drawn = String::with_capacity(text.len());
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        while hidden.next_if(|run| run.end <= at).is_some() {}
        let is_hidden = hidden.peek().is_some_and(|run| run.start <= at);
        if is_hidden && c.len_utf8() == 4 {
            drawn.push_str("¤¤");
            continue;
        }
        drawn.push(match (c, c.len_utf8()) {
            ('\r', _) if characters.peek().is_some_and(|(_, next)| *next == '\n') => ' ',
            ('\r', _) => '\n',
            (_, 2) if is_hidden => '¤',
            (_, 3) if is_hidden => char::REPLACEMENT_CHARACTER,
            (c, _) => c,
        });
    }
    drawn.into()
}

fn origin(label: &Label) -> Origin<'_> {
    let origin = Origin::path(printable(label.source.name()));
    if is_whole_file(label) {
        return origin;
    }
    let start = label.source.range(label.span).start;
    origin.line(start.line as usize).char_column(start.column as usize)
}

fn is_whole_file(label: &Label) -> bool {
    label.span.end() == 0
}

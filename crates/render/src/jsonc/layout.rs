//! The layout of a JSON file: separators between values, and the place of new items.

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::{Range, Ranged as _};

/// A range of the text, and its replacement.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

impl Edit {
    fn insertion(at: usize, text: String) -> Self {
        Self { start: at, end: at, text }
    }
}

/// The style of the file.
pub(super) struct Style<'t> {
    pub(super) newline: &'static str,
    /// The indentation of one level.
    pub(super) unit: &'t str,
}

pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

impl<'t> Style<'t> {
    pub(super) fn of(text: &'t str, root: &Object<'_>) -> Self {
        let first = root.properties.first().and_then(|first| own_line(text, first.range.start));
        Self { newline: newline(text), unit: first.filter(|indent| !indent.is_empty()).unwrap_or("  ") }
    }
}

/// An object or a list, as far as needed to append items.
pub(super) struct Items {
    range: Range,
    first: Option<usize>,
    last_end: Option<usize>,
}

impl Items {
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        Self {
            range: object.range,
            first: object.properties.first().map(|item| item.range.start),
            last_end: object.properties.last().map(|item| item.range.end),
        }
    }

    pub(super) fn of_list(list: &Array<'_>) -> Self {
        Self {
            range: list.range,
            first: list.elements.first().map(|item| item.range().start),
            last_end: list.elements.last().map(|item| item.range().end),
        }
    }

    /// Appends items after the last one and its comment; `print` returns them for a given indentation.
    pub(super) fn append(
        &self,
        text: &str,
        style: &Style<'_>,
        print: impl FnOnce(&str) -> Vec<String>,
    ) -> Vec<Edit> {
        let (open, close) = (self.range.start, self.range.end.saturating_sub(1));
        let outer = indent(text, open);
        let indent = self
            .first
            .and_then(|first| own_line(text, first))
            .map_or_else(|| format!("{outer}{}", style.unit), str::to_owned);
        let (newline, items) = (style.newline, print(&indent));
        let Some(last_end) = self.last_end else {
            let at = after_comments(text, open + 1, close);
            let is_closed_below = text.get(at..close).is_some_and(|rest| rest.contains('\n'));
            let end = if is_closed_below { String::new() } else { format!("{newline}{outer}") };
            let items = items.join(&format!(",{newline}{indent}"));
            return vec![Edit::insertion(at, format!("{newline}{indent}{items}{end}"))];
        };
        let comma = comma(text, last_end, close);
        let at = end_of_line(text, comma.unwrap_or(last_end), close);
        let is_in_lines = text.get(open..close).is_some_and(|inside| inside.contains('\n'));
        let space = if is_in_lines { format!("{newline}{indent}") } else { " ".to_owned() };
        let items = items.join(&format!(",{space}"));
        if comma.is_some() {
            return vec![Edit::insertion(at, format!("{space}{items},"))];
        }
        vec![Edit::insertion(last_end, ",".to_owned()), Edit::insertion(at, format!("{space}{items}"))]
    }
}

/// Returns the text with all edits applied, which must be in order and not overlap.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Returns the white space at the start of the line of a byte.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// Returns the same, if nothing else precedes the byte in its line, and the line is not the first.
pub(super) fn own_line(text: &str, at: usize) -> Option<&str> {
    let line = text.get(..at)?.rsplit_once('\n')?.1;
    line.trim_start().is_empty().then_some(line)
}

/// A separator between values.
#[derive(PartialEq)]
enum Separator {
    Comma,
    Comment,
    LineBreak,
    Space,
}

/// Returns the separators between two bytes outside of values, each with its end.
fn between(text: &str, from: usize, to: usize) -> impl Iterator<Item = (Separator, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..to).filter(|rest| !rest.is_empty())?;
        let (kind, length) = if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or(rest);
            (Separator::Comment, line.trim_end_matches('\r').len())
        } else if rest.starts_with("/*") {
            (Separator::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else {
            let kind = match rest.chars().next()? {
                ',' => Separator::Comma,
                '\n' => Separator::LineBreak,
                _ => Separator::Space,
            };
            (kind, rest.chars().next()?.len_utf8())
        };
        at += length;
        Some((kind, at))
    })
}

/// Returns the end of the comma between two bytes.
pub(super) fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    between(text, from, to).find(|(kind, _)| *kind == Separator::Comma).map(|(_, end)| end)
}

/// Returns whether the last separator between two bytes is a comment to the end of the line.
pub(super) fn ends_in_line_comment(text: &str, from: usize, to: usize) -> bool {
    let mut start = from;
    let mut is_line_comment = false;
    for (kind, end) in between(text, from, to) {
        let part = text.get(start..end).unwrap_or_default();
        is_line_comment = kind == Separator::Comment && part.starts_with("//");
        start = end;
    }
    is_line_comment
}

/// Returns the end of the last comment between two bytes, or the first byte.
fn after_comments(text: &str, from: usize, to: usize) -> usize {
    let comments = between(text, from, to).filter(|(kind, _)| *kind == Separator::Comment);
    comments.last().map_or(from, |(_, end)| end)
}

/// Returns the end of the last comment that begins in the line of a byte, or the byte.
fn end_of_line(text: &str, from: usize, to: usize) -> usize {
    let line = between(text, from, to).take_while(|(kind, _)| *kind != Separator::LineBreak);
    line.filter(|(kind, _)| *kind == Separator::Comment).last().map_or(from, |(_, end)| end)
}

//! The names in a list of tools.

use minds_diagnostics::{SourceFile, Span};

use crate::family::ClientFile;
use crate::json::span;
use crate::shape::Type;
use crate::tree::{Item, Value};

/// An entry of a list of tools.
pub(super) struct ToolEntry<'f> {
    /// The key that has the list.
    pub(super) key: &'f str,
    /// The entry as written, such as `Bash(git:*)`.
    pub(super) text: &'f str,
    /// The place.
    pub(super) span: Span,
}

impl<'f> ToolEntry<'f> {
    /// Returns the name of the tool.
    pub(super) fn name(&self) -> &'f str {
        self.text.split_once('(').map_or(self.text, |(name, _)| name)
    }

    /// Returns the part in parentheses.
    pub(super) fn specifier(&self) -> Option<&'f str> {
        self.text.split_once('(').map(|(_, rest)| rest.strip_suffix(')').unwrap_or(rest))
    }
}

/// The number of entries of a file that are looked at; more findings than this are not shown.
const MAX_ENTRIES: usize = 2_000;

/// Returns the entries of all lists of tools of a file.
pub(super) fn entries(file: &ClientFile) -> Vec<ToolEntry<'_>> {
    let mut found = Vec::new();
    let Some(data) = &file.content.data else { return found };
    for entry in data.entries() {
        let Some(shape) = file.known.shape.keys.get(&entry.key) else { continue };
        let item_types = shape.each_item.as_ref().map(|each| each.types.as_slice());
        if shape.types.contains(&Type::Tools) || item_types == Some(&[Type::Tool]) {
            let entries = read_tool_list(&entry.item, &file.source);
            found.extend(entries.into_iter().map(|(text, span)| ToolEntry { key: &entry.key, text, span }));
        }
    }
    found.truncate(MAX_ENTRIES);
    found
}

/// Returns the entries of a list of tools, each with its place: the items of a list, or the words of a string.
pub fn read_tool_list<'i>(item: &'i Item, source: &SourceFile) -> Vec<(&'i str, Span)> {
    match &item.value {
        Value::List(items) => {
            items.iter().filter_map(|item| Some((item.text()?.trim(), item.span))).collect()
        }
        Value::String(text) => {
            let written = source.slice(item.span);
            let start = written.find(text.as_str()).map(|at| item.span.start() as usize + at);
            let place = |at: usize, length: usize| match start {
                Some(start) => span(start + at, start + at + length),
                // The string has escapes or several lines.
                None => item.span,
            };
            words(text).into_iter().map(|(at, word)| (word, place(at, word.len()))).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the words of a string, which are separated by commas and blanks outside of parentheses.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    let mut push = |start: usize, end: usize| {
        let word = text.get(start..end).unwrap_or_default();
        if !word.is_empty() {
            found.push((start, word));
        }
    };
    // A string in the form of a list in brackets is taken as its items.
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '[' | ']' | '"' | '\'' | ',' if depth == 0 => {
                push(start, at);
                start = at + 1;
            }
            c if depth == 0 && c.is_whitespace() => {
                push(start, at);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    push(start, text.len());
    found
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn commas_and_blanks_separate_tools() {
        let found: Vec<&str> =
            words("Read, Bash(git add:*, x) Grep,,[\"A\"]").into_iter().map(|(_, word)| word).collect();
        assert_eq!(found, ["Read", "Bash(git add:*, x)", "Grep", "A"]);
    }
}

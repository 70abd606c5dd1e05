//! Front matter as lines `key: value`.
//!
//! Cursor reads the front matter of agents in this way, and Claude Code where it is not valid YAML.

use minds_diagnostics::{SourceFile, Span};
use minds_document::Markdown;

use super::{Content, Flaw};
use crate::json::span;
use crate::tree::{Entry, Item, Value};

/// Reads a file whose front matter consists of lines.
pub(super) fn read(source: &SourceFile) -> Content {
    match Markdown::split(source) {
        Ok(Markdown { front_matter: Some(front_matter), body }) => Content {
            data: Some(entries(source, front_matter.data)),
            place: fence(source),
            body: Some(body),
            is_untyped: true,
            flaws: Vec::new(),
        },
        Ok(Markdown { front_matter: None, body }) => Content { body: Some(body), ..Content::default() },
        Err(open) => {
            let flaws = vec![Flaw::FrontMatter { span: open.fence, why: open.to_string() }];
            Content { flaws, ..Content::default() }
        }
    }
}

/// Returns the place of the first fence.
pub(super) fn fence(source: &SourceFile) -> Span {
    let start = if source.bytes().starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    Span::new(start, start + 3)
}

/// Returns the lines `key: value` that begin without a blank. Quotes around a value are left out.
pub(super) fn entries(source: &SourceFile, data: Span) -> Item {
    let text = source.slice(data);
    let mut found = Vec::new();
    let mut start = data.start() as usize;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if line.starts_with([' ', '\t', '#', '-']) {
            continue;
        }
        let Some((key, rest)) = line.split_once(':') else { continue };
        let value = rest.trim();
        let offset = at + key.len() + 1 + (rest.len() - rest.trim_start().len());
        let unquoted = value.trim_matches(['"', '\'']);
        let item =
            Item { span: span(offset, offset + value.len()), value: Value::String(unquoted.to_owned()) };
        let key_end = at + key.trim_end().len();
        found.push(Entry { key: key.trim().to_owned(), key_span: span(at, key_end), item });
    }
    Item { span: data, value: Value::Mapping(found) }
}

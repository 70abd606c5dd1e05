//! The spans of keys and values in a client's file, and the server to which each value belongs.

use std::ops::Range;
use std::rc::Rc;

use toml_edit::{Document, Item, Key, Table, TableLike, Value};

use super::Client;
use super::client::Form;
use super::opencode::Layout;
use crate::jsonc::{Dialect, JsonText};

/// A key or a scalar value. The text between parts is punctuation, white space and comments.
pub(super) struct Part {
    /// The range, including quotes.
    pub(super) range: Range<usize>,
    pub(super) kind: PartKind,
}

pub(super) enum PartKind {
    /// A key, or a table header.
    Key,
    /// A scalar value, and the server whose entry contains it.
    Value(Option<Rc<str>>),
}

/// Returns the parts of a file without its byte order mark, in order; `None` if the text cannot be parsed.
pub(super) fn parts(client: Client, text: &str) -> Option<Vec<Part>> {
    let mut found = match client.form() {
        Form::Json(_, key) => json_parts(client, text, key)?,
        Form::Toml => toml_parts(text)?,
    };
    found.sort_by_key(|part| part.range.start);
    Some(found)
}

fn json_parts(client: Client, text: &str, key: &str) -> Option<Vec<Part>> {
    // The most lenient dialect is used, so that text which the client rejects can still be redacted by parts.
    let json = JsonText::parse(text, Dialect::CommentsAndCommas).ok()?;
    let Some(root) = json.find(&[]).ok()? else { return Some(Vec::new()) };
    let layout = Layout::of(client, key, &json);
    let places = [vec![key], layout.place(key)];
    let places = places.get(..if layout == Layout::Nested { 2 } else { 1 }).unwrap_or_default();
    let mut entries: Vec<(Range<usize>, Rc<str>)> = Vec::new();
    for servers in places.iter().filter_map(|place| json.find(place).ok().flatten()) {
        entries.extend(servers.members().map(|(name, entry)| (entry.range(), Rc::from(name))));
    }
    entries.sort_by_key(|(entry, _)| entry.start);
    let server = |range: &Range<usize>| {
        let next = entries.partition_point(|(entry, _)| entry.start <= range.start);
        let (entry, name) = entries.get(next.checked_sub(1)?)?;
        (range.end <= entry.end).then(|| Rc::clone(name))
    };
    let part = |part: crate::jsonc::JsonPart| {
        let kind = if part.is_key { PartKind::Key } else { PartKind::Value(server(&part.range)) };
        Part { range: part.range, kind }
    };
    Some(root.parts().into_iter().map(part).collect())
}

fn toml_parts(text: &str) -> Option<Vec<Part>> {
    let document = Document::parse(text).ok()?;
    let mut found = Vec::new();
    for (name, item) in document.as_table() {
        add_key(document.as_table(), name, item, &mut found);
        let Some(servers) = item.as_table_like().filter(|_| name == "mcp_servers") else {
            add(item, None, &mut found);
            continue;
        };
        add_header(item, &mut found);
        for (server, entry) in servers.iter() {
            add_key(servers, server, entry, &mut found);
            add(entry, Some(&Rc::from(server)), &mut found);
        }
    }
    Some(found)
}

/// Adds the key of a member. A key in a table header is added with the header, and a key that occurs several
/// times is known only at its first occurrence.
fn add_key(table: &dyn TableLike, name: &str, item: &Item, found: &mut Vec<Part>) {
    let is_in_header = match item {
        Item::Table(table) => !table.is_dotted(),
        Item::ArrayOfTables(_) => true,
        Item::None | Item::Value(_) => false,
    };
    let key = table.get_key_value(name).and_then(|(key, _)| Key::span(key));
    found.extend(key.filter(|_| !is_in_header).map(|range| Part { range, kind: PartKind::Key }));
}

/// Adds the header of a table, if it has one.
fn add_header(item: &Item, found: &mut Vec<Part>) {
    let has_header = |table: &&Table| !table.is_implicit() && !table.is_dotted();
    let range = item.as_table().filter(has_header).and_then(Table::span);
    found.extend(range.map(|range| Part { range, kind: PartKind::Key }));
}

fn add(item: &Item, server: Option<&Rc<str>>, found: &mut Vec<Part>) {
    match item {
        Item::None => {}
        Item::Value(value) => add_value(value, server, found),
        Item::Table(table) => {
            add_header(item, found);
            add_members(table, server, found);
        }
        Item::ArrayOfTables(tables) => {
            for table in tables {
                found.extend(table.span().map(|range| Part { range, kind: PartKind::Key }));
                add_members(table, server, found);
            }
        }
    }
}

fn add_members(table: &dyn TableLike, server: Option<&Rc<str>>, found: &mut Vec<Part>) {
    for (name, item) in table.iter() {
        add_key(table, name, item, found);
        add(item, server, found);
    }
}

fn add_value(value: &Value, server: Option<&Rc<str>>, found: &mut Vec<Part>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_value(item, server, found)),
        Value::InlineTable(table) => add_members(table, server, found),
        plain => {
            let kind = PartKind::Value(server.cloned());
            found.extend(plain.span().map(|range| Part { range, kind }));
        }
    }
}

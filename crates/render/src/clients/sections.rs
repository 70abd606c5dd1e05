//! Finding, adding and removing tables of servers in a TOML text.
//!
//! The text is edited at the spans that the parser reports and never printed from a tree, so the rest is kept
//! byte for byte, including line breaks. The result is parsed again and compared.

use std::collections::BTreeMap;
use std::ops::Range;

use minds_vfs::ContentHash;
use toml_edit::{Document, Item, Table, TableLike, Value};

use super::codex::key;
use super::merge::{Change, MergeResult, RenderedServer};

/// The table that contains the servers.
const SERVERS: &str = "mcp_servers";

/// Why a file cannot be changed, and where.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: String,
    pub(super) span: Range<usize>,
}

/// A table header with its key lines.
struct Section {
    path: Vec<String>,
    start: usize,
    end: usize,
}

/// A replacement for a part of the text.
struct Edit {
    range: Range<usize>,
    text: String,
}

/// Merges servers into a TOML file; each value is the lines of a table.
///
/// # Errors
///
/// Fails if the text cannot be parsed unambiguously, or if a server is not written as a separate table.
pub(super) fn merge(old: &str, wanted: &[Change<'_, String>]) -> Result<MergeResult, Refusal> {
    let mark = if old.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mark, text) = old.split_at(mark);
    let shift = |refusal: Refusal| Refusal {
        span: refusal.span.start + mark.len()..refusal.span.end + mark.len(),
        ..refusal
    };
    if text.starts_with('\u{feff}') {
        // The parser would accept a second mark.
        return Err(shift(Refusal { reason: "a second byte order mark".to_owned(), span: 0..0 }));
    }
    let document = parse(text).map_err(shift)?;
    let servers = servers(&document).map_err(shift)?;
    let get = |name: &str| servers.and_then(|servers| servers.get_key_value(name));
    let mut differing = Vec::new();
    for change in wanted {
        if get(change.name).map(|(_, found)| meaning(found)) != change.value.as_deref().and_then(parse_table)
        {
            differing.push(change);
        }
    }
    if differing.is_empty() {
        return Ok(MergeResult { text: old.to_owned(), changed: Vec::new() });
    }
    check_servers_table(&document).map_err(shift)?;
    let mut changed = Vec::new();
    for change in &differing {
        let Some((found_key, item)) = get(change.name) else { continue };
        changed.push(RenderedServer { name: change.name.to_owned(), hash: meaning(item).hash() });
        if item.as_table().is_none_or(Table::is_dotted) {
            let span = found_key.span().unwrap_or_default();
            let reason = format!("`{SERVERS}.{}` is not written as a separate table", change.name);
            return Err(shift(Refusal { reason, span }));
        }
    }
    let new = apply(text, &sections(text, &document), &differing);
    verify_result(&document, &new, wanted).map_err(shift)?;
    Ok(MergeResult { text: format!("{mark}{new}"), changed })
}

/// Returns the servers with some names in a TOML file.
///
/// # Errors
///
/// Fails if the text cannot be parsed unambiguously.
pub(super) fn find_servers(text: &str, names: &[&str]) -> Result<Vec<RenderedServer>, Refusal> {
    let document = parse(text)?;
    let Some(servers) = servers(&document)? else { return Ok(Vec::new()) };
    let found = names.iter().filter_map(|name| {
        let hash = meaning(servers.get(name)?).hash();
        Some(RenderedServer { name: (*name).to_owned(), hash })
    });
    Ok(found.collect())
}

/// Returns the hash of the meaning of the lines of a table, independent of their layout.
pub(super) fn hash(body: &str) -> ContentHash {
    parse_table(body).map_or_else(|| ContentHash::of(body.as_bytes()), |meaning| meaning.hash())
}

fn parse(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| Refusal {
        reason: error.message().to_owned(),
        span: error.span().unwrap_or_default(),
    })
}

/// Returns the table that contains the servers.
fn servers<'d>(document: &'d Document<&str>) -> Result<Option<&'d dyn TableLike>, Refusal> {
    let Some((found_key, item)) = document.as_table().get_key_value(SERVERS) else { return Ok(None) };
    match item.as_table_like() {
        Some(table) => Ok(Some(table)),
        None => Err(Refusal {
            reason: format!("`{SERVERS}` is not a table"),
            span: found_key.span().unwrap_or_default(),
        }),
    }
}

/// Checks that tables of servers can be added.
fn check_servers_table(document: &Document<&str>) -> Result<(), Refusal> {
    match document.as_table().get_key_value(SERVERS) {
        Some((found_key, item)) if item.as_table().is_none_or(Table::is_dotted) => Err(Refusal {
            reason: format!("`{SERVERS}` is not written as a table, so no table can be added to it"),
            span: found_key.span().unwrap_or_default(),
        }),
        _ => Ok(()),
    }
}

/// Returns the sections of a TOML file in order.
fn sections(text: &str, document: &Document<&str>) -> Vec<Section> {
    let mut found = Vec::new();
    collect_sections(text, document.as_table(), &mut Vec::new(), &mut found);
    found.sort_by_key(|section| section.start);
    found
}

fn collect_sections(text: &str, table: &Table, path: &mut Vec<String>, found: &mut Vec<Section>) {
    for (key, item) in table {
        path.push(key.to_owned());
        match item {
            Item::Table(table) => {
                add_section(text, table, path, found);
                collect_sections(text, table, path, found);
            }
            Item::ArrayOfTables(tables) => {
                for table in tables {
                    add_section(text, table, path, found);
                    collect_sections(text, table, path, found);
                }
            }
            Item::None | Item::Value(_) => {}
        }
        path.pop();
    }
}

fn add_section(text: &str, table: &Table, path: &[String], found: &mut Vec<Section>) {
    let start = table.span().map(|span| span.start).filter(|_| !table.is_implicit() && !table.is_dotted());
    let Some(start) = start else { return };
    // Neither a header nor a comment after the last value continues on the next line.
    let last = last_value(table).unwrap_or(start).max(start);
    let line = text.get(last..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| last + length);
    let end = text.get(..line).map_or(line, |before| before.strip_suffix('\r').unwrap_or(before).len());
    found.push(Section { path: path.to_vec(), start, end });
}

/// Returns the end of the last value of a table.
fn last_value(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => last_value(table),
        _ => None,
    });
    ends.max()
}

/// Returns the text with the tables of some servers changed.
fn apply(text: &str, sections: &[Section], changes: &[&Change<'_, String>]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let print = |change: &Change<'_, String>| {
        let body = change.value.as_deref()?.trim_end();
        Some(format!("[{SERVERS}.{}]\n{body}", key(change.name)).replace('\n', newline))
    };
    let mut edits = Vec::new();
    let mut new = Vec::new();
    for change in changes {
        let is_ours = |section: &&Section| matches!(section.path.as_slice(), [servers, name, ..] if servers == SERVERS && name == change.name);
        let mut ours = sections.iter().filter(is_ours);
        let mut printed = print(change);
        if let Some(printed) = printed.take_if(|_| sections.iter().any(|section| is_ours(&section)))
            && let Some(first) = ours.next()
        {
            edits.push(Edit { range: first.start..first.end, text: printed });
        }
        edits.extend(ours.map(|section| Edit { range: whole_lines(text, section), text: String::new() }));
        new.extend(printed);
    }
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in &edits {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = at.max(edit.range.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    for table in new {
        if !out.is_empty() {
            let gap = if out.ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
            out.push_str(&gap);
        }
        out.push_str(&table);
        out.push_str(newline);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        // A file without a final line break stays so, so that removing the tables restores it.
        let line_break = ["\r\n", "\n"].into_iter().find(|line_break| out.ends_with(line_break));
        out.truncate(out.len() - line_break.map_or(0, str::len));
    }
    out
}

/// Returns the range of a section with the white space in front of its header, its last line break, and a
/// preceding blank line.
fn whole_lines(text: &str, section: &Section) -> Range<usize> {
    let before = text.get(..section.start).unwrap_or_default().trim_end_matches([' ', '\t']);
    let above = before.strip_suffix('\n').map(|above| above.strip_suffix('\r').unwrap_or(above));
    let is_blank = above.is_some_and(|above| above.is_empty() || above.ends_with('\n'));
    let start = if is_blank { above.map_or(before.len(), str::len) } else { before.len() };
    let rest = text.get(section.end..).unwrap_or_default();
    let line_break = ["\r\n", "\n"].into_iter().find(|line_break| rest.starts_with(line_break));
    start..section.end + line_break.map_or(0, str::len)
}

/// Checks that the new text has the wanted entries and otherwise the same meaning as before.
fn verify_result(before: &Document<&str>, new: &str, wanted: &[Change<'_, String>]) -> Result<(), Refusal> {
    let unsure = || Refusal { reason: "its tables cannot be changed individually".to_owned(), span: 0..0 };
    let after = parse(new).map_err(|_| unsure())?;
    let remaining = |document: &Document<&str>| {
        let TomlValue::Table(mut all) = table_of(document.as_table()) else { return None };
        let servers = all.remove(SERVERS);
        let Some(TomlValue::Table(mut servers)) = servers else { return Some((all, BTreeMap::new())) };
        servers.retain(|name, _| !wanted.iter().any(|change| change.name == name));
        Some((all, servers))
    };
    let is_kept = remaining(before) == remaining(&after);
    let servers = servers(&after).map_err(|_| unsure())?;
    let is_done = wanted.iter().all(|change| {
        let found = servers.and_then(|servers| servers.get(change.name)).map(meaning);
        found == change.value.as_deref().and_then(parse_table)
    });
    if is_kept && is_done { Ok(()) } else { Err(unsure()) }
}

/// The meaning of a TOML value, independent of its layout.
#[derive(Debug, PartialEq)]
enum TomlValue {
    Text(String),
    /// A number, a date or a boolean, as a string.
    Word(String),
    List(Vec<TomlValue>),
    Table(BTreeMap<String, TomlValue>),
}

impl TomlValue {
    fn hash(&self) -> ContentHash {
        let mut out = String::new();
        self.print(&mut out);
        ContentHash::of(out.as_bytes())
    }

    /// Prints the value on one line with sorted keys.
    fn print(&self, out: &mut String) {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Word(word) => out.push_str(word),
            Self::List(items) => {
                out.push('[');
                for item in items {
                    item.print(out);
                    out.push(',');
                }
                out.push(']');
            }
            Self::Table(members) => {
                out.push('{');
                for (key, value) in members {
                    out.push_str(&quoted(key));
                    out.push('=');
                    value.print(out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
}

/// Parses the lines of a table.
fn parse_table(body: &str) -> Option<TomlValue> {
    parse(body).ok().map(|document| table_of(document.as_table()))
}

fn table_of(table: &dyn TableLike) -> TomlValue {
    TomlValue::Table(table.iter().map(|(key, item)| (key.to_owned(), meaning(item))).collect())
}

fn meaning(item: &Item) -> TomlValue {
    match item {
        Item::None => TomlValue::Word(String::new()),
        Item::Value(value) => value_of(value),
        Item::Table(table) => table_of(table),
        Item::ArrayOfTables(tables) => TomlValue::List(tables.iter().map(|table| table_of(table)).collect()),
    }
}

fn value_of(value: &Value) -> TomlValue {
    match value {
        Value::String(text) => TomlValue::Text(text.value().clone()),
        Value::Integer(number) => TomlValue::Word(number.value().to_string()),
        Value::Float(number) => TomlValue::Word(number.value().to_string()),
        Value::Boolean(truth) => TomlValue::Word(truth.value().to_string()),
        Value::Datetime(date) => TomlValue::Word(date.value().to_string()),
        Value::Array(list) => TomlValue::List(list.iter().map(value_of).collect()),
        Value::InlineTable(table) => table_of(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(new: &str, expected: bool) {
        let before = parse("a = 1\n[mcp_servers.mine]\nb = 2\n[mcp_servers.s]\nc = 3\n").unwrap();
        let wanted = [Change { name: "s", value: Some("c = 4\n".to_owned()) }];
        assert_eq!(verify_result(&before, new, &wanted).is_ok(), expected, "{new}");
    }

    #[test]
    fn a_result_with_another_meaning_is_refused() {
        check("a = 1\n[mcp_servers.mine]\nb = 2\n[mcp_servers.s]\nc = 4\n", true);
        check("a = 1\n[mcp_servers.s]\nc = 4\n[mcp_servers.mine]\nb = 2\n", true);
        check("a = 2\n[mcp_servers.mine]\nb = 2\n[mcp_servers.s]\nc = 4\n", false);
        check("a = 1\n[mcp_servers.mine]\nb = 1\n[mcp_servers.s]\nc = 4\n", false);
        check("a = 1\n[mcp_servers.s]\nc = 4\n", false);
        check("a = 1\n[mcp_servers.mine]\nb = 2\n[mcp_servers.s]\nc = 3\n", false);
        check("a = 1\n[mcp_servers.mine]\nb = 2\n", false);
        check("a = 1\n[mcp_servers.mine]\nb = 2\n[mcp_servers.s]\nc = \n", false);
    }
}

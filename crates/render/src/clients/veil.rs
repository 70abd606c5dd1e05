//! The files of clients as they can be shown: what others wrote there may be a secret in no known form.

use std::collections::BTreeSet;
use std::ops::Range;

use minds_document::jsonc::{Dialect, JsonNode, JsonText};
use toml_edit::{Document, Item, TableLike, Value};

use super::Client;
use super::client::Form;
use super::merge::{RenderedServer, found};

/// The keys of a server below which values are put that programs keep to themselves.
const SETTINGS: [&str; 4] = ["env", "environment", "headers", "http_headers"];

/// A text in the entry of a server.
struct Text {
    server: String,
    /// Whether it is the value of a variable or a header.
    is_setting: bool,
    range: Range<usize>,
}

/// Returns a client's file before and after it is rendered, as both can be shown. Of servers of others every text is
/// covered, of those that were ours and are as they were rendered none; of the others the values of variables and headers
/// which are not rendered. What stands beside servers is left to who shows it.
pub(super) fn shown(
    client: Client,
    (before, after): (Option<&str>, Option<&str>),
    formerly: &[RenderedServer],
    rendered: &[RenderedServer],
) -> (Option<String>, Option<String>) {
    let names: Vec<&str> = formerly.iter().map(|server| server.name.as_str()).collect();
    let there = before.and_then(|text| found(client, text, &names)).unwrap_or_default();
    let untouched: BTreeSet<&str> =
        there.iter().filter(|server| formerly.contains(server)).map(|server| server.name.as_str()).collect();
    let ours: BTreeSet<&str> = rendered.iter().map(|server| server.name.as_str()).collect();
    let after_texts = after.map(|text| texts(client, text)).unwrap_or_default();
    let slice = |text: &str, range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    let written: BTreeSet<(&str, String)> = after_texts
        .iter()
        .filter(|text| ours.contains(text.server.as_str()))
        .map(|text| (text.server.as_str(), slice(after.unwrap_or_default(), &text.range)))
        .collect();
    let hides_before = |whole: &str, text: &Text| {
        let server = text.server.as_str();
        if untouched.contains(server) {
            return false;
        }
        !ours.contains(server) || (text.is_setting && !written.contains(&(server, slice(whole, &text.range))))
    };
    let before = before.map(|whole| {
        let hidden = texts(client, whole).into_iter().filter(|text| hides_before(whole, text));
        covered(whole, hidden.map(|text| text.range))
    });
    let after = after.map(|whole| {
        let hidden = after_texts.iter().filter(|text| !ours.contains(text.server.as_str()));
        covered(whole, hidden.map(|text| text.range.clone()))
    });
    (before, after)
}

/// Returns a file that cannot be read, with what looks like a text in it covered, keys left out. Places stay what they are.
pub(super) fn unread(client: Client, text: &str) -> String {
    let is_toml = client.form() == Form::Toml;
    let mut ranges = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        ranges.extend(values(line, is_toml).into_iter().map(|range| start + range.start..start + range.end));
        start += line.len();
    }
    covered(text, ranges)
}

/// Returns what looks like texts in a line, and not like keys. One that does not end goes on to the end of the line.
fn values(line: &str, is_toml: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut letters = line.char_indices();
    while let Some((start, quote)) = letters.next() {
        if quote != '"' && !(is_toml && quote == '\'') {
            continue;
        }
        let mut end = line.len();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                end = at + 1;
                break;
            }
            if letter == '\\' && quote == '"' {
                letters.next();
            }
        }
        let next = line.get(end..).unwrap_or_default().trim_start().chars().next();
        let is_key = match next {
            Some(':') => !is_toml,
            Some('=' | '.') => is_toml,
            Some(']') => is_toml && line.trim_start().starts_with('['),
            _ => false,
        };
        if !is_key {
            found.push(start..end);
        }
    }
    found
}

fn texts(client: Client, text: &str) -> Vec<Text> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = text.get(mark..).unwrap_or_default();
    let mut found = match client.form() {
        Form::Toml => toml_texts(body),
        Form::Json(_, key) => json_texts(body, key),
    }
    .unwrap_or_default();
    for text in &mut found {
        text.range = text.range.start + mark..text.range.end + mark;
    }
    found
}

fn json_texts(text: &str, key: &str) -> Option<Vec<Text>> {
    let json = JsonText::parse(text, Dialect::CommentsAndCommas).ok()?;
    let servers = json.find(&[key]).ok()??;
    let mut found = Vec::new();
    let mut add = |server: &str, is_setting, node: &JsonNode<'_, '_>| {
        let text = |range| Text { server: server.to_owned(), is_setting, range };
        found.extend(node.texts().into_iter().map(text));
    };
    for (server, entry) in servers.members() {
        if entry.members().next().is_none() {
            add(server, false, &entry);
        }
        for (key, value) in entry.members() {
            add(server, SETTINGS.contains(&key), &value);
        }
    }
    Some(found)
}

fn toml_texts(text: &str) -> Option<Vec<Text>> {
    let document = Document::parse(text).ok()?;
    let servers = document.as_table().get("mcp_servers")?.as_table_like()?;
    let mut found = Vec::new();
    for (server, entry) in servers.iter() {
        let Some(entry) = entry.as_table_like() else { continue };
        for (key, value) in entry.iter() {
            let mut ranges = Vec::new();
            item_texts(value, &mut ranges);
            let is_setting = SETTINGS.contains(&key);
            let text = |range| Text { server: server.to_owned(), is_setting, range };
            found.extend(ranges.into_iter().map(text));
        }
    }
    Some(found)
}

fn item_texts(item: &Item, found: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Value(value) => value_texts(value, found),
        Item::Table(table) => table_texts(table, found),
        Item::ArrayOfTables(tables) => tables.iter().for_each(|table| table_texts(table, found)),
    }
}

fn table_texts(table: &dyn TableLike, found: &mut Vec<Range<usize>>) {
    table.iter().for_each(|(_, item)| item_texts(item, found));
}

fn value_texts(value: &Value, found: &mut Vec<Range<usize>>) {
    match value {
        Value::String(text) => found.extend(text.span()),
        Value::Array(items) => items.iter().for_each(|item| value_texts(item, found)),
        Value::InlineTable(table) => table_texts(table, found),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

/// Returns a text of which some parts are covered, all but quotes and line breaks, each letter by one of its length.
fn covered(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut ranges: Vec<Range<usize>> = ranges.into_iter().collect();
    ranges.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        let hidden = text.get(range.start.max(at)..range.end).unwrap_or_default();
        out.extend(hidden.chars().map(cover));
        at = at.max(range.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn cover(letter: char) -> char {
    match (letter, letter.len_utf8()) {
        ('"' | '\'' | '\n' | '\r', _) => letter,
        (_, 1) => '*',
        (_, 2) => '¤',
        (_, 3) => '∗',
        _ => '🞶',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(client: Client, text: &str, name: &str) -> Vec<RenderedServer> {
        found(client, text, &[name]).unwrap()
    }

    #[test]
    fn texts_of_others_are_covered_and_ours_are_not() {
        let json = |ours: &str, theirs: &str| {
            format!(
                "{{\"theme\": \"dark\", \"mcpServers\": {{\"s\": {{\"command\": \"run\", \"env\": {{\"K\": \"{ours}\"}}}}, \
                 \"mine\": {{\"args\": [\"{theirs}\", 1], \"x\": {{\"y\": \"{theirs}\"}}}}}}}}"
            )
        };
        let (old, new) = (json("a", "pass ä"), json("b", "pass ä"));
        let client = Client::Cursor;
        let formerly = server(client, &old, "s");
        let (before, after) = shown(client, (Some(&old), Some(&new)), &formerly, &server(client, &new, "s"));
        assert_eq!(before.unwrap(), json("a", "*****¤"));
        assert_eq!(after.unwrap(), json("b", "*****¤"));
        // What somebody put into one of ours is not shown; what it says is.
        let (before, _) = shown(client, (Some(&old), Some(&new)), &[], &server(client, &new, "s"));
        assert_eq!(before.unwrap(), json("*", "*****¤"));
        let (before, _) = shown(client, (Some(&old), Some(&old)), &[], &server(client, &old, "s"));
        assert_eq!(before.unwrap(), json("a", "*****¤"));
    }

    #[test]
    fn tables_are_covered_too() {
        let toml = |theirs: &str| {
            format!(
                "model = \"large\"\n[mcp_servers.mine]\nargs = ['{theirs}']\nenv = {{ K = \"{theirs}\" }}\n\
                 [mcp_servers.mine.http_headers]\nA = '''{theirs}'''\n"
            )
        };
        let text = toml("pass");
        let (before, after) = shown(Client::Codex, (Some(&text), Some(&text)), &[], &[]);
        assert_eq!((before.unwrap(), after.unwrap()), (toml("****"), toml("****")));
    }

    #[test]
    fn what_somebody_put_into_a_table_of_ours_is_covered() {
        let toml = |value: &str, more: &str| {
            format!("[mcp_servers.s]\ncommand = \"run\"\n{more}[mcp_servers.s.env]\nK = \"{value}\"\n")
        };
        let (old, new) = (toml("pass", "x = \"shown\"\n"), toml("ours", ""));
        let client = Client::Codex;
        let (ours, texts) = (server(client, &new, "s"), (Some(old.as_str()), Some(new.as_str())));
        // It is not what was rendered, whatever is called so.
        let (before, after) = shown(client, texts, &ours, &ours);
        assert_eq!(before.unwrap(), toml("****", "x = \"shown\"\n"));
        assert_eq!(after.unwrap(), new);
    }

    #[test]
    fn every_text_of_others_is_covered_wherever_it_stands() {
        let json = |theirs: &str| {
            format!("\u{feff}{{\"mcpServers\": {{\"mine\": \"{theirs}\", \"b\": {{\"c\": \"{theirs}\"}}}}}}")
        };
        let (before, _) = shown(Client::Cursor, (Some(&json("p€🤖é")), None), &[], &[]);
        assert_eq!(before.unwrap(), json("*∗🞶¤"));
        let toml = |theirs: &str| {
            format!(
                "\u{feff}[mcp_servers.a]\nk = \"{theirs}\"\n[mcp_servers.b]\nk = '{theirs}'\n[mcp_servers.a.c]\nk = \
                 \"{theirs}\"\n[[mcp_servers.b.list]]\nk = [{{ x = \"{theirs}\" }}]\n"
            )
        };
        let (before, _) = shown(Client::Codex, (Some(&toml("p€🤖é")), None), &[], &[]);
        assert_eq!(before.unwrap(), toml("*∗🞶¤"));
    }

    #[test]
    fn what_cannot_be_read_shows_no_text() {
        let covered = |client, text: &str| {
            let covered = unread(client, text);
            assert_eq!(covered.len(), text.len());
            covered
        };
        assert_eq!(
            covered(Client::Gemini, "{\"a\" : \"b\\\"c\", [\"d\"] \"e"),
            "{\"a\" : \"**\"*\", [\"*\"] \"*"
        );
        assert_eq!(
            covered(Client::Codex, "[a.\"b\"]\n'k' = 'v'\n\"x\".y = [\"z\"]"),
            "[a.\"b\"]\n'k' = '*'\n\"x\".y = [\"*\"]"
        );
    }
}

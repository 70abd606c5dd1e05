//! What the start of a session costs, as text.

use std::fmt::Write as _;

use minds_diagnostics::emit::printable;
use minds_operations::{ContextOutcome, MINDS_MCP};
use minds_workspace::context::{ClientContext, ContextPart, MemberContext};
use unicode_width::UnicodeWidthStr as _;

use crate::count;
use crate::paint::{Style, paint};

/// The space between columns.
const GAP: usize = 2;
/// The least width of a note; a place that leaves less has its note on the next line.
const MIN_NOTE: usize = 24;

/// Renders the totals of all members. A table wider than `width` columns is split into several tables, each with some clients.
pub fn context_table(outcome: &ContextOutcome, width: usize) -> String {
    let mut text = String::new();
    let Some(first) = outcome.members.first() else { return text };
    let names: Vec<String> =
        outcome.members.iter().map(|member| printable(&member.member).into_owned()).collect();
    let name_width = names.iter().map(|name| name.width()).max().unwrap_or_default().max("member".len());
    let columns: Vec<(usize, usize)> = first
        .clients
        .iter()
        .enumerate()
        .map(|(index, client)| (index, column(outcome, index, client)))
        .collect();
    for table in split(&columns, name_width, width) {
        add_line(&mut text, "member", name_width, table, |index| {
            first.clients.get(index).map(|client| client.client.clone())
        });
        for (member, name) in outcome.members.iter().zip(&names) {
            add_line(&mut text, name, name_width, table, |index| member.clients.get(index).map(total));
        }
        text.push('\n');
    }
    let is_complete = outcome.members.iter().flat_map(|member| &member.clients).all(|client| client.complete);
    text.push_str("tokens at the start of a session");
    if outcome.directory != "." {
        // Writing to a string cannot fail.
        let _ = write!(text, " in `{}`", printable(&outcome.directory));
    }
    let _ = writeln!(text, ", {}", minds_operations::TOKEN_ESTIMATE);
    if !is_complete {
        text.push_str("+ at least: a part has an unknown size; `minds context MEMBER` names it\n");
    }
    text
}

/// Returns the width of the column of a client.
fn column(outcome: &ContextOutcome, index: usize, client: &ClientContext) -> usize {
    let totals = outcome.members.iter().filter_map(|member| member.clients.get(index)).map(total);
    totals.map(|total| total.len()).max().unwrap_or_default().max(client.client.len())
}

fn total(client: &ClientContext) -> String {
    format!("{}{}", client.tokens, if client.complete { "" } else { "+" })
}

/// Splits columns into tables of at most `width` columns of the terminal, each with at least one client.
fn split(columns: &[(usize, usize)], first: usize, width: usize) -> Vec<&[(usize, usize)]> {
    let mut tables = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let mut used = first;
        let count = rest.iter().take_while(|(_, column)| {
            used += GAP + column;
            used <= width
        });
        let (table, following) = rest.split_at(count.count().max(1));
        tables.push(table);
        rest = following;
    }
    tables
}

fn add_line(
    text: &mut String,
    name: &str,
    name_width: usize,
    columns: &[(usize, usize)],
    cell: impl Fn(usize) -> Option<String>,
) {
    let _ = write!(text, "{name}{:1$}", "", name_width.saturating_sub(name.width()));
    for (index, width) in columns {
        let _ = write!(text, "{:GAP$}{:>width$}", "", cell(*index).unwrap_or_default());
    }
    text.push('\n');
}

/// Renders the parts of a member for each client.
pub fn context_parts(member: &MemberContext, width: usize, is_colored: bool) -> String {
    let mut text = String::new();
    for client in &member.clients {
        if !text.is_empty() {
            text.push('\n');
        }
        let id = printable(&member.member);
        let title = match client.client.as_str() {
            MINDS_MCP => format!("{id} with `minds mcp`"),
            client => format!("{id} in {client}"),
        };
        let least = if client.complete { "about" } else { "at least" };
        let (tokens, bytes) = (count(client.tokens, "token"), count(client.bytes, "byte"));
        let _ = writeln!(text, "{}: {least} {tokens} ({bytes})", paint(&title, Style::Bold, is_colored));
        add_parts(&mut text, &client.parts, width);
    }
    let _ = writeln!(text, "\ntokens are {}; ? is unknown", minds_operations::TOKEN_ESTIMATE);
    text
}

fn add_parts(text: &mut String, parts: &[ContextPart], width: usize) {
    let number = |value: Option<usize>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let size = |title: &str, values: &mut dyn Iterator<Item = Option<usize>>| {
        values.map(|value| number(value).len()).max().unwrap_or_default().max(title.len())
    };
    let sources =
        parts.iter().map(|part| part.source.title().len()).max().unwrap_or_default().max("source".len());
    let tokens = size("tokens", &mut parts.iter().map(|part| part.tokens));
    let bytes = size("bytes", &mut parts.iter().map(|part| part.bytes));
    let indent = GAP + sources + GAP + tokens + GAP + bytes + GAP;
    if !parts.is_empty() {
        let _ = writeln!(text, "  {:sources$}  {:>tokens$}  {:>bytes$}  place", "source", "tokens", "bytes");
    }
    let mut previous = None;
    for part in parts {
        let title = if previous == Some(part.source) { "" } else { part.source.title() };
        previous = Some(part.source);
        let _ = write!(
            text,
            "  {title:sources$}  {:>tokens$}  {:>bytes$}  ",
            number(part.tokens),
            number(part.bytes)
        );
        let place = part.place.as_deref().map(|place| printable(place).into_owned());
        add_place(text, place.as_deref(), describe(part).as_deref(), indent, width);
    }
}

/// Returns the number of tools and the note of a part.
fn describe(part: &ContextPart) -> Option<String> {
    let tools = part.tools.map(|tools| count(tools, "tool"));
    let note = part.note.as_deref().map(|note| printable(note).into_owned());
    match (tools, note) {
        (Some(tools), Some(note)) => Some(format!("{tools}; {note}")),
        (tools, note) => tools.or(note),
    }
}

/// Adds a place and a note, which is wrapped below the place if it is too long.
fn add_place(text: &mut String, place: Option<&str>, note: Option<&str>, indent: usize, width: usize) {
    let mut at = indent;
    if let Some(place) = place {
        text.push_str(place);
        at += place.width();
    }
    if let Some(note) = note {
        let note = if place.is_some() { format!("({note})") } else { note.to_owned() };
        let is_beside = at + 1 + note.width() <= width || at + MIN_NOTE <= width && place.is_none();
        if is_beside && place.is_some() {
            text.push(' ');
            at += 1;
        }
        if !is_beside {
            let _ = write!(text, "\n{:indent$}", "");
            at = indent;
        }
        let mut is_first = true;
        for word in note.split_whitespace() {
            if !is_first && at + 1 + word.width() > width {
                let _ = write!(text, "\n{:indent$}", "");
                at = indent;
            } else if !is_first {
                text.push(' ');
                at += 1;
            }
            text.push_str(word);
            at += word.width();
            is_first = false;
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use minds_workspace::context::ContextSource;

    use super::*;

    fn outcome(member: &str, clients: usize, bytes: Option<usize>) -> ContextOutcome {
        let part = ContextPart::new(ContextSource::Persona, Some("persona.md".to_owned()), bytes);
        let client = |number| ClientContext::new(format!("client-{number}"), vec![part.clone()]);
        let clients = (0..clients).map(client).collect();
        let members = vec![MemberContext { member: member.to_owned(), clients }];
        ContextOutcome { directory: ".".to_owned(), members, errors: 0 }
    }

    #[test]
    fn wide_tables_are_split_and_have_every_client_once() {
        for (member, clients, width) in
            [("coder", 20, 80), ("coder", 20, 30), ("\u{5dee}\u{9063}", 9, 40), ("x", 1, 1)]
        {
            let table = context_table(&outcome(member, clients, Some(400)), width);
            for number in 0..clients {
                let name = format!("client-{number}");
                let count = table.split_whitespace().filter(|word| *word == name).count();
                assert_eq!(count, 1, "{name} in {width}:\n{table}");
            }
            assert_eq!(table.matches(" 100").count(), clients, "{table}");
            let widest = table
                .lines()
                .take_while(|line| !line.starts_with("tokens"))
                .map(unicode_width::UnicodeWidthStr::width)
                .max();
            assert!(widest <= Some(width.max(member.len() + 20)), "{table}");
        }
    }

    #[test]
    fn numbers_have_the_right_noun() {
        for (bytes, expected) in [
            (Some(0), "about 0 tokens (0 bytes)"),
            (Some(1), "about 0 tokens (1 byte)"),
            (Some(4), "about 1 token (4 bytes)"),
            (None, "at least 0 tokens (0 bytes)"),
        ] {
            let outcome = outcome("coder", 1, bytes);
            let text: String =
                outcome.members.iter().map(|member| context_parts(member, 80, false)).collect();
            assert!(text.contains(expected), "{text}");
            assert_eq!(context_table(&outcome, 80).contains("+ at least"), bytes.is_none());
        }
    }

    #[test]
    fn names_cannot_control_the_terminal() {
        let outcome = outcome("a\u{1b}[2J", 1, Some(4));
        let text: String = outcome.members.iter().map(|member| context_parts(member, 80, false)).collect();
        assert!(!(context_table(&outcome, 80) + &text).contains('\u{1b}'));
    }
}

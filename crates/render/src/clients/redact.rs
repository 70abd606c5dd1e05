//! Redacting client files for display: values that other programs wrote may be secrets of an unknown form.
//!
//! Only keys, punctuation, white space and the values that `minds` rendered are displayed. Everything else,
//! including comments, is redacted, so text that cannot be parsed is never displayed. In rendered values,
//! secrets are recognized by `minds_text::secrets`, as everywhere.

use std::collections::BTreeSet;
use std::ops::Range;

use minds_text::secrets::{self, TextKind};
use minds_vfs::WorkspacePath;

use super::Client;
use super::client::Form;
use super::merge::{RenderedServer, find_servers};
use super::spans::{Part, PartKind, parts};
use crate::jsonc::Json;
use crate::parts::{FilePart, JsonPart, PartContent};

/// The punctuation between keys and values, and the delimiters of strings and comments.
const PUNCTUATION: &str = "{}[]:,=\"'#/*";

/// Returns a client's file before and after rendering, both redacted. Values of our servers are displayed if
/// they are as they were rendered, or as they will be. If another program wrote or changed one of our
/// entries, only those of its values are displayed that the new file contains too.
pub(super) fn redact_diff(
    client: Client,
    (before, after): (Option<&str>, Option<&str>),
    previous: &[RenderedServer],
    rendered: &[RenderedServer],
) -> (Option<String>, Option<String>) {
    let names: Vec<&str> = previous.iter().map(|server| server.name.as_str()).collect();
    let existing = before.and_then(|text| find_servers(client, text, &names)).unwrap_or_default();
    let known: BTreeSet<&RenderedServer> = previous.iter().collect();
    // A duplicate entry is foreign if either copy is.
    let foreign: BTreeSet<&str> =
        existing.iter().filter(|server| !known.contains(server)).map(|server| server.name.as_str()).collect();
    let untouched: BTreeSet<&str> =
        existing.iter().map(|server| server.name.as_str()).filter(|name| !foreign.contains(name)).collect();
    let ours: BTreeSet<&str> = rendered.iter().map(|server| server.name.as_str()).collect();
    let written = after.map(|text| find_values(client, text, &ours)).unwrap_or_default();
    let before = before.map(|text| {
        redact_values(client, text, |server, value| {
            untouched.contains(server) || written.contains(&(server.to_owned(), value.to_owned()))
        })
    });
    let after = after.map(|text| redact_values(client, text, |server, _| ours.contains(server)));
    (before, after)
}

/// Returns a file that several programs share before and after rendering, both redacted except for the values of `parts` and of
/// `servers`, which are as they will be.
pub(crate) fn redact_shared(
    path: &WorkspacePath,
    before: Option<&str>,
    after: Option<&str>,
    parts: &[&FilePart],
    servers: &BTreeSet<&str>,
) -> (Option<String>, Option<String>) {
    let mut values = BTreeSet::new();
    for part in parts {
        match &part.content {
            PartContent::Json(values_of_json) => {
                for JsonPart::Member(_, value) | JsonPart::Item(_, value) in values_of_json {
                    add_scalars(value, &mut values);
                }
            }
            PartContent::Toml(tables) => values.extend(tables.iter().flat_map(|(_, body)| scalars(body))),
            PartContent::File(_) | PartContent::Block(_) => {}
        }
    }
    let client = Client::ALL.into_iter().find(|client| client.file() == path.as_str());
    let client = client.unwrap_or(Client::Cursor);
    let written = after.map(|text| find_values(client, text, servers)).unwrap_or_default();
    values.extend(written.into_iter().map(|(_, value)| value));
    let redact = |text: &str| redact_values_by(client, text, |_, value| values.contains(value));
    (before.map(redact), after.map(redact))
}

/// Adds the scalars of a value as they are written.
fn add_scalars(value: &Json, values: &mut BTreeSet<String>) {
    match value {
        Json::Bool(_) | Json::Text(_) | Json::Written(_) => {
            values.insert(value.print("", "", ""));
        }
        Json::List(items) => items.iter().for_each(|item| add_scalars(item, values)),
        Json::Object(members) => members.iter().for_each(|(_, value)| add_scalars(value, values)),
    }
}

/// Returns the scalars of a TOML table as they are written.
fn scalars(body: &str) -> Vec<String> {
    let value = |part: Part| match part.kind {
        PartKind::Value(_) => body.get(part.range).map(str::to_owned),
        PartKind::Key => None,
    };
    parts(Client::Codex, body).into_iter().flatten().filter_map(value).collect()
}

/// Returns a fully redacted file, for messages about a file that is not changed. Offsets stay the same.
pub(super) fn redact_all(client: Client, text: &str) -> String {
    redact_values(client, text, |_, _| false)
}

/// Returns the values of some servers, as written.
fn find_values(client: Client, text: &str, servers: &BTreeSet<&str>) -> BTreeSet<(String, String)> {
    let (_, body) = split(text);
    let value = |part: Part| match part.kind {
        PartKind::Value(Some(server)) if servers.contains(&*server) => {
            Some((server.to_string(), body.get(part.range)?.to_owned()))
        }
        _ => None,
    };
    parts(client, body).into_iter().flatten().filter_map(value).collect()
}

/// Redacts every value except those of servers for which `is_shown` holds.
fn redact_values(client: Client, text: &str, is_shown: impl Fn(&str, &str) -> bool) -> String {
    redact_values_by(client, text, |server, value| server.is_some_and(|server| is_shown(server, value)))
}

/// Redacts every value except those for which `is_shown` holds; it is given the server that contains the value.
fn redact_values_by(client: Client, text: &str, is_shown: impl Fn(Option<&str>, &str) -> bool) -> String {
    let (mark, body) = split(text);
    let mut out = String::with_capacity(text.len());
    out.push_str(mark);
    let Some(parts) = parts(client, body) else {
        // Keys and values cannot be distinguished.
        out.extend(body.chars().map(|c| if is_punctuation(c) { c } else { redact_char(c) }));
        return out;
    };
    let is_toml = client.form() == Form::Toml;
    // Masking keeps the length, so offsets stay the same.
    let redacted = secrets::mask_secrets(body, TextKind::Settings);
    let slice = |range: Range<usize>| body.get(range).unwrap_or_default();
    let mut at = 0;
    for Part { range, kind } in parts {
        let start = range.start.max(at);
        redact_between(slice(at..start), is_toml, &mut out);
        let part = slice(start..range.end);
        match kind {
            PartKind::Value(server) if !is_shown(server.as_deref(), part) => {
                out.extend(part.chars().map(redact_char));
            }
            PartKind::Key => out.push_str(part),
            PartKind::Value(_) => out.push_str(redacted.get(start..range.end).unwrap_or_default()),
        }
        at = range.end.max(at);
    }
    redact_between(slice(at..body.len()), is_toml, &mut out);
    out
}

/// Adds the text between parts, with comments redacted.
fn redact_between(mut text: &str, is_toml: bool, out: &mut String) {
    while let Some(first) = text.chars().next() {
        let (open, length, close) = if is_toml && first == '#' {
            ("#", text.find('\n'), "")
        } else if !is_toml && text.starts_with("//") {
            ("//", text.find('\n'), "")
        } else if !is_toml && text.starts_with("/*") {
            ("/*", text.find("*/").map(|at| at + "*/".len()), "*/")
        } else {
            // A duplicate key may be known only once.
            out.push(if is_punctuation(first) || first == '.' { first } else { redact_char(first) });
            text = text.get(first.len_utf8()..).unwrap_or_default();
            continue;
        };
        let (comment, rest) = text.split_at(length.unwrap_or(text.len()));
        let inside = comment.strip_prefix(open).unwrap_or(comment);
        let inside = inside.strip_suffix(close).unwrap_or(inside);
        out.push_str(open);
        out.extend(inside.chars().map(redact_char));
        out.push_str(close);
        text = rest;
    }
}

fn split(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

fn is_punctuation(c: char) -> bool {
    c.is_whitespace() || PUNCTUATION.contains(c)
}

/// Returns a mask character of the same length; quotes and line breaks are kept.
fn redact_char(c: char) -> char {
    match (c, c.len_utf8()) {
        ('"' | '\'' | '\n' | '\r', _) => c,
        (_, 1) => '*',
        _ => secrets::mask_char(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(client: Client, text: &str, name: &str) -> Vec<RenderedServer> {
        find_servers(client, text, &[name]).unwrap()
    }

    #[test]
    fn foreign_values_are_redacted_and_rendered_ones_are_not() {
        let json = |ours: &str, [theirs, number, word]: [&str; 3]| {
            format!(
                "{{\"theme\": \"{theirs}\", \"mcpServers\": {{\"s\": {{\"command\": \"run\", \"env\": {{\"K\": \"{ours}\"}}}}, \
                 \"mine\": {{\"args\": [\"{theirs}\", {number}], // {theirs}\n \"x\": {{\"y\": {word}}}}}}}}}"
            )
        };
        let visible = ["pass ä", "-1.5e3", "true"];
        let hidden = |ours: &str| json(ours, ["*****×", "******", "****"]).replace("// ", "//*");
        let (old, new) = (json("a", visible), json("b", visible));
        let client = Client::Cursor;
        let previous = server(client, &old, "s");
        let (before, after) =
            redact_diff(client, (Some(&old), Some(&new)), &previous, &server(client, &new, "s"));
        assert_eq!(before.unwrap(), hidden("a"));
        assert_eq!(after.unwrap(), hidden("b"));
        // Foreign values in our server are redacted, rendered values are not.
        let (before, _) = redact_diff(client, (Some(&old), Some(&new)), &[], &server(client, &new, "s"));
        assert_eq!(before.unwrap(), hidden("*"));
        let (before, _) = redact_diff(client, (Some(&old), Some(&old)), &[], &server(client, &old, "s"));
        assert_eq!(before.unwrap(), hidden("a"));
    }

    #[test]
    fn all_toml_notations_are_redacted() {
        let toml = |[theirs, number, day, comment]: [&str; 4]| {
            format!(
                "\u{feff}model = \"{theirs}\" #{comment}\nx.y = {number}\n[mcp_servers.\"a.b\"] #{comment}\n#{comment}\nargs = \
                 [ # {{\n'{theirs}', {number}]\nenv = {{ K = \"{theirs}\", \"#\".z = {day} }}\n[ mcp_servers . b ]\nk = \
                 '''{theirs}'''\n[mcp_servers.b.c]\nk = \"\"\"\n{theirs}\"\"\"\n[[mcp_servers.b.list]]\nk = [{{ x = \
                 \"{theirs}\" }}]\n"
            )
        };
        let visible = toml(["p€🤖é", "1_000.5", "1979-05-27", "p€ é"]).replace("# {", "# x");
        let hidden = toml(["*•🞶×", "*******", "**********", "*•*×"]).replace("# {", "#**");
        let (before, after) = redact_diff(Client::Codex, (Some(&visible), Some(&visible)), &[], &[]);
        assert_eq!((before.unwrap(), after.unwrap()), (hidden.clone(), hidden.clone()));
        assert_eq!(redact_all(Client::Codex, &visible), hidden);
    }

    #[test]
    fn foreign_values_in_our_table_are_redacted() {
        let toml = |value: &str, more: &str| {
            format!("[mcp_servers.s]\ncommand = \"run\"\n{more}[mcp_servers.s.env]\nK = \"{value}\"\n")
        };
        let (old, new) = (toml("pass", "x = \"more\"\ny = 17\n"), toml("ours", ""));
        let client = Client::Codex;
        let (ours, texts) = (server(client, &new, "s"), (Some(old.as_str()), Some(new.as_str())));
        // It is not what was rendered, whatever is called so.
        let (before, after) = redact_diff(client, texts, &ours, &ours);
        assert_eq!(before.unwrap(), toml("****", "x = \"****\"\ny = **\n"));
        assert_eq!(after.unwrap(), new);
    }

    #[test]
    fn both_layouts_of_a_server_are_redacted() {
        let json = |direct: &str, nested: &str| {
            format!(
                "{{\"mcp\": {{\"servers\": {{\"s\": {{\"command\": [\"{nested}\"]}}, \"o\": {{\"command\": [\"*\"]}}}}, \"s\": {{\"type\": \"{direct}\"}}}}}}"
            )
        };
        let (client, text) = (Client::OpenCode, json("local", "pass"));
        let flat = server(client, &json("local", "none"), "s").pop().unwrap();
        let ours = server(client, &json("other", "ours"), "s");
        let (before, after) = redact_diff(client, (Some(&text), Some(&json("*", "ours"))), &[flat], &ours);
        assert_eq!((before.unwrap(), after.unwrap()), (json("*****", "****"), json("*", "ours")));
    }

    #[test]
    fn known_keys_are_shown() {
        let text = "mcp_servers.a.k = 'x'\nmcp_servers.a.l = 'x'\nmcp_servers.b = {k = 'x'}\n";
        assert_eq!(
            redact_all(Client::Codex, text),
            "mcp_servers.a.k = '*'\n***********.*.l = '*'\n***********.b = {k = '*'}\n"
        );
        assert_eq!(
            redact_all(Client::Cursor, "{\"mcpServers\": [\"ä\", {\"k\": null}]}"),
            "{\"mcpServers\": [\"×\", {\"k\": ****}]}"
        );
    }

    #[test]
    fn files_with_syntax_errors_show_only_punctuation() {
        let covered = |client, text: &str| {
            let covered = redact_all(client, text);
            assert_eq!(covered.len(), text.len());
            covered
        };
        assert_eq!(
            covered(Client::Gemini, "\u{feff}{\"a\" : \"b\\\"c\", [\"d\"] \"e// f"),
            "\u{feff}{\"*\" : \"**\"*\", [\"*\"] \"*// *"
        );
        assert_eq!(
            covered(Client::Codex, "[a.\"b\"]\n'k' = \"\"\"\nv = '\\q'"),
            "[**\"*\"]\n'*' = \"\"\"\n* = '**'"
        );
    }

    /// What is ours is shown, but not a secret of it.
    #[test]
    fn secrets_in_rendered_values_are_redacted() {
        let json = |key: &str, word: &str| {
            format!(
                "{{\"mcpServers\": {{\"s\": {{\"command\": \"run\", \"env\": {{\"API_KEY\": \"{key}\", \"MODE\": \"{word}\"}}, \
                 \"args\": [\"--password\", \"{key}\"]}}}}}}"
            )
        };
        let text = json("hunter2", "fast");
        let ours = server(Client::Cursor, &text, "s");
        let (before, after) = redact_diff(Client::Cursor, (Some(&text), Some(&text)), &ours, &ours);
        assert_eq!((before.unwrap(), after.unwrap()), (json("*******", "fast"), json("*******", "fast")));
        let toml = |key: &str| {
            format!(
                "[mcp_servers.s]\ncommand = \"run\"\n[mcp_servers.s.env]\nAPI_KEY = \"{key}\"\nMODE = \"fast\"\n"
            )
        };
        let text = toml("hunter2");
        let ours = server(Client::Codex, &text, "s");
        let (_, after) = redact_diff(Client::Codex, (None, Some(&text)), &[], &ours);
        assert_eq!(after.unwrap(), toml("*******"));
    }
}

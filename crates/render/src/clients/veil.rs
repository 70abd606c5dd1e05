//! The files of clients as they can be shown: what others wrote there may be a secret in no known form.
//!
//! Shown are keys, signs and white space, and what we wrote ourselves. Everything else is covered, comments too, so what is
//! not understood is never shown. Of what we wrote, `minds_document::secrets` decides what is a secret, as everywhere.

use std::collections::BTreeSet;
use std::ops::Range;

use minds_document::secrets::{self, Reading};

use super::Client;
use super::client::Form;
use super::merge::{RenderedServer, found};
use super::parts::{Part, PartKind, parts};

/// What stands between keys and values, and opens or closes texts and comments.
const SIGNS: &str = "{}[]:,=\"'#/*";

/// Returns a client's file before and after it is rendered, as both can be shown: the values of servers that are as they
/// were rendered, and of those that are to be, are not covered. Where somebody else wrote an entry of ours, or changed it,
/// only those values of it are shown that are there afterwards too.
pub(super) fn shown(
    client: Client,
    (before, after): (Option<&str>, Option<&str>),
    formerly: &[RenderedServer],
    rendered: &[RenderedServer],
) -> (Option<String>, Option<String>) {
    let names: Vec<&str> = formerly.iter().map(|server| server.name.as_str()).collect();
    let there = before.and_then(|text| found(client, text, &names)).unwrap_or_default();
    let known: BTreeSet<&RenderedServer> = formerly.iter().collect();
    // Of one that is there twice both count.
    let foreign: BTreeSet<&str> =
        there.iter().filter(|server| !known.contains(server)).map(|server| server.name.as_str()).collect();
    let untouched: BTreeSet<&str> =
        there.iter().map(|server| server.name.as_str()).filter(|name| !foreign.contains(name)).collect();
    let ours: BTreeSet<&str> = rendered.iter().map(|server| server.name.as_str()).collect();
    let written = after.map(|text| values(client, text, &ours)).unwrap_or_default();
    let before = before.map(|text| {
        covered(client, text, |server, value| {
            untouched.contains(server) || written.contains(&(server.to_owned(), value.to_owned()))
        })
    });
    let after = after.map(|text| covered(client, text, |server, _| ours.contains(server)));
    (before, after)
}

/// Returns a file that is left as it is, so that its place can be shown. Places stay what they are.
pub(super) fn left(client: Client, text: &str) -> String {
    covered(client, text, |_, _| false)
}

/// Returns the values of some servers, as they are written.
fn values(client: Client, text: &str, servers: &BTreeSet<&str>) -> BTreeSet<(String, String)> {
    let (_, body) = split(text);
    let value = |part: Part| match part.kind {
        PartKind::Value(Some(server)) if servers.contains(&*server) => {
            Some((server.to_string(), body.get(part.range)?.to_owned()))
        }
        _ => None,
    };
    parts(client, body).into_iter().flatten().filter_map(value).collect()
}

/// Returns a text of which every value is covered but those of servers for which `is_shown` holds.
fn covered(client: Client, text: &str, is_shown: impl Fn(&str, &str) -> bool) -> String {
    let (mark, body) = split(text);
    let mut out = String::with_capacity(text.len());
    out.push_str(mark);
    let Some(parts) = parts(client, body) else {
        // What is a key in it, and what a value, is not known.
        out.extend(body.chars().map(|letter| if is_sign(letter) { letter } else { cover(letter) }));
        return out;
    };
    let is_toml = client.form() == Form::Toml;
    // Of the same length, so places in it are the same.
    let redacted = secrets::mask_secrets(body, Reading::Settings);
    let slice = |range: Range<usize>| body.get(range).unwrap_or_default();
    let mut at = 0;
    for Part { range, kind } in parts {
        let start = range.start.max(at);
        between(slice(at..start), is_toml, &mut out);
        let part = slice(start..range.end);
        match kind {
            PartKind::Value(server) if !server.as_ref().is_some_and(|server| is_shown(server, part)) => {
                out.extend(part.chars().map(cover));
            }
            PartKind::Key => out.push_str(part),
            PartKind::Value(_) => out.push_str(redacted.get(start..range.end).unwrap_or_default()),
        }
        at = range.end.max(at);
    }
    between(slice(at..body.len()), is_toml, &mut out);
    out
}

/// Adds what stands between parts, comments covered.
fn between(mut text: &str, is_toml: bool, out: &mut String) {
    while let Some(first) = text.chars().next() {
        let (open, length, close) = if is_toml && first == '#' {
            ("#", text.find('\n'), "")
        } else if !is_toml && text.starts_with("//") {
            ("//", text.find('\n'), "")
        } else if !is_toml && text.starts_with("/*") {
            ("/*", text.find("*/").map(|at| at + "*/".len()), "*/")
        } else {
            // A key that is written several times may be known only once.
            out.push(if is_sign(first) || first == '.' { first } else { cover(first) });
            text = text.get(first.len_utf8()..).unwrap_or_default();
            continue;
        };
        let (comment, behind) = text.split_at(length.unwrap_or(text.len()));
        let inside = comment.strip_prefix(open).unwrap_or(comment);
        let inside = inside.strip_suffix(close).unwrap_or(inside);
        out.push_str(open);
        out.extend(inside.chars().map(cover));
        out.push_str(close);
        text = behind;
    }
}

fn split(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

fn is_sign(letter: char) -> bool {
    letter.is_whitespace() || SIGNS.contains(letter)
}

/// Returns what covers a letter, of its length; quotes and line breaks stay.
fn cover(letter: char) -> char {
    match (letter, letter.len_utf8()) {
        ('"' | '\'' | '\n' | '\r', _) => letter,
        (_, 1) => '*',
        _ => secrets::mask_char(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(client: Client, text: &str, name: &str) -> Vec<RenderedServer> {
        found(client, text, &[name]).unwrap()
    }

    #[test]
    fn what_others_wrote_is_covered_and_ours_is_not() {
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
        let formerly = server(client, &old, "s");
        let (before, after) = shown(client, (Some(&old), Some(&new)), &formerly, &server(client, &new, "s"));
        assert_eq!(before.unwrap(), hidden("a"));
        assert_eq!(after.unwrap(), hidden("b"));
        // What somebody put into one of ours is not shown; what it says is.
        let (before, _) = shown(client, (Some(&old), Some(&new)), &[], &server(client, &new, "s"));
        assert_eq!(before.unwrap(), hidden("*"));
        let (before, _) = shown(client, (Some(&old), Some(&old)), &[], &server(client, &old, "s"));
        assert_eq!(before.unwrap(), hidden("a"));
    }

    #[test]
    fn every_way_to_write_toml_is_covered() {
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
        let (before, after) = shown(Client::Codex, (Some(&visible), Some(&visible)), &[], &[]);
        assert_eq!((before.unwrap(), after.unwrap()), (hidden.clone(), hidden.clone()));
        assert_eq!(left(Client::Codex, &visible), hidden);
    }

    #[test]
    fn what_somebody_put_into_a_table_of_ours_is_covered() {
        let toml = |value: &str, more: &str| {
            format!("[mcp_servers.s]\ncommand = \"run\"\n{more}[mcp_servers.s.env]\nK = \"{value}\"\n")
        };
        let (old, new) = (toml("pass", "x = \"more\"\ny = 17\n"), toml("ours", ""));
        let client = Client::Codex;
        let (ours, texts) = (server(client, &new, "s"), (Some(old.as_str()), Some(new.as_str())));
        // It is not what was rendered, whatever is called so.
        let (before, after) = shown(client, texts, &ours, &ours);
        assert_eq!(before.unwrap(), toml("****", "x = \"****\"\ny = **\n"));
        assert_eq!(after.unwrap(), new);
    }

    #[test]
    fn both_places_of_a_server_are_looked_at() {
        let json = |direct: &str, nested: &str| {
            format!(
                "{{\"mcp\": {{\"servers\": {{\"s\": {{\"command\": [\"{nested}\"]}}, \"o\": {{\"command\": [\"*\"]}}}}, \"s\": {{\"type\": \"{direct}\"}}}}}}"
            )
        };
        let (client, text) = (Client::OpenCode, json("local", "pass"));
        let flat = server(client, &json("local", "none"), "s").pop().unwrap();
        let ours = server(client, &json("other", "ours"), "s");
        let (before, after) = shown(client, (Some(&text), Some(&json("*", "ours"))), &[flat], &ours);
        assert_eq!((before.unwrap(), after.unwrap()), (json("*****", "****"), json("*", "ours")));
    }

    #[test]
    fn keys_are_shown_as_far_as_they_are_known() {
        let text = "mcp_servers.a.k = 'x'\nmcp_servers.a.l = 'x'\nmcp_servers.b = {k = 'x'}\n";
        assert_eq!(
            left(Client::Codex, text),
            "mcp_servers.a.k = '*'\n***********.*.l = '*'\n***********.b = {k = '*'}\n"
        );
        assert_eq!(
            left(Client::Cursor, "{\"mcpServers\": [\"ä\", {\"k\": null}]}"),
            "{\"mcpServers\": [\"×\", {\"k\": ****}]}"
        );
    }

    #[test]
    fn of_what_cannot_be_read_only_signs_are_shown() {
        let covered = |client, text: &str| {
            let covered = left(client, text);
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
    fn a_secret_among_our_values_is_covered() {
        let json = |key: &str, word: &str| {
            format!(
                "{{\"mcpServers\": {{\"s\": {{\"command\": \"run\", \"env\": {{\"API_KEY\": \"{key}\", \"MODE\": \"{word}\"}}, \
                 \"args\": [\"--password\", \"{key}\"]}}}}}}"
            )
        };
        let text = json("hunter2", "fast");
        let ours = server(Client::Cursor, &text, "s");
        let (before, after) = shown(Client::Cursor, (Some(&text), Some(&text)), &ours, &ours);
        assert_eq!((before.unwrap(), after.unwrap()), (json("*******", "fast"), json("*******", "fast")));
        let toml = |key: &str| {
            format!(
                "[mcp_servers.s]\ncommand = \"run\"\n[mcp_servers.s.env]\nAPI_KEY = \"{key}\"\nMODE = \"fast\"\n"
            )
        };
        let text = toml("hunter2");
        let ours = server(Client::Codex, &text, "s");
        let (_, after) = shown(Client::Codex, (None, Some(&text)), &[], &ours);
        assert_eq!(after.unwrap(), toml("*******"));
    }
}

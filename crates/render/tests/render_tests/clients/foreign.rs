//! Foreign contents of a file are kept while servers are added and removed.

use std::collections::BTreeMap;

use minds_render::clients::{Client, render};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::client;
use super::strategies::server;
use super::{names, place, previous_servers, read};

/// White space and comments between two tokens of a client's JSON.
fn blank(client: Client) -> impl Strategy<Value = String> + Clone {
    let mut parts = vec![" ", "\t", "\n", "\r\n", ""];
    if !matches!(client, Client::ClaudeCode | Client::Copilot | Client::Antigravity) {
        parts.extend(["// , } \" x\n", "/* , { \" */", "/* \n */", "//\r\n"]);
    }
    prop::collection::vec(prop::sample::select(parts), 0..3).prop_map(|parts| parts.concat())
}

/// An object with some of these keys in any order, white space around its members, and possibly a trailing
/// comma.
fn object(client: Client, keys: Vec<&'static str>, values: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let most = keys.len();
    let keys = prop::sample::subsequence(keys, 0..=most).prop_shuffle();
    let blanks = prop::collection::vec(blank(client), 5 * most + 1);
    let takes_commas = matches!(client, Client::VsCode | Client::Cursor | Client::OpenCode);
    (keys, blanks, prop::collection::vec(values, most), any::<bool>())
        .prop_map(move |(keys, blanks, values, comma)| {
            let mut blanks = blanks.into_iter();
            let mut next = || blanks.next().unwrap_or_default();
            let members: Vec<String> = keys
                .iter()
                .zip(values)
                .map(|(key, value)| format!("{}\"{key}\" : {value}{}", next(), next()))
                .collect();
            let comma = if comma && takes_commas && !members.is_empty() { "," } else { "" };
            format!("{{{}{comma}{}}}", members.join(","), next())
        })
        .boxed()
}

pub(crate) fn json_file(client: Client) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec![
        "1",
        "null",
        "\"// ,\"",
        "{}",
        "[ ]",
        "\"\\\"ä🤖\\\\\"",
        "{\"x\": [1, 2]}",
    ]);
    let leaf = leaf.prop_map(str::to_owned).boxed();
    let key = match client {
        Client::VsCode => "servers",
        Client::OpenCode => "mcp",
        _ => "mcpServers",
    };
    let servers = object(client, vec!["mine", "s", "t", "x y", "gone"], leaf.clone());
    let has_mark = !matches!(client, Client::Gemini | Client::Copilot | Client::Antigravity);
    let mark = prop::sample::select(if has_mark { vec!["", "\u{feff}"] } else { vec![""] });
    (mark, blank(client), any::<u8>(), servers, object(client, vec!["a", "b", "c"], leaf), blank(client))
        .prop_map(move |(mark, before, at, servers, root, after)| {
            // The servers are anywhere among the other keys, or missing.
            let member = format!("\"{key}\": {servers}");
            let root = match (at % 4, root.as_str()) {
                (0, _) => root,
                (1, _) if root.contains(':') => root.replacen('{', &format!("{{{member},"), 1),
                (_, _) if root.contains(':') => root.replacen(':', &format!(": 0, {member}, \"d\":"), 1),
                _ => format!("{{{member}}}"),
            };
            format!("{mark}{before}{root}{after}")
        })
        .boxed()
}

/// Returns the comments of a string, and the text without comments and trailing commas.
pub(crate) fn split(text: &str) -> (Vec<String>, String) {
    let (mut comments, mut plain, mut rest) =
        (Vec::new(), String::new(), text.trim_start_matches('\u{feff}'));
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").unwrap() + 2
        } else if first == '"' {
            let mut is_escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !is_escaped;
                is_escaped = !is_escaped && c == '\\';
                ends
            });
            end.unwrap() + 2
        } else {
            first.len_utf8()
        };
        let (part, behind) = rest.split_at(length);
        if part.starts_with("//") || part.starts_with("/*") {
            comments.push(part.trim_end().to_owned());
        } else {
            if matches!(part, "}" | "]") && plain.trim_end().ends_with(',') {
                plain.truncate(plain.trim_end().len() - 1);
            }
            plain.push_str(part);
        }
        rest = behind;
    }
    (comments, plain)
}

/// Returns the foreign contents of a file.
fn foreign_contents(client: Client, mut file: Value) -> Value {
    if let Some(Value::Object(servers)) = file.pointer_mut(place(client)) {
        servers.retain(|name, _| !["s", "t", "gone"].contains(&name.as_str()));
    }
    let key = &place(client)[1..];
    if file.get(key).is_some_and(|servers| *servers == json!({})) {
        file.as_object_mut().unwrap().remove(key);
    }
    file
}

proptest! {
    /// Foreign comments, order and values are kept, our servers are correct, and rendering again changes
    /// nothing.
    #[test]
    fn foreign_json_is_kept(
        (client, old) in client().prop_filter("JSON", |client| *client != Client::Codex)
            .prop_flat_map(|client| (Just(client), json_file(client))),
        s in server("s"),
        t in server("t"),
    ) {
        let servers = [s, t];
        let previous = previous_servers(client, &["gone"], &old);
        let merged = render(client, &servers, &previous, Some(&old));
        let new = merged.text.clone().unwrap();
        prop_assert!(!merged.problems.has_errors(), "{}", old);
        let ((old_comments, old_plain), (new_comments, new_plain)) = (split(&old), split(&new));
        prop_assert_eq!(old_comments, new_comments, "{}\n=====\n{}", &old, &new);
        prop_assert_eq!(old.starts_with('\u{feff}'), new.starts_with('\u{feff}'));
        let (old_file, new_file): (Value, Value) =
            (serde_json::from_str(&old_plain).unwrap(), serde_json::from_str(&new_plain).expect(&new));
        prop_assert_eq!(foreign_contents(client, old_file), foreign_contents(client, new_file.clone()), "{}\n=====\n{}", &old, &new);
        let there = new_file.pointer(place(client));
        for server in &servers {
            let name = &server.name.value;
            let is_there = there.and_then(|servers| servers.get(name)).is_some();
            prop_assert_eq!(is_there, names(&merged).contains(&name.as_str()));
            let alone = render(client, std::slice::from_ref(server), &[], None);
            let alone = alone.text.map(|text| read(client, &text));
            let alone = alone.as_ref().and_then(|file| file.pointer(place(client))?.get(name));
            prop_assert_eq!(there.and_then(|servers| servers.get(name)), alone);
        }
        prop_assert!(there.and_then(|servers| servers.get("gone")).is_none());
        let again = render(client, &servers, &merged.rendered, Some(&new));
        prop_assert_eq!(again.text.as_deref(), Some(new.as_str()));
        // Removing our servers keeps the foreign contents.
        let without = render(client, &[], &merged.rendered, Some(&new)).text.unwrap();
        prop_assert_eq!(split(&without).0, split(&old).0);
        let without: Value = serde_json::from_str(&split(&without).1).unwrap();
        prop_assert_eq!(foreign_contents(client, without), foreign_contents(client, new_file));
    }
}

fn toml_file() -> impl Strategy<Value = String> {
    let tables = vec![
        "[b]\nx = \"[mcp_servers.s]\" # x\n",
        "# of mine\n[mcp_servers.mine]\ncommand = 'm'\n",
        "  [mcp_servers.mine.tools] # indented\n  z = {}\n",
        "[mcp_servers.s]\ncommand = \"old\"\nargs = [\n  \"[c]\",\n]\n",
        "\n[mcp_servers.s.env]\nA = '''\n[x]\n'''\n",
        "[[mcp_servers.s.list]]\n",
        "[mcp_servers . \"gone\"]\nurl = 'x'\n\n",
        "[mcp_servers]\n",
        "# alone\n\n",
        "[d]\n# in d\ny.z = \"\"\"\n[mcp_servers.gone]\n\"\"\"\n",
        "[[e]]\n[[e]]\nq = 1979-05-27\n",
        "[e2.f]\n",
    ];
    let count = tables.len();
    let roots = prop::sample::select(vec!["", "# top\n", "a = 1 # one\n\n", "\n"]);
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    let tables = prop::sample::subsequence(tables, 0..=count).prop_shuffle();
    let end = prop::sample::select(vec!["", "# end", "\n"]);
    (mark, roots, tables, end, 0..3u8).prop_map(|(mark, root, tables, end, lines)| {
        let text = format!("{mark}{root}{}{end}", tables.concat());
        match lines {
            0 => text.replace('\n', "\r\n"),
            // Mixed line endings.
            1 => text.replacen('\n', "\r\n", 3),
            _ => text,
        }
    })
}

fn toml_comments(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.split_once('#'))
        .map(|(_, comment)| comment.trim_end().to_owned())
        .collect()
}

proptest! {
    /// The same for TOML.
    #[test]
    fn foreign_toml_is_kept(old in toml_file(), s in server("s"), t in server("t")) {
        let client = Client::Codex;
        let Ok(old_file) = toml::from_str::<Value>(old.trim_start_matches('\u{feff}')) else {
            // Shuffling put a table in front of the array that contains it.
            return Ok(());
        };
        let servers = [s, t];
        let merged = render(client, &servers, &previous_servers(Client::Codex, &["gone"], &old), Some(&old));
        prop_assert!(!merged.problems.has_errors(), "{}\n{:?}", old, merged.problems);
        let new = merged.text.unwrap();
        let new_file = read(client, &new);
        prop_assert_eq!(foreign_contents(client, old_file), foreign_contents(client, new_file.clone()), "{}\n=====\n{}", &old, &new);
        let ours: BTreeMap<&str, Option<Value>> = servers.iter().map(|server| {
            let alone = render(client, std::slice::from_ref(server), &[], None).text.map(|text| read(client, &text));
            let name = server.name.value.as_str();
            (name, alone.and_then(|file| file.pointer("/mcp_servers")?.get(name).cloned()))
        }).collect();
        for (name, expected) in ours {
            prop_assert_eq!(new_file.pointer("/mcp_servers").and_then(|all| all.get(name)).cloned(), expected);
        }
        prop_assert!(new_file.pointer("/mcp_servers/gone").is_none());
        let is_short = |comment: &String| comment.len() < 12;
        let (kept, there) = (toml_comments(&old), toml_comments(&new));
        let there: Vec<&String> = there.iter().filter(|comment| is_short(comment) && kept.contains(comment)).collect();
        prop_assert_eq!(kept.iter().collect::<Vec<_>>(), there, "{}\n=====\n{}", &old, &new);
        let again = render(client, &servers, &merged.rendered, Some(&new));
        prop_assert_eq!(again.text.as_deref(), Some(new.as_str()));
    }

    /// If the file had no servers of ours, removing them restores the text.
    #[test]
    fn tables_are_created_and_removed(old in toml_file(), t in server("t")) {
        let merged = render(Client::Codex, &[t], &[], Some(&old));
        if !merged.problems.has_errors() {
            let without = render(Client::Codex, &[], &merged.rendered, merged.text.as_deref());
            prop_assert_eq!(without.text, Some(old));
        }
    }
}

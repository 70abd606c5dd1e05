//! Whatever the values, a client reads what was meant, and what others wrote is as it was.

use std::collections::BTreeMap;

use minds_core::EnvVar;
use minds_render::clients::{Client, Connection, Placed, ServerEntry, Setting, SettingValue, render};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{place, read};

/// Texts of what is awkward somewhere, some of them of 64 KiB.
fn awkward() -> impl Strategy<Value = String> + Clone {
    let part = prop::sample::select(vec![
        "\"", "\\", "$", "${", "}", "{env:", "{file:", "X", "\n", "\r", "\r\n", "\t", "\0", "\u{2028}", "'",
        "%X%", "#", "[", "]", "=", "a", "ä", "🤖", "\u{7f}", "\u{85}", "`", " ", "//", "/*", "\u{feff}",
        "''", "\"\"\"", "\u{1b}",
    ]);
    let parts = |count| prop::collection::vec(part.clone(), count).prop_map(|parts| parts.concat());
    prop_oneof![
        16 => parts(0..8),
        4 => "[a-z]{1,8}",
        1 => parts(1..8).prop_map(|text| text.repeat(64 * 1024 / text.len())),
    ]
}

fn variable() -> impl Strategy<Value = EnvVar> {
    prop::sample::select(vec!["A", "TOKEN", "_x1"]).prop_map(|name| EnvVar::parse(name).unwrap())
}

fn settings(
    name: impl Strategy<Value = String>,
    prefix: impl Strategy<Value = String>,
) -> impl Strategy<Value = Vec<Setting>> {
    let value = prop_oneof![
        awkward().prop_map(SettingValue::Literal),
        (variable(), prefix).prop_map(|(name, prefix)| SettingValue::Variable { name, prefix }),
    ];
    prop::collection::btree_map(name, value, 0..4).prop_map(|settings| {
        let setting = |(name, value)| Setting { name, value: Placed::nowhere(value) };
        settings.into_iter().map(setting).collect()
    })
}

fn placed(texts: Vec<String>) -> Vec<Placed<String>> {
    texts.into_iter().map(Placed::nowhere).collect()
}

fn server(name: &'static str) -> impl Strategy<Value = ServerEntry> {
    let env_name = prop_oneof![
        4 => prop::sample::select(vec!["A", "TOKEN", "x.y", "a b"]).prop_map(str::to_owned),
        1 => awkward().prop_map(|name| name.replace(['=', '\0'], "").chars().take(20).collect::<String>() + "N"),
    ];
    let header_name =
        prop::sample::select(vec!["Authorization", "x-a", "X!#$%&'*+.^_`|~"]).prop_map(str::to_owned);
    let prefix = prop_oneof![Just(String::new()), Just("Bearer ".to_owned()), awkward()];
    let program = (
        awkward(),
        prop::collection::vec(awkward(), 0..3),
        settings(env_name, Just(String::new())),
        prop::option::of(awkward()),
    )
        .prop_map(|(command, args, env, cwd)| Connection::Program {
            command: Placed::nowhere(command),
            args: placed(args),
            env,
            cwd: cwd.map(|cwd| Placed::nowhere(format!("/{cwd}"))),
        });
    let address = (awkward(), settings(header_name, prefix))
        .prop_map(|(url, headers)| Connection::Address { url: Placed::nowhere(url), headers });
    (prop_oneof![program, address], prop::bool::weighted(0.9)).prop_map(move |(connection, is_enabled)| {
        ServerEntry {
            name: name.into(),
            connection,
            is_enabled,
            whitelist: Vec::new(),
            blacklist: Vec::new(),
            others: Vec::new(),
        }
    })
}

fn client() -> impl Strategy<Value = Client> {
    prop::sample::select(Client::ALL.to_vec())
}

/// What a server is to be, with `<NAME>` for the values of variables.
fn meant(server: &ServerEntry) -> Value {
    let values = |settings: &[Setting]| -> Value {
        let value = |setting: &Setting| match &setting.value.value {
            SettingValue::Literal(text) => text.clone(),
            SettingValue::Variable { name, prefix } => format!("{prefix}<{}>", name.as_str()),
        };
        settings
            .iter()
            .map(|setting| (setting.name.clone(), json!(value(setting))))
            .collect::<Map<_, _>>()
            .into()
    };
    match &server.connection {
        Connection::Program { command, args, env, cwd } => json!({
            "command": command.value,
            "args": args.iter().map(|arg| arg.value.as_str()).collect::<Vec<_>>(),
            "env": values(env),
            "cwd": cwd.as_ref().map(|cwd| &cwd.value),
        }),
        Connection::Address { url, headers } => json!({ "url": url.value, "headers": values(headers) }),
    }
}

/// Returns a text in which all parts between two marks are what `replace` makes of them, as a lazy pattern finds them.
fn replaced(text: &str, open: &str, replace: impl Fn(&str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once(open) {
        let Some((inner, after)) = behind.split_once('}').filter(|(inner, _)| !inner.is_empty()) else {
            out.push_str(before);
            out.push_str(open);
            rest = behind;
            continue;
        };
        out.push_str(before);
        out.push_str(&replace(inner));
        rest = after;
    }
    out + rest
}

/// Does what a client does to a text of its file.
fn expanded(client: Client, text: &str) -> String {
    match client {
        Client::Codex | Client::OpenCode => text.to_owned(),
        Client::ClaudeCode => replaced(text, "${", |name| format!("<{name}>")),
        Client::VsCode | Client::Cursor => {
            replaced(text, "${", |name| format!("<{}>", name.strip_prefix("env:").unwrap_or("?")))
        }
        Client::Gemini => {
            let braced = replaced(text, "${", |name| format!("<{name}>"));
            let mut parts = braced.split('$');
            let mut out = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
                let (name, rest) = part.split_at(end);
                out += &if name.is_empty() { format!("${rest}") } else { format!("<{name}>{rest}") };
            }
            out
        }
    }
}

/// Reads what a client understands of a server.
fn understood(client: Client, text: &str, name: &str) -> Option<Value> {
    let text = if client == Client::OpenCode {
        let text = replaced(text, "{env:", |name| format!("<{name}>"));
        replaced(&text, "{file:", |_| "<file>".to_owned())
    } else {
        text.to_owned()
    };
    let file = read(client, &text);
    let server = file.pointer(place(client))?.get(name)?;
    let text = |value: &Value| json!(expanded(client, value.as_str().unwrap()));
    let texts = |key: &str| -> Vec<Value> {
        server.get(key).and_then(Value::as_array).into_iter().flatten().map(text).collect()
    };
    let values = |key: &str| -> Map<String, Value> {
        let members = server.get(key).and_then(Value::as_object).into_iter().flatten();
        members.map(|(name, value)| (name.clone(), text(value))).collect()
    };
    let is_program = server.get("command").is_some();
    let mut settings = values(match (client, is_program) {
        (Client::OpenCode, true) => "environment",
        (_, true) => "env",
        (Client::Codex, false) => "http_headers",
        (_, false) => "headers",
    });
    if client == Client::Codex {
        for name in texts("env_vars") {
            settings
                .insert(name.as_str().unwrap().to_owned(), json!(format!("<{}>", name.as_str().unwrap())));
        }
        for (name, variable) in values("env_http_headers") {
            settings.insert(name, json!(format!("<{}>", variable.as_str().unwrap())));
        }
        if let Some(variable) = server.get("bearer_token_env_var") {
            settings
                .insert("Authorization".into(), json!(format!("Bearer <{}>", variable.as_str().unwrap())));
        }
    }
    if !is_program {
        let url = server.get("httpUrl").or_else(|| server.get("url"))?;
        return Some(json!({ "url": text(url), "headers": settings }));
    }
    let (command, args) = if client == Client::OpenCode {
        let mut command = texts("command").into_iter();
        (command.next()?, command.collect())
    } else {
        (text(server.get("command")?), texts("args"))
    };
    let cwd = server.get("cwd").map(text);
    Some(json!({ "command": command, "args": args, "env": settings, "cwd": cwd }))
}

/// Returns whether a client may refuse a server.
fn may_be_refused(client: Client, server: &ServerEntry) -> bool {
    let (settings, cwd) = match &server.connection {
        Connection::Program { env, cwd, .. } => (env, cwd.is_some()),
        Connection::Address { headers, .. } => (headers, false),
    };
    let has_variables =
        settings.iter().any(|setting| matches!(setting.value.value, SettingValue::Variable { .. }));
    match client {
        Client::Codex => has_variables,
        Client::OpenCode => settings.iter().any(|setting| setting.name.contains('{')),
        _ => format!("{:?}", server.connection).contains('$') || cwd,
    }
}

proptest! {
    /// A client reads the values that were meant, or the server is refused with a reason.
    #[test]
    fn clients_read_what_was_meant(client in client(), server in server("s")) {
        let merged = render(client, std::slice::from_ref(&server), &[], None);
        let found = merged.text.as_deref().and_then(|text| understood(client, text, "s"));
        let mut meant = meant(&server);
        if matches!(client, Client::ClaudeCode | Client::Cursor) && meant.get("cwd").is_some() {
            meant["cwd"] = Value::Null;
        }
        match found {
            Some(found) => prop_assert_eq!(found, meant),
            None if !server.is_enabled && !matches!(client, Client::Codex | Client::OpenCode) => {}
            None => {
                prop_assert!(!merged.problems.is_empty());
                prop_assert!(may_be_refused(client, &server), "{:?} {:?}", client, server.connection);
            }
        }
    }
}

/// Whatever may stand between two tokens of a client's JSON.
fn blank(client: Client) -> impl Strategy<Value = String> + Clone {
    let mut parts = vec![" ", "\t", "\n", "\r\n", ""];
    if client != Client::ClaudeCode {
        parts.extend(["// , } \" x\n", "/* , { \" */", "/* \n */", "//\r\n"]);
    }
    prop::collection::vec(prop::sample::select(parts), 0..3).prop_map(|parts| parts.concat())
}

/// An object with some of these keys in any order, blanks everywhere, and perhaps a comma at its end.
fn object(client: Client, keys: Vec<&'static str>, values: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let most = keys.len();
    let keys = prop::sample::subsequence(keys, 0..=most).prop_shuffle();
    let blanks = prop::collection::vec(blank(client), 5 * most + 1);
    let takes_commas = !matches!(client, Client::ClaudeCode | Client::Gemini);
    (keys, blanks, prop::collection::vec(values, most), any::<bool>())
        .prop_map(move |(keys, blanks, values, comma)| {
            let mut blanks = blanks.into_iter();
            let mut next = || blanks.next().unwrap_or_default();
            let members: Vec<String> = keys
                .iter()
                .zip(values)
                .map(|(key, value)| format!("{}\"{key}\"{}:{}{value}{}", next(), next(), next(), next()))
                .collect();
            let comma = if comma && takes_commas && !members.is_empty() { "," } else { "" };
            format!("{{{}{comma}{}}}", members.join(","), next())
        })
        .boxed()
}

fn json_file(client: Client) -> BoxedStrategy<String> {
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
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    (mark, blank(client), any::<u8>(), servers, object(client, vec!["a", "b", "c"], leaf), blank(client))
        .prop_map(move |(mark, before, at, servers, root, after)| {
            // The servers stand anywhere among the others, or nowhere.
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

/// Returns the comments of a text, and the text without them and without commas at ends.
fn split(text: &str) -> (Vec<String>, String) {
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

/// Returns what a file says of servers that are not ours, and of everything else.
fn others(client: Client, mut file: Value) -> Value {
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
    /// Comments, order and values of others stay; ours are what they should; nothing changes a second time.
    #[test]
    fn json_of_others_is_as_it_was(
        (client, old) in client().prop_filter("JSON", |client| *client != Client::Codex)
            .prop_flat_map(|client| (Just(client), json_file(client))),
        s in server("s"),
        t in server("t"),
    ) {
        let servers = [s, t];
        let formerly = ["gone".to_owned()];
        let merged = render(client, &servers, &formerly, Some(&old));
        let new = merged.text.unwrap();
        prop_assert!(!merged.problems.has_errors(), "{}", old);
        let ((old_comments, old_plain), (new_comments, new_plain)) = (split(&old), split(&new));
        prop_assert_eq!(old_comments, new_comments, "{}\n=====\n{}", &old, &new);
        prop_assert_eq!(old.starts_with('\u{feff}'), new.starts_with('\u{feff}'));
        let (old_file, new_file): (Value, Value) =
            (serde_json::from_str(&old_plain).unwrap(), serde_json::from_str(&new_plain).expect(&new));
        prop_assert_eq!(others(client, old_file), others(client, new_file.clone()), "{}\n=====\n{}", &old, &new);
        let there = new_file.pointer(place(client));
        for server in &servers {
            let name = &server.name.value;
            let is_there = there.and_then(|servers| servers.get(name)).is_some();
            prop_assert_eq!(is_there, merged.rendered.contains(name));
            let alone = render(client, std::slice::from_ref(server), &[], None);
            let alone = alone.text.map(|text| read(client, &text));
            let alone = alone.as_ref().and_then(|file| file.pointer(place(client))?.get(name));
            prop_assert_eq!(there.and_then(|servers| servers.get(name)), alone);
        }
        prop_assert!(there.and_then(|servers| servers.get("gone")).is_none());
        let again = render(client, &servers, &merged.rendered, Some(&new));
        prop_assert_eq!(again.text.as_deref(), Some(new.as_str()));
        // Taking ours out again leaves what others wrote.
        let without = render(client, &[], &merged.rendered, Some(&new)).text.unwrap();
        prop_assert_eq!(split(&without).0, split(&old).0);
        let without: Value = serde_json::from_str(&split(&without).1).unwrap();
        prop_assert_eq!(others(client, without), others(client, new_file));
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
            // Some lines one way, some the other.
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
    fn toml_of_others_is_as_it_was(old in toml_file(), s in server("s"), t in server("t")) {
        let client = Client::Codex;
        let Ok(old_file) = toml::from_str::<Value>(old.trim_start_matches('\u{feff}')) else {
            // The shuffle put a table before the list that it is in.
            return Ok(());
        };
        let servers = [s, t];
        let merged = render(client, &servers, &["gone".to_owned()], Some(&old));
        prop_assert!(!merged.problems.has_errors(), "{}\n{:?}", old, merged.problems);
        let new = merged.text.unwrap();
        let new_file = read(client, &new);
        prop_assert_eq!(others(client, old_file), others(client, new_file.clone()), "{}\n=====\n{}", &old, &new);
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

    /// Where there was nothing of ours, taking ours out again gives the very text.
    #[test]
    fn tables_come_and_go(old in toml_file(), t in server("t")) {
        let merged = render(Client::Codex, &[t], &[], Some(&old));
        if !merged.problems.has_errors() && old.ends_with('\n') {
            let without = render(Client::Codex, &[], &merged.rendered, merged.text.as_deref());
            prop_assert_eq!(without.text, Some(old));
        }
    }
}

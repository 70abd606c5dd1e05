//! Foreign values in client files are never shown.

use minds_render::clients::{Client, ClientPlan};
use proptest::prelude::*;
use proptest::sample::Index;

use super::planning::{Files, make_plan};
use super::{client, picture};

/// Our servers: one is already up to date, and one was written by another program.
const MCP: &str = "version: 1\nservers:\n  s:\n    transport: stdio\n    command: run\n    env: {K: plain, L: '1'}\n  t:\n    transport: \
                   stdio\n    command: go\n";

/// The marker in all foreign values and comments.
const SECRETS: [&str; 4] = ["hunter", "4242", "1987", "dbad"];

fn secret() -> impl Strategy<Value = String> {
    ("[a-z]{0,3}", "[ -!#-&(-.0-\\[\\]-~é🤖]{0,4}")
        .prop_map(|(before, after)| format!("{before}hunter{after}"))
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => secret().prop_map(|text| format!("\"{text}\"")),
        1 => secret().prop_map(|text| format!("\"\\\\{text}\\\"\\u00e9 {text}\"")),
        1 => prop::sample::select(vec!["4242", "-4242", "0.4242", "4242e3"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let blank = prop::sample::select(vec!["", " ", "\n", "\t"]);
        prop_oneof![
            (prop::collection::vec(inner.clone(), 2..4), blank.clone())
                .prop_map(|(items, blank)| format!("[{blank}{}]", items.join(&format!(",{blank}")))),
            (prop::collection::vec(inner, 0..3), blank).prop_map(|(items, blank)| {
                let members = items.iter().zip(["env", "K", "x y"]);
                let members: Vec<String> =
                    members.map(|(value, key)| format!("\"{key}\":{blank}{value}")).collect();
                format!("{{{}}}", members.join(&format!(",{blank}")))
            }),
        ]
    })
}

fn json_comment(client: Client) -> BoxedStrategy<String> {
    if client == Client::ClaudeCode {
        return Just(String::new()).boxed();
    }
    let comment = secret().prop_map(|text| format!("// {text} \" {text}\n"));
    let block = secret().prop_map(|text| format!("/* {text}\n * '{text}, */"));
    prop_oneof![2 => Just(String::new()), 1 => comment, 1 => block].boxed()
}

/// A file with foreign servers, and with foreign changes of our servers.
fn json_file(client: Client) -> impl Strategy<Value = String> {
    let key = match client {
        Client::VsCode => "servers",
        Client::OpenCode => "mcp",
        _ => "mcpServers",
    };
    let members = |names: Vec<&'static str>| {
        let most = names.len();
        let names = prop::sample::subsequence(names, 0..=most).prop_shuffle();
        let values = prop::collection::vec((json_value(), json_comment(client), json_comment(client)), most);
        (names, values).prop_map(|(names, values)| {
            let member = |(name, (value, before, after)): (&str, (String, String, String))| {
                format!("{before}\"{name}\": {value}{after}")
            };
            names.into_iter().zip(values).map(member).collect::<Vec<_>>()
        })
    };
    let comments = (json_comment(client), json_comment(client));
    (members(vec!["s", "t", "mine", "a b"]), members(vec!["x", "y", "z"]), comments, any::<Index>()).prop_map(
        move |(entries, mut others, (before, after), at)| {
            let entries = entries.join(",\n");
            others.insert(at.index(others.len() + 1), format!("\"{key}\": {{{after}{entries}\n}}"));
            format!("{before}{{\n{}\n{after}}}\n", others.join(",\n"))
        },
    )
}

fn toml_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        secret().prop_map(|text| format!("\"{text}\"")),
        secret().prop_map(|text| format!("'{text}'")),
        secret().prop_map(|text| format!("\"\"\"\n{text}\n # {text}\\\"\n\"\"\"")),
        secret().prop_map(|text| format!("'''{text}\n[{text}'''")),
        prop::sample::select(vec!["4242", "-4242.5", "1987-06-05T07:32:00Z", "1987-06-05"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|items| format!("[ {} ]", items.join(", "))),
            (prop::collection::vec(inner.clone(), 2..3), secret())
                .prop_map(|(items, text)| format!("[ # {text}\n{}\n]", items.join(", "))),
            prop::collection::vec(inner, 0..3).prop_map(|items| {
                let members = items.iter().zip(["K", "\"x # y\"", "a.b"]);
                let members: Vec<String> = members.map(|(value, key)| format!("{key} = {value}")).collect();
                format!("{{ {} }}", members.join(", "))
            }),
        ]
    })
}

fn toml_file() -> impl Strategy<Value = String> {
    let headers = vec![
        "[mcp_servers.s]",
        "[mcp_servers.t.env]",
        "[mcp_servers.\"a # b\"]",
        "[mcp_servers.mine]",
        "[[other]]",
    ];
    let most = headers.len();
    let headers = prop::sample::subsequence(headers, 0..=most).prop_shuffle();
    let comment = prop_oneof![Just(String::new()), secret().prop_map(|text| format!(" # {text} '{text}"))];
    let line = (toml_value(), comment.clone());
    let body = prop::collection::vec(line, 0..3);
    (headers, prop::collection::vec((comment, body), most + 1)).prop_map(|(headers, bodies)| {
        let mut out = String::new();
        for (header, (comment, body)) in [""].into_iter().chain(headers).zip(bodies) {
            out.extend([comment.trim_start(), "\n", header, &comment, "\n"]);
            for ((value, comment), key) in body.iter().zip(["command", "bearer_token", "x.y"]) {
                out.extend([key, " = ", value, comment, "\n"]);
            }
        }
        out
    })
}

fn file(client: Client) -> BoxedStrategy<String> {
    if client == Client::Codex { toml_file().boxed() } else { json_file(client).boxed() }
}

/// Returns all text of a plan that could be displayed.
fn all_of(plan: ClientPlan) -> String {
    let mut all = picture(plan.problems.into_sorted());
    for detail in plan.details.into_values() {
        all.extend(detail.before.into_iter().chain(detail.after));
    }
    all
}

fn check(client: Client, text: &str) -> Result<(), TestCaseError> {
    let files = Files::from([(client.file().to_owned(), text.to_owned())]);
    let shown = all_of(make_plan(&files, &[client], MCP));
    for secret in SECRETS {
        prop_assert!(!shown.contains(secret), "{client:?}\n{text}\n=====\n{shown}");
    }
    Ok(())
}

/// A part that is removed from a string or replaced with a character.
fn cuts() -> impl Strategy<Value = Vec<(Index, usize, &'static str)>> {
    let signs = vec![
        "", "", "", "\"", "'", "{", "}", "[", "]", ",", ":", "=", "#", "\\", "\n", "\\u", "//", "é", "\0",
    ];
    prop::collection::vec((any::<Index>(), 0..4usize, prop::sample::select(signs)), 1..3)
}

fn cut(text: &str, cuts: Vec<(Index, usize, &str)>) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (at, length, sign) in cuts {
        if text.is_empty() {
            break;
        }
        let at = at.index(text.len());
        let end = (at + length).min(text.len());
        text.splice(at..end, sign.chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Diffs and findings do not contain foreign values or comments.
    #[test]
    fn foreign_values_are_redacted((client, text) in client().prop_flat_map(|client| (Just(client), file(client)))) {
        check(client, &text)?;
    }

    /// The same for files with syntax errors or unexpected values.
    #[test]
    fn foreign_values_are_redacted_in_files_with_syntax_errors(
        (client, text) in client().prop_flat_map(|client| (Just(client), file(client))),
        cuts in cuts(),
        end in prop::option::of(any::<Index>()),
    ) {
        let text = cut(&text, cuts);
        let letters: Vec<char> = text.chars().collect();
        let end = end.filter(|_| !letters.is_empty()).map_or(letters.len(), |end| end.index(letters.len()));
        check(client, &letters.into_iter().take(end).collect::<String>())?;
    }
}

/// Common typos.
#[test]
fn files_with_syntax_errors_are_fully_redacted() {
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": {\"mine\": {\"env\": {\"K: \"hunter2secret\", \"B\": \"x\"}}}}"),
        (Client::ClaudeCode, "{\"mcpServers\": {\"mine\": {\"env\": {\"K\": 'hunter2secret'}}}}"),
        (Client::ClaudeCode, "{\"mcpServers\": {\"mine\": {\"env\": {\"K\": \"\\uhunter\"}}}}"),
        (Client::OpenCode, "{\"mcp\": {\"mine\": {\"env\": {\"K\": hunter2secret}}}}"),
        // A partial character, which a reason could quote.
        (Client::VsCode, "{\"servers\": {\"mine\": {\"env\": {\"K\": \"\\udbad\"}}}}"),
        (Client::Codex, "[mcp_servers.mine]\nenv = { K = \"\"\"\nhunter2\\qsecret\n\"\"\" }\n"),
        (Client::Codex, "[mcp_servers.mine]\ntoken = hunter2secret\n"),
    ] {
        check(client, text).unwrap();
        let files = Files::from([(client.file().to_owned(), text.to_owned())]);
        assert!(make_plan(&files, &[client], MCP).problems.has_errors(), "{client:?} {text}");
    }
}

/// Rendered values are shown, so that diffs are useful.
#[test]
fn rendered_values_are_shown() {
    for client in Client::ALL {
        let shown = all_of(make_plan(&Files::new(), &[client], MCP));
        assert!(
            shown.contains("\"run\"") && shown.contains("\"plain\"") && shown.contains("\"go\""),
            "{shown}"
        );
    }
}

//! The object that contains servers is removed with the last of them if it was created for them, and kept
//! otherwise.

use minds_render::State;
use minds_render::clients::{CLIENTS_FILE, Client, ClientRecord};
use proptest::prelude::*;
use serde_json::Value;

use super::foreign::{json_file, split};
use super::planning::{Files, MCP, NONE, apply, clean, make_plan};
use super::{client, place};

/// Returns a client's file after adding our servers, and after removing them by cleaning and by rendering
/// without servers.
fn add_and_remove_servers(client: Client, text: &str) -> (Files, [String; 2]) {
    let mut files = Files::from([(client.file().to_owned(), text.to_owned())]);
    let first = make_plan(&files, &[client], MCP).plan;
    apply(&mut files, &first);
    let gone = [clean(&files).plan, make_plan(&files, &[client], NONE).plan].map(|plan| {
        let mut files = files.clone();
        apply(&mut files, &plan);
        assert!(!files.contains_key(CLIENTS_FILE));
        files.remove(client.file()).unwrap()
    });
    (files, gone)
}

#[track_caller]
fn check(client: Client, text: &str, expected: &str) {
    let (_, gone) = add_and_remove_servers(client, text);
    assert_eq!(gone, [expected, expected], "{client:?}: {text}");
}

fn key(client: Client) -> &'static str {
    &place(client)[1..]
}

const JSON: [Client; 5] =
    [Client::ClaudeCode, Client::Gemini, Client::VsCode, Client::Cursor, Client::OpenCode];

#[test]
fn a_file_without_the_object_is_restored() {
    for client in JSON {
        for text in [
            "{}",
            "{}\n",
            "{ }\n",
            "{\"mine\": 1}",
            "{\"mine\": {}, \"b\": [] }",
            "{\n  \"mine\": 1\n}\n",
            "{\n\t\"a\": {\n\t\t\"b\": []\n\t},\n\t\"mine\": [\n\t\t1\n\t]\n}",
            "\u{feff}{\r\n    \"mine\": \"}\"\r\n}\r\n",
            "\n{\n  \"mine\": \"a  b\" }\n\n",
        ] {
            // Gemini CLI does not support a byte order mark.
            let text = if client == Client::Gemini { text.trim_start_matches('\u{feff}') } else { text };
            check(client, text, text);
        }
    }
    for client in [Client::VsCode, Client::Cursor, Client::OpenCode] {
        for text in [
            "// of mine\n{\n  // a\n  \"mine\": 1, // b\n  /* c */\n}\n",
            "{\n  \"mine\": 1,\n}",
            "{\"mine\": 1, }",
            "{\"mine\": 1,}",
        ] {
            check(client, text, text);
        }
    }
    for text in ["model = 1\n", "model = 1", "model = 1\r\n\r\n", "# a\r\n[x]\r\n# b", "model = 1\n  "] {
        check(Client::Codex, text, text);
    }
}

#[test]
fn an_existing_object_is_kept() {
    for client in JSON {
        let key = key(client);
        for (text, expected) in [
            (
                format!("{{\n  \"{key}\": {{\"mine\": 1}}\n}}\n"),
                format!("{{\n  \"{key}\": {{\"mine\": 1}}\n}}\n"),
            ),
            // An empty object on several lines becomes one on one line.
            (format!("{{\n  \"{key}\": {{\n  }}\n}}\n"), format!("{{\n  \"{key}\": {{}}\n}}\n")),
            (format!("{{\"{key}\": {{}}}}"), format!("{{\"{key}\": {{}}}}")),
            (format!("{{\"{key}\": {{ }} }}"), format!("{{\"{key}\": {{ }} }}")),
            (
                format!("{{\n  \"{key}\": {{\n    \"m\": {{\"command\": \"x\"}} }}, \"z\": [1,2] }}\n"),
                format!("{{\n  \"{key}\": {{\n    \"m\": {{\"command\": \"x\"}} }}, \"z\": [1,2] }}\n"),
            ),
        ] {
            check(client, &text, &expected);
        }
    }
}

#[test]
fn an_object_with_foreign_entries_is_kept() {
    for client in JSON {
        let (mut files, _) = add_and_remove_servers(client, "{\n  \"a\": 1\n}\n");
        let key = key(client);
        let text = files.get_mut(client.file()).unwrap();
        *text =
            text.replacen(&format!("\"{key}\": {{\n"), &format!("\"{key}\": {{\n    \"mine\": {{}},\n"), 1);
        let plan = clean(&files).plan;
        apply(&mut files, &plan);
        assert_eq!(
            files[client.file()],
            format!("{{\n  \"a\": 1,\n  \"{key}\": {{\n    \"mine\": {{}}\n  }}\n}}\n")
        );
    }
    for (before, comment) in [("\"mcp\": {", "\"mcp\": { // mine"), ("\"mcp\": {", "\"mcp\": /* mine */ {")] {
        let (mut files, _) = add_and_remove_servers(Client::OpenCode, "{\n  \"a\": 1\n}\n");
        let text = files.get_mut("opencode.json").unwrap();
        *text = text.replacen(before, comment, 1);
        let plan = clean(&files).plan;
        apply(&mut files, &plan);
        let left = &files["opencode.json"];
        assert!(left.contains("mine") && left.contains("\"mcp\""), "{left}");
    }
}

#[test]
fn the_creator_of_the_object_is_recorded_with_its_servers() {
    for client in JSON {
        let (mut files, _) = add_and_remove_servers(client, "{\n  \"a\": 1\n}\n");
        assert!(files[CLIENTS_FILE].contains("\"object_begun\": true"), "{}", files[CLIENTS_FILE]);
        let one = MCP.replace("command: go", "command: gone");
        let again = make_plan(&files, &[client], &one).plan;
        assert!(again.would_change());
        apply(&mut files, &again);
        // Rendering another client does not affect this one.
        let other = if client == Client::Cursor { Client::Gemini } else { Client::Cursor };
        let beside = make_plan(&files, &[other], &one).plan;
        apply(&mut files, &beside);
        let plan = clean(&files).plan;
        let states: Vec<State> = plan.items().iter().map(|item| item.state).collect();
        assert_eq!(states.iter().filter(|state| **state == State::Stale).count(), 2, "{states:?}");
        apply(&mut files, &plan);
        assert_eq!(files, Files::from([(client.file().to_owned(), "{\n  \"a\": 1\n}\n".to_owned())]));
    }
}

#[test]
fn foreign_contents_of_a_created_file_are_kept() {
    for client in JSON {
        let mut files = Files::new();
        let first = make_plan(&files, &[client], MCP).plan;
        apply(&mut files, &first);
        assert!(!files[CLIENTS_FILE].contains("object_begun"), "the record says that the file was created");
        let text = files.get_mut(client.file()).unwrap();
        *text = text.replacen('{', "{\n  \"mine\": 1,", 1);
        let plan = clean(&files).plan;
        apply(&mut files, &plan);
        assert_eq!(files[client.file()], "{\n  \"mine\": 1\n}\n");
    }
}

#[test]
fn a_manifest_of_an_earlier_version_keeps_the_object() {
    let (mut files, _) = add_and_remove_servers(Client::Cursor, "{\n  \"a\": 1\n}\n");
    let manifest = files.get_mut(CLIENTS_FILE).unwrap();
    *manifest = manifest.replace("      \"object_begun\": true,\n", "");
    assert!(matches!(ClientRecord::parse(manifest.as_bytes()), ClientRecord::Read(_)), "{manifest}");
    let plan = clean(&files).plan;
    apply(&mut files, &plan);
    assert_eq!(files[Client::Cursor.file()], "{\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n");
}

/// Returns a string with normalized white space at the end of objects without members, which cannot be
/// restored.
fn alike(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        out.extend([before, "{"]);
        let mut end = 0;
        loop {
            let inside = behind[end..].trim_start();
            let blanks = behind.len() - end - inside.len();
            let comment = match inside.get(..2) {
                Some("//") => inside.find('\n').unwrap_or(inside.len()),
                Some("/*") => inside.find("*/").map_or(inside.len(), |end| end + 2),
                _ => {
                    out.push_str(&behind[..end]);
                    rest = if inside.starts_with('}') { inside } else { &behind[end..] };
                    break;
                }
            };
            end += blanks + comment;
        }
    }
    out + rest
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    /// A file is restored byte for byte, except for the end of an object without members; an existing object
    /// is kept.
    #[test]
    fn objects_are_created_and_removed(
        (client, old) in client().prop_filter("JSON", |client| *client != Client::Codex)
            .prop_flat_map(|client| (Just(client), json_file(client))),
    ) {
        let read = |text: &str| serde_json::from_str::<Value>(&split(text).1).expect(text);
        let file = read(&old);
        let has_ours = ["s", "t"].iter().any(|name| file.pointer(&format!("{}/{name}", place(client))).is_some());
        prop_assume!(!has_ours);
        let (_, gone) = add_and_remove_servers(client, &old);
        for text in gone {
            prop_assert_eq!(split(&text).0, split(&old).0, "{}\n=====\n{}", &old, &text);
            prop_assert_eq!(&read(&text), &file, "{}\n=====\n{}", &old, &text);
            prop_assert_eq!(alike(&text), alike(&old), "{:?}\n=====\n{:?}", &old, &text);
        }
    }
}

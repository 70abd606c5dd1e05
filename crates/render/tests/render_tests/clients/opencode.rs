//! The two layouts of opencode's file, as both of its versions read them.

use minds_render::State;
use minds_render::clients::{CLIENTS_FILE, Client, render};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::planning::{Files, apply, clean, make_plan};
use super::strategies::server;
use super::{findings, names, previous_servers, read, render_first};

const FILE: &str = "opencode.json";
const MCP: &str = "version: 1\nservers:\n  notes: {transport: stdio, command: new-notes, enabled: false}\n  t: {transport: stdio, command: go}\n";

/// Returns what opencode 2 reads: the servers of both layouts in the form of the second.
fn read_as_opencode_2(file: &Value) -> Map<String, Value> {
    let is_server = |value: &Value| matches!(value["type"].as_str(), Some("local" | "remote"));
    let none = Map::new();
    let mcp = file["mcp"].as_object().unwrap_or(&none);
    let mut servers = Map::new();
    for (name, value) in mcp.iter().filter(|(_, value)| is_server(value)) {
        let mut value = value.as_object().unwrap().clone();
        if value.remove("enabled") == Some(json!(false)) {
            value.insert("disabled".to_owned(), json!(true));
        }
        servers.insert(name.clone(), value.into());
    }
    let nested = mcp.get("servers").filter(|value| !is_server(value)).and_then(Value::as_object);
    for (name, value) in nested.into_iter().flatten().filter(|(_, value)| is_server(value)) {
        let mut value = value.as_object().unwrap().clone();
        value.remove("enabled");
        servers.insert(name.clone(), value.into());
    }
    servers
}

#[test]
fn servers_are_added_to_the_existing_layout() {
    for (text, pointer) in [
        ("{}", "/mcp"),
        ("{\"mcp\": {\"mine\": {\"type\": \"local\", \"command\": [\"m\"]}}}", "/mcp"),
        ("{\"mcp\": {\"timeout\": {\"startup\": 1000}}}", "/mcp"),
        // A server with this name, and a switch of a server that is defined elsewhere.
        ("{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"m\"]}}}", "/mcp"),
        ("{\"mcp\": {\"servers\": {\"enabled\": false}}}", "/mcp"),
        ("{\"mcp\": {\"servers\": {}}}", "/mcp/servers"),
        ("{\"mcp\": {\"servers\": {\"type\": {\"type\": \"local\", \"command\": [\"m\"]}}}}", "/mcp/servers"),
        (
            "{\"mcp\": {\"timeout\": {}, \"servers\": {\"mine\": {\"type\": \"local\", \"command\": []}}}}",
            "/mcp/servers",
        ),
    ] {
        let merged = render_first(Client::OpenCode, MCP, Some(text));
        assert_eq!(names(&merged), ["notes", "t"], "{text}");
        assert!(merged.replaced.is_empty(), "{text}");
        let new = read(Client::OpenCode, &merged.text.unwrap());
        let notes = new.pointer(pointer).and_then(|servers| servers.get("notes")).expect(text);
        let is_nested = pointer.ends_with("servers");
        assert_eq!(notes.get("disabled"), is_nested.then_some(&json!(true)), "{text}");
        assert_eq!(notes.get("enabled"), (!is_nested).then_some(&json!(false)), "{text}");
        assert_eq!(
            read_as_opencode_2(&new)["notes"],
            json!({"type": "local", "command": ["new-notes"], "disabled": true})
        );
    }
}

#[test]
fn a_value_that_is_not_a_server_object_is_refused() {
    let merged = render_first(Client::OpenCode, MCP, Some("{\"mcp\": {\"servers\": []}}"));
    let found = findings(merged);
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("`servers` is not an object"), "{}", found[0].message);
}

#[test]
fn a_foreign_server_has_drifted_in_either_layout() {
    let notes = "\"notes\": {\"type\": \"local\", \"command\": [\"old-notes\"]}";
    for text in [
        format!("{{\"mcp\": {{\"servers\": {{{notes}}}}}}}"),
        format!("{{\"mcp\": {{{notes}, \"servers\": {{}}}}}}"),
        format!("{{\"mcp\": {{{notes}, \"servers\": {{{notes}}}}}}}"),
    ] {
        let merged = render_first(Client::OpenCode, MCP, Some(&text));
        assert_eq!(merged.replaced, ["notes"], "{text}");
        let new = read(Client::OpenCode, &merged.text.unwrap());
        assert_eq!(new.pointer("/mcp").unwrap().as_object().unwrap().len(), 1, "{new}");
        assert_eq!(read_as_opencode_2(&new)["notes"]["command"], json!(["new-notes"]), "{new}");
    }
}

#[test]
fn keys_of_the_second_layout_are_not_servers() {
    let mcp = "version: 1\nservers:\n  servers: {transport: stdio, command: a}\n  timeout: {transport: stdio, command: b}\n  t: {transport: stdio, command: go}\n";
    for text in [
        None,
        Some(
            "{\"mcp\": {\"timeout\": {\"startup\": 1}, \"servers\": {\"mine\": {\"type\": \"local\", \"command\": []}}}}",
        ),
    ] {
        let merged = render_first(Client::OpenCode, mcp, text);
        assert_eq!(names(&merged), ["t"]);
        assert!(merged.replaced.is_empty());
        let new = read(Client::OpenCode, merged.text.as_deref().unwrap());
        assert_eq!(new.pointer("/mcp/timeout/startup").is_some(), text.is_some());
        assert_eq!(new.pointer("/mcp/servers/mine").is_some(), text.is_some());
        let found = findings(merged);
        assert_eq!(
            found.iter().map(|found| found.rule.code).collect::<Vec<_>>(),
            ["render/cannot-express"; 2]
        );
        assert!(
            found[0].notes.iter().any(|note| note.contains("as the name of a server")),
            "{:?}",
            found[0].notes
        );
    }
}

#[test]
fn servers_move_with_the_layout_and_are_removed_from_both() {
    let mut files = Files::new();
    let first = make_plan(&files, &[Client::OpenCode], MCP).plan;
    apply(&mut files, &first);
    // Another program introduces the second layout, and our servers are still in the first.
    let text = files.get_mut(FILE).unwrap();
    *text = text.replacen(
        "\"mcp\": {",
        "\"mcp\": {\n    \"servers\": {\"mine\": {\"type\": \"local\", \"command\": [\"m\"]}},",
        1,
    );
    let both = files.clone();
    let moved = make_plan(&files, &[Client::OpenCode], MCP);
    assert_eq!(moved.plan.items()[0].state, State::Changed, "they were ours");
    apply(&mut files, &moved.plan);
    let new = read(Client::OpenCode, &files[FILE]);
    assert_eq!(new["mcp"]["servers"].as_object().unwrap().len(), 3, "{new}");
    assert_eq!(new["mcp"].as_object().unwrap().len(), 1, "{new}");
    assert!(!make_plan(&files, &[Client::OpenCode], MCP).plan.would_change());
    for mut files in [both, files] {
        let plan = clean(&files).plan;
        apply(&mut files, &plan);
        assert!(!files.contains_key(CLIENTS_FILE));
        let left = read(Client::OpenCode, &files[FILE]);
        assert_eq!(left["mcp"], json!({"servers": {"mine": {"type": "local", "command": ["m"]}}}));
    }
}

#[test]
fn a_duplicate_server_is_kept_if_one_copy_is_foreign() {
    let mut files = Files::from([(FILE.to_owned(), "{\"mcp\": {\"servers\": {}}}".to_owned())]);
    let first = make_plan(&files, &[Client::OpenCode], MCP).plan;
    apply(&mut files, &first);
    let text = files.get_mut(FILE).unwrap();
    *text =
        text.replacen("\"servers\"", "\"t\": {\"type\": \"local\", \"command\": [\"mine\"]}, \"servers\"", 1);
    let cleaning = clean(&files);
    assert_eq!(cleaning.kept.values().flatten().collect::<Vec<_>>(), ["t"]);
    apply(&mut files, &cleaning.plan);
    let left = read(Client::OpenCode, &files[FILE]);
    assert_eq!(left["mcp"]["t"]["command"], json!(["mine"]));
    assert!(left["mcp"]["servers"].get("t").is_some() && left["mcp"]["servers"].get("notes").is_none());
}

fn foreign_servers() -> impl Strategy<Value = Map<String, Value>> {
    let names = prop::sample::subsequence(vec!["mine", "s", "t", "gone", "servers", "timeout", "type"], 0..5);
    let local = |command: &str| json!({"type": "local", "command": [command]});
    let value = prop::sample::select(vec![
        local("a"),
        local("b"),
        json!({"type": "remote", "url": "x", "enabled": false}),
    ]);
    (names, prop::collection::vec(value, 7))
        .prop_map(|(names, values)| names.into_iter().map(str::to_owned).zip(values).collect())
}

proptest! {
    /// In every layout, opencode 2 reads our servers as if they were alone in a file, and foreign servers as
    /// before.
    #[test]
    fn opencode_2_reads_the_intended_values(
        direct in foreign_servers(),
        nested in prop::option::of(foreign_servers()),
        s in server("s"),
        t in server("t"),
    ) {
        let mut mcp = direct;
        if let Some(nested) = nested {
            mcp.insert("servers".to_owned(), nested.into());
        }
        let old = json!({ "mcp": mcp });
        let text = old.to_string();
        let servers = [s, t];
        let merged = render(Client::OpenCode, &servers, &previous_servers(Client::OpenCode, &["gone"], &text), Some(&text));
        prop_assert!(!merged.problems.has_errors());
        let new_text = merged.text.clone().unwrap();
        let new = read(Client::OpenCode, &new_text);
        let (mut before, mut after) = (read_as_opencode_2(&old), read_as_opencode_2(&new));
        for server in &servers {
            let name = server.name.value.as_str();
            before.remove(name);
            let alone = render(Client::OpenCode, std::slice::from_ref(server), &[], None).text;
            let alone = alone.and_then(|text| read_as_opencode_2(&read(Client::OpenCode, &text)).remove(name));
            prop_assert_eq!(after.remove(name), alone, "{}", new_text);
        }
        before.remove("gone");
        prop_assert_eq!(before, after, "{}\n=====\n{}", text, new_text);
        let again = render(Client::OpenCode, &servers, &merged.rendered, Some(&new_text));
        prop_assert!(again.replaced.is_empty());
        prop_assert_eq!(again.text, Some(new_text));
    }
}

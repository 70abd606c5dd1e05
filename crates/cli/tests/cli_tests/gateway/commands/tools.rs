//! `minds gateway tools`

use serde_json::{Value, json};

use super::{expect_failure, pretty, world_of_states};
use crate::gateway::World;

fn names(document: &Value) -> Vec<&str> {
    let servers = document["servers"].as_array().unwrap();
    let tools = servers.iter().flat_map(|server| server["tools"].as_array().unwrap());
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn all_tools_and_what_is_left_out() {
    let world = world_of_states();
    let (code, human, stderr) = world.run(&["gateway", "tools", "--all"]);
    assert_eq!(code, 1, "a server fails: {stderr}");
    let text = format!("{human}{stderr}");
    insta::assert_snapshot!("tools", text.replace(&super::this_program(), "[program]"));
    let (code, document) = world.document(&["gateway", "tools", "--all", "--json"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!("tools_json", pretty(&world, document));
    let (code, document) = world.document(&["gateway", "tools", "files", "--json"]);
    assert_eq!(code, 0, "the server itself works");
    assert_eq!(names(&document), ["fs_list_files"]);
    assert_eq!(
        (&document["servers"][0]["skipped"], &document["servers"][0]["unmatched"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn remembered_tools_are_listed_without_a_start() {
    let world = World::with_servers();
    assert_eq!(world.document(&["gateway", "tools", "--json"]).0, 0);
    assert_eq!((world.starts("files").len(), world.starts("web").len()), (1, 1));
    world.offer("files", &["other"]);
    let (code, document) = world.document(&["gateway", "tools", "--json"]);
    assert_eq!((code, names(&document)), (0, vec!["list_files", "open_file", "fetch"]));
    assert_eq!((world.starts("files").len(), world.starts("web").len()), (1, 1));
    let (code, document) = world.document(&["gateway", "tools", "--refresh", "--json"]);
    assert_eq!((code, names(&document)), (0, vec!["other", "fetch"]));
    assert_eq!((world.starts("files").len(), world.starts("web").len()), (2, 2));
}

#[test]
fn the_tools_of_a_member_are_listed_with_the_reasons_for_the_other_ones() {
    let world = World::with_servers();
    let (code, document) = world.document(&["gateway", "tools", "--as", "coder", "--json"]);
    assert_eq!((code, names(&document)), (0, vec!["list_files", "open_file"]));
    let (code, document) = world.document(&["gateway", "tools", "--as", "coder", "--all", "--json"]);
    assert_eq!(code, 0);
    let skipped = &document["servers"][1]["skipped"][0];
    assert_eq!(
        (&skipped["original"], &skipped["final"], &skipped["reason"]),
        (&json!("fetch"), &json!("fetch"), &json!("not-granted"))
    );
    let (_, human, _) = world.run(&["gateway", "tools", "--as", "coder", "--all"]);
    assert!(human.contains("fetch  not-granted: "), "{human}");
    expect_failure(&world, &["gateway", "tools", "--as", "codr"], 2, "codr");
}

/// Each tool has one reason, and the reasons are those of the contract.
#[test]
fn every_reason_is_named() {
    let world = World::new();
    world.team(&json!({"coder": {}}));
    let named = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    world.behave("first", &json!({"tools": ["shared"]}));
    world.behave("second", &json!({"tools": [
        named("shared"), named("secret"), named("with space"), named("read_file"), json!({"name": "odd", "inputSchema": []}),
    ]}));
    world.behave("third", &json!({"tools": ["known", "unknown"]}));
    world.servers(&[
        ("first", world.entry("first", &json!({}))),
        ("second", world.entry("second", &json!({"tools": {"blacklist": ["secret"]}}))),
        ("third", world.entry("third", &json!({"tools": {"whitelist": ["known"]}}))),
    ]);
    let (code, document) = world.document(&["gateway", "tools", "--all", "--json"]);
    assert_eq!(code, 0);
    let skipped = document["servers"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|server| server["skipped"].as_array().unwrap());
    let mut reasons: Vec<_> =
        skipped.map(|tool| (tool["original"].as_str().unwrap(), tool["reason"].as_str().unwrap())).collect();
    reasons.sort_unstable();
    let expected = [
        ("odd", "invalid-schema"),
        ("read_file", "collision"),
        ("secret", "blacklisted"),
        ("shared", "collision"),
        ("unknown", "not-whitelisted"),
        ("with space", "invalid-name"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(names(&document), ["shared", "known"]);
}

#[test]
fn the_list_has_no_end_of_a_server_in_it() {
    let world = World::with_servers();
    let (_, stdout, _) = world.run(&["gateway", "tools"]);
    assert_eq!(
        stdout,
        "files  2 tools\n  list_files  Does list_files\n  open_file  Does open_file\nweb  1 tool\n  fetch  Does fetch\n"
    );
}

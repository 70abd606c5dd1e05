//! What `llm.yaml` and `mcp.yaml` say wrongly is reported once, there, and not again at the members that refer to it.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE, TeamFamily, check};
use minds_document::Snapshot;
use minds_paths::WorkspacePath;

const TEAM: &str = "
member_defaults: {provider: house, model: small}
members: {coder: {toolsets: [browser], streaming: false}}
";

/// Returns the codes of what is found, split into those of `team.yaml` and those of the other file.
fn found(file: &str, text: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let path = |path| WorkspacePath::parse(path).expect("the path is valid");
    let mut snapshot = Snapshot::new().with_file(path(TEAM_FILE), TEAM);
    // The other file of the two is right.
    for (name, right) in [
        (LLM_FILE, "providers: {house: {apiType: mock, baseUrl: tape, models: {small: {}}}}"),
        (MCP_FILE, "{version: 1, servers: {browser: {transport: stdio, command: browser-server}}}"),
    ] {
        snapshot = snapshot.with_file(path(name), if name == file { text } else { right });
    }
    let parsed = TeamFamily::load(&snapshot);
    let mut problems = parsed.problems;
    problems.append(check(&parsed.value));
    let (mut team, mut other) = (Vec::new(), Vec::new());
    for diagnostic in problems.into_sorted() {
        let place = diagnostic.primary.expect("every finding has a place");
        let list = if place.source.name() == TEAM_FILE { &mut team } else { &mut other };
        list.push(diagnostic.rule.code);
    }
    (team, other)
}

#[track_caller]
fn is_said_once(file: &str, text: &str, code: &str) {
    let (team, other) = found(file, text);
    assert_eq!((team, other), (vec![], vec![code]), "{text}");
}

#[test]
fn providers_that_could_not_be_read() {
    for (text, code) in [
        ("", "schema/type"),
        ("[house]", "schema/type"),
        ("providers: [house]", "schema/type"),
        ("providers: {house: }", "schema/type"),
        ("providers: {house: {apiType: mock, baseUrl: t, models: 5}}", "schema/type"),
        ("providers: {house: {apiType: mock, baseUrl: t, models: {small: 5}}}", "schema/type"),
        ("providers: {house: {apiType: mock, baseUrl: t, models: {}}}", "llm/empty-models"),
        ("providers: {house: {apiType: mock, baseUrl: t, modles: {small: {}}}}", "schema/unknown-key"),
        ("providers: {house: {apiType: mock, baseUrl: t}}", "schema/missing-key"),
        ("providers: {house: {apiType: kodex, baseUrl: t, models: {small: {}}}}", "schema/value"),
        ("providres: {house: {apiType: mock, baseUrl: t, models: {small: {}}}}", "schema/unknown-key"),
        ("house: {apiType: mock, baseUrl: t, models: {small: {}}}", "schema/unknown-key"),
        ("x-own: {}", "schema/missing-key"),
        ("providers: {<<: {house: {}}}", "schema/unknown-key"),
        ("providers: {}\n---\n", "yaml/several-documents"),
        ("providers: {", "yaml/syntax"),
    ] {
        is_said_once(LLM_FILE, text, code);
    }
}

#[test]
fn servers_that_could_not_be_read() {
    for (text, code) in [
        ("", "schema/type"),
        ("{version: 1, servers: [browser]}", "schema/type"),
        ("{version: 1, servers: }", "schema/type"),
        ("{version: 1, servers: {browser: }}", "schema/type"),
        ("{version: 1, servers: {browser: {}}}", "schema/missing-key"),
        ("{version: 1, server: {browser: {}}}", "schema/unknown-key"),
        ("{version: 1, browser: {transport: stdio, command: c}}", "schema/unknown-key"),
        ("{version: 1, servers: {<<: {}}}", "schema/unknown-key"),
        ("servers: {browser: {transport: stdio, command: c}}", "schema/missing-key"),
        ("{version: 2, servers: {browser: {transport: sse}}}\n---\n", "yaml/several-documents"),
    ] {
        if code == "yaml/several-documents" {
            let (team, other) = found(MCP_FILE, text);
            assert_eq!(team, Vec::<&str>::new(), "{text}");
            assert_eq!(other, ["schema/value", "schema/value", code], "{text}");
        } else {
            is_said_once(MCP_FILE, text, code);
        }
    }
}

#[test]
fn what_could_be_read_and_is_not_there_is_reported_at_the_member() {
    let (team, other) = found(LLM_FILE, "providers: {}");
    assert_eq!((team, other), (vec!["team/unknown-provider"], vec![]));
    let (team, other) =
        found(LLM_FILE, "providers: {house: {apiType: mock, baseUrl: t, models: {large: {}}}}");
    assert_eq!((team, other), (vec!["team/unknown-model"], vec![]));
    let (team, other) =
        found(LLM_FILE, "providers: {house: {apiType: codex, baseUrl: 'https://t', models: {small: {}}}}");
    assert_eq!((team, other), (vec!["team/streaming-required"], vec![]));
    let (team, other) = found(MCP_FILE, "{version: 1, servers: {}}");
    assert_eq!((team, other), (vec!["team/unknown-toolset"], vec![]));
}

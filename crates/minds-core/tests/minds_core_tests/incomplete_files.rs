//! Errors in `llm.yaml` and `mcp.yaml` are reported only there, and not at the members that refer to them.

use minds_core::{LLM_FILE, MCP_FILE, TEAM_FILE, TeamFamily, check};
use minds_vfs::{Snapshot, WorkspacePath};

const TEAM: &str = "
member_defaults: {provider: local, model: small}
members: {coder: {toolsets: [browser], streaming: false}}
";

/// Returns the codes of the findings, split into those of `team.yaml` and those of the other file.
fn finding_codes(file: &str, text: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let path = |path| WorkspacePath::parse(path).expect("the path is valid");
    let mut snapshot = Snapshot::new().with_file(path(TEAM_FILE), TEAM);
    // The other file is valid.
    for (name, right) in [
        (LLM_FILE, "providers: {local: {apiType: mock, baseUrl: tape, models: {small: {}}}}"),
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
fn expect_reported_once(file: &str, text: &str, code: &str) {
    let (team, other) = finding_codes(file, text);
    assert_eq!((team, other), (vec![], vec![code]), "{text}");
}

#[test]
fn unreadable_providers_are_not_reported_as_unknown() {
    for (text, code) in [
        ("", "schema/type"),
        ("[local]", "schema/type"),
        ("providers: [local]", "schema/type"),
        ("providers: {local: }", "schema/type"),
        ("providers: {local: {apiType: mock, baseUrl: t, models: 5}}", "schema/type"),
        ("providers: {local: {apiType: mock, baseUrl: t, models: {small: 5}}}", "schema/type"),
        ("providers: {local: {apiType: mock, baseUrl: t, models: {}}}", "llm/empty-models"),
        ("providers: {local: {apiType: mock, baseUrl: t, modles: {small: {}}}}", "schema/unknown-key"),
        ("providers: {local: {apiType: mock, baseUrl: t}}", "schema/missing-key"),
        ("providers: {local: {apiType: kodex, baseUrl: t, models: {small: {}}}}", "schema/value"),
        ("providres: {local: {apiType: mock, baseUrl: t, models: {small: {}}}}", "schema/unknown-key"),
        ("local: {apiType: mock, baseUrl: t, models: {small: {}}}", "schema/unknown-key"),
        ("x-own: {}", "schema/missing-key"),
        ("providers: {<<: {local: {}}}", "schema/unknown-key"),
        ("providers: {}\n---\n", "yaml/several-documents"),
        ("providers: {", "yaml/syntax"),
    ] {
        expect_reported_once(LLM_FILE, text, code);
    }
}

#[test]
fn unreadable_servers_are_not_reported_as_unknown() {
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
            let (team, other) = finding_codes(MCP_FILE, text);
            assert_eq!(team, Vec::<&str>::new(), "{text}");
            assert_eq!(other, ["schema/value", "schema/value", code], "{text}");
        } else {
            expect_reported_once(MCP_FILE, text, code);
        }
    }
}

#[test]
fn missing_definitions_are_reported_at_the_member() {
    let (team, other) = finding_codes(LLM_FILE, "providers: {}");
    assert_eq!((team, other), (vec!["team/unknown-provider"], vec![]));
    let (team, other) =
        finding_codes(LLM_FILE, "providers: {local: {apiType: mock, baseUrl: t, models: {large: {}}}}");
    assert_eq!((team, other), (vec!["team/unknown-model"], vec![]));
    let (team, other) = finding_codes(
        LLM_FILE,
        "providers: {local: {apiType: codex, baseUrl: 'https://t', models: {small: {}}}}",
    );
    assert_eq!((team, other), (vec!["team/streaming-required"], vec![]));
    let (team, other) = finding_codes(MCP_FILE, "{version: 1, servers: {}}");
    assert_eq!((team, other), (vec!["team/unknown-toolset"], vec![]));
}

//! Acceptance tests of the format: one row for each feature of the files, with the expected codes.

use minds_core::Host;
use minds_diagnostics::Diagnostic;
use minds_vfs::{Snapshot, WorkspacePath};

const DEFAULTS: &str = "member_defaults: {provider: codex, model: gpt-5.2}\n";
const TEAM: &str = ".minds/team.yaml";
const LLM: &str = ".minds/llm.yaml";
const MCP: &str = ".minds/mcp.yaml";

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    files.iter().fold(Snapshot::new(), |snapshot, (path, text)| {
        snapshot.with_file(WorkspacePath::parse(path).expect("the path is valid"), text)
    })
}

fn check(files: &[(&str, &str)]) -> Vec<Diagnostic> {
    minds_workspace::check(&snapshot(files)).diagnostics
}

#[track_caller]
fn expect(says: &str, files: &[(&str, &str)], codes: &[&str]) -> Vec<Diagnostic> {
    let found = check(files);
    let found_codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
    assert_eq!(found_codes, codes, "{says}: {files:?}");
    for found in &found {
        let label = found.primary.as_ref().unwrap_or_else(|| panic!("{says}: no place"));
        // Empty files and directories have no lines.
        assert!(label.span.end() > 0 || label.source.bytes().is_empty(), "{says}: no line");
    }
    found
}

/// Expects the findings in a team with the usual defaults.
#[track_caller]
fn team(says: &str, text: &str, codes: &[&str]) -> Vec<Diagnostic> {
    expect(says, &[(TEAM, &format!("{DEFAULTS}{text}"))], codes)
}

/// Expects the findings in a complete `team.yaml`.
#[track_caller]
fn team_file(says: &str, text: &str, codes: &[&str]) -> Vec<Diagnostic> {
    expect(says, &[(TEAM, text)], codes)
}

#[track_caller]
fn mcp(says: &str, servers: &str, codes: &[&str]) -> Vec<Diagnostic> {
    expect(says, &[(MCP, &format!("version: 1\nservers: {{{servers}}}\n"))], codes)
}

/// Returns the value of a field for each member of a team, as JSON.
fn field_values(text: &str, field: &str) -> Vec<String> {
    let view = minds_workspace::show_team(&snapshot(&[(TEAM, text)])).value;
    let value = |member: &minds_workspace::MemberView| {
        member.fields.get(field).map_or("-".to_owned(), |field| field.value.to_string())
    };
    view.iter().map(|member| format!("{}: {}", member.id, value(member))).collect()
}

#[test]
fn the_shape_of_a_team() {
    team_file(
        "a duplicate key",
        "members: {}\nmembers: {}\n",
        &["team/missing-model", "team/missing-provider", "yaml/duplicate-key"],
    );
    let found = team(
        "one member has two bad fields, and each is named",
        "members: {bob: {name: 123, toolsets: ws_read}, alice: {}}",
        &["schema/type", "schema/type"],
    );
    assert!(found[0].message.contains("`name`") && found[1].message.contains("`toolsets`"));
    team("a member is null", "members:\n  a:\n", &["schema/type"]);
    team("a member has an unknown field", "members: {a: {colour: red}}", &["schema/unknown-key"]);
    let found = team(
        "a model parameter outside of its section",
        "members: {a: {reasoning_effort: high}}",
        &["schema/unknown-key"],
    );
    assert!(
        found[0].help.as_deref().is_some_and(|help| help.contains("model_params")),
        "{:?}",
        found[0].help
    );
    team("members are a list", "members: []", &["schema/type"]);
    team_file("the file is a list", "- a\n", &["schema/type"]);
    team_file("the file is empty", "", &["schema/type"]);
    team("yes is a string", "members: {a: {hidden: yes}}", &["schema/type"]);
    let found = team("a string instead of a list", "members: {a: {read_dirs: x}}", &["schema/type"]);
    assert!(found[0].message.contains("`read_dirs`"));
    let found = team(
        "a finding knows its line and column",
        "members:\n  a:\n    toolsets: ws_read\n",
        &["schema/type"],
    );
    let label = found[0].primary.as_ref().unwrap();
    let start = label.source.range(label.span).start;
    assert_eq!((start.line, start.column, found[0].pointer.as_deref()), (4, 15, Some("/members/a/toolsets")));
}

#[test]
fn members_and_shadow_members() {
    team("the responder is unknown", "default_responder: ghost\nmembers: {a: {}}", &["team/unknown-member"]);
    team("the responder is left out", "members: {a: {hidden: true}, b: {}}", &[]);
    team(
        "three bad ids are three findings",
        "members: {a/b: {}, a?b: {}, 'a|b': {}}",
        &["team/unsafe-id"; 3],
    );
    team("an id escapes its directory", "members: {../x: {}}", &["team/unsafe-id"]);
    team("ids are words of a language", "members: {__proto__: {}, constructor: {}}", &["team/unsafe-id"; 2]);
    team("a quoted number is a valid id", "members: {'123': {}}", &[]);
    expect(
        "minds files of an unknown member",
        &[
            (TEAM, &format!("{DEFAULTS}members: {{ana: {{}}}}")),
            (".minds/team/anna/persona.md", "You write.\n"),
        ],
        &["minds/unknown-member"],
    );
}

#[test]
fn providers_and_models() {
    team_file(
        "there is neither provider nor model",
        "members: {a: {}}",
        &["team/missing-model", "team/missing-provider"],
    );
    team("a provider is unknown", "members: {a: {provider: nope}}", &["team/unknown-provider"]);
    team("a model is unknown", "members: {a: {model: nope}}", &["team/unknown-model"]);
    team("a toolset is unknown", "members: {a: {toolsets: [nope]}}", &["team/unknown-toolset"]);
    team_file(
        "a bad default takes nothing else with it",
        "member_defaults: {provider: 5, model: gpt-5.2, no_write_dirs: [src]}\nmembers: {a: {}}",
        &["schema/type"],
    );
    let text = "member_defaults: {provider: 5, model: gpt-5.2, no_write_dirs: [src]}\nmembers: {a: {}}";
    assert_eq!(field_values(text, "no_write_dirs")[0], "a: [\"src\"]");
    let found = team("a bad list denies", "members: {a: {no_write_dirs: ['']}}", &["access/invalid-pattern"]);
    assert!(found[0].notes.iter().any(|note| note.contains("denies")), "{:?}", found[0].notes);
}

#[test]
fn toolsets_and_shells() {
    team(
        "a shell without specialists",
        "members: {a: {toolsets: [os]}}",
        &["team/shell-specialist-forbidden-member", "team/toolset-without-tools"],
    );
    team(
        "a hidden member has a shell",
        "members: {a: {toolsets: [os], hidden: true}}",
        &["team/toolset-without-tools"],
    );
    team(
        "a specialist is unknown",
        "shell_specialists: [cmdr, ghost]\nmembers: {cmdr: {toolsets: [os]}}",
        &["team/unknown-member", "team/toolset-without-tools"],
    );
    team(
        "a specialist has no shell",
        "shell_specialists: [cmdr]\nmembers: {cmdr: {}}",
        &["team/shell-specialist-missing-shell-tools"],
    );
    team(
        "a shell beside the specialists",
        "shell_specialists: [cmdr]\nmembers: {cmdr: {toolsets: [os]}, a: {tools: [shell_cmd]}}",
        &["team/toolset-without-tools", "team/shell-specialist-non-specialist"],
    );
    team(
        "pangu does not manage the team",
        "members: {pangu: {toolsets: [team-mgmt]}}",
        &["team/shadow-member"],
    );
    let text = "members: {pangu: {toolsets: [team-mgmt]}, fuxi: {toolsets: ['!team-mgmt', memory]}}";
    assert_eq!(
        field_values(text, "toolsets"),
        ["pangu: [\"*\",\"!team-mgmt\"]", "fuxi: [\"team-mgmt\",\"memory\"]"]
    );
    team(
        "a tool of an excluded toolset",
        "members: {pangu: {tools: [team_mgmt_rm_dir]}}",
        &["team/excluded-tool"],
    );
    let text = "member_defaults: {toolsets: [ws_read]}\nmembers: {a: {}, b: {toolsets: []}}";
    assert_eq!(field_values(text, "toolsets")[..2], ["a: [\"ws_read\"]", "b: []"]);
}

#[test]
fn access_lists() {
    team("an entry is empty", "members: {a: {read_dirs: ['']}}", &["access/invalid-pattern"]);
    team(
        "an entry is the configuration itself",
        "members: {a: {write_dirs: [.minds/**]}}",
        &["access/reserved-scope"],
    );
    team("an entry is a task package", "members: {a: {read_dirs: ['x.TSK']}}", &["access/reserved-scope"]);
    team(
        "nothing keeps a member from writing configuration",
        "members: {a: {toolsets: [ws_mod]}}",
        &["access/writable-configuration"],
    );
    for guard in ["no_write_dirs: ['*']", "no_write_dirs: ['**']", "write_dirs: [src]", "no_write_dirs: 5"] {
        let found = check(&[(TEAM, &format!("{DEFAULTS}members: {{a: {{toolsets: [ws_mod], {guard}}}}}"))]);
        assert!(found.iter().all(|found| found.rule.code != "access/writable-configuration"), "{guard}");
    }
    team_file(
        "a member drops what kept it out",
        "member_defaults: {provider: codex, model: gpt-5.2, no_write_dirs: ['*.*']}\n\
         members: {a: {toolsets: [ws_mod], no_write_dirs: []}}",
        &["access/writable-configuration", "access/dropped-deny-list"],
    );
}

#[test]
fn files_of_providers() {
    let fields = "apiType: openai, baseUrl: 'https://b', apiKeyEnvVar: KEY";
    let with = |llm: &str, team: &str, says: &str, codes: &[&str]| {
        expect(says, &[(LLM, llm), (TEAM, &format!("{DEFAULTS}{team}"))], codes)
    };
    let own = format!("providers: {{own: {{{fields}, models: {{m: {{}}}}}}}}");
    with(&own, "members: {a: {provider: own, model: m}, b: {}}", "a provider is added", &[]);
    let replaced = format!("providers: {{codex: {{{fields}, models: {{m: {{}}}}}}}}");
    with(&replaced, "members: {a: {model: m}}", "a provider is replaced whole", &["team/unknown-model"]);
    with(
        "providers: {codex: {apiType: codex, baseUrl: 'https://b'}}",
        "members: {a: {}}",
        "a replaced provider has no models",
        &["schema/missing-key"],
    );
    with("providers: [", "members: {a: {}}", "the syntax is broken", &["yaml/syntax"]);
    with("providers: [a]", "members: {a: {}}", "providers are a list", &["schema/type"]);
    with("providers: {own: null}", "members: {a: {}}", "a provider is null", &["schema/type"]);
    with(
        &own.replace("openai", "open-ai"),
        "members: {a: {provider: own, model: m}}",
        "the protocol is unknown",
        &["schema/value"],
    );
}

#[test]
fn files_of_servers() {
    expect("the version is missing", &[(MCP, "servers: {}\n")], &["schema/missing-key"]);
    expect("the version is another", &[(MCP, "version: 2\n")], &["schema/value"]);
    expect("there are no servers", &[(MCP, "version: 1\n")], &[]);
    mcp(
        "one invalid server does not affect other servers",
        "a: {transport: stdio}, b: {transport: stdio, command: b}",
        &["schema/missing-key"],
    );
    let found = mcp("a transport is unknown", "a: {transport: sse, url: 'http://x'}", &["schema/value"]);
    assert!(found[0].message.contains("`stdio`") && found[0].message.contains("`streamable_http`"));
    mcp("a command is a list", "a: {transport: stdio, command: [a, b]}", &["schema/type"]);
    mcp("an id is a built-in toolset", "ws_mod: {transport: stdio, command: a}", &["mcp/toolset-collision"]);
    mcp("an empty session is none", "a: {transport: streamable_http, url: 'http://x', sessionId: ''}", &[]);
    let found = mcp(
        "a key with the correct English spelling",
        "a: {transport: stdio, command: a, truly-stateless: true}",
        &["schema/unknown-key"],
    );
    assert!(found[0].help.as_deref().is_some_and(|help| help.contains("truely-stateless")));
    mcp(
        "a step has both a prefix and a suffix",
        "a: {transport: stdio, command: a, transform: [{prefix: x, suffix: y}]}",
        &["schema/conflicting-keys"],
    );
    mcp(
        "a name is too long in the end",
        "a: {transport: stdio, command: a, tools: {whitelist: [open]}, transform: \
         [{prefix: a_prefix_that_is_far_too_long_for_any_model_to_take_it_as_a_name_}]}",
        &["mcp/invalid-tool-name"],
    );
    for (transform, collides) in [
        ("[{prefix: read_}, {suffix: _x}]", false),
        ("[{prefix: {remove: stock_, add: read_}}]", true),
        ("[{prefix: {remove: other_, add: read_}}]", false),
    ] {
        let name = "stock_file";
        let codes: &[&str] = if collides { &["mcp/tool-name-collision"] } else { &[] };
        mcp(
            "names change step by step",
            &format!(
                "a: {{transport: stdio, command: a, tools: {{whitelist: [{name}]}}, transform: {transform}}}"
            ),
            codes,
        );
    }
    mcp("a key of a setting is a number", "a: {transport: stdio, command: a, env: {A: 1}}", &["schema/type"]);
}

#[test]
fn variables_of_this_machine() {
    let servers = "version: 1\nservers: {a: {transport: stdio, command: a, env: {K: {env: X}}}}\n";
    let snapshot = snapshot(&[(MCP, servers)]);
    let codes = |host: Option<&Host>| -> Vec<String> {
        let found = minds_workspace::check_on(host, &snapshot).diagnostics;
        found.iter().map(|found| format!("{}: {}", found.rule.code, found.message)).collect()
    };
    assert!(codes(None).is_empty());
    assert_eq!(codes(Some(&Host::default())), ["mcp/unset-variable: the variable `X` is not set here"]);
    assert!(codes(Some(&Host::new([("X".to_owned(), false)]))).is_empty());
    assert!(codes(Some(&Host::new([("X".to_owned(), true)]))).is_empty(), "an empty variable is set");
}

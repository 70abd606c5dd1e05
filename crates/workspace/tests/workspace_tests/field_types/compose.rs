//! `team-compose.yaml`, project files and runtime descriptors.

use minds_vfs::{Snapshot, WorkspacePath};

use super::{VALUES, is_at_last};

/// The types that are read as strings.
const TEXT: &[&str] = &["null", "boolean", "integer", "float", "string"];
/// The same, where null means the same as nothing.
const MAYBE_TEXT: &[&str] = TEXT;
const MAYBE_LIST: &[&str] = &["null", "list"];
const MAYBE_BLOCK: &[&str] = &["null", "mapping"];
/// Where nothing may be written, and null must not be.
const LIST: &[&str] = &["list"];
const BLOCK: &[&str] = &["mapping"];
const COUNT: &[&str] = &["integer"];
const MAYBE_COUNT: &[&str] = &["null", "integer"];
const MAYBE_NUMBER: &[&str] = &["null", "integer", "float"];
/// A word of a table: every scalar is read, and none of them is the word.
const WORD: &[&str] = TEXT;

const COMPOSE: &str = ".team/team-compose.yaml";
const PROJECT: &str = ".team/projects/p.yaml";
const RUNTIME: &str = ".team/runtimes/aider.yaml";

/// Fields below a line of text that opens their mapping, and the types that they take.
type Group = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const IN_COMPOSE: &[Group] = &[
    (
        "version: 2\n",
        &[
            ("broker", BLOCK),
            ("supervisor", BLOCK),
            ("budget", BLOCK),
            ("hitl", BLOCK),
            ("rate_limits", BLOCK),
            ("interfaces", LIST),
            ("projects", LIST),
            ("attachments", BLOCK),
        ],
    ),
    ("version: 2\nbroker:\n  ", &[("type", WORD), ("path", TEXT)]),
    ("version: 2\nsupervisor:\n  ", &[("type", WORD), ("tmux_prefix", TEXT), ("drain_timeout_secs", COUNT)]),
    (
        "version: 2\nbudget:\n  ",
        &[
            ("daily_usd_limit", MAYBE_NUMBER),
            ("warn_threshold_pct", MAYBE_COUNT),
            ("message_ttl_hours", MAYBE_COUNT),
            ("per_project_usd_limit", BLOCK),
        ],
    ),
    ("version: 2\nhitl:\n  ", &[("globally_sensitive_actions", LIST), ("auto_approve_windows", LIST)]),
    (
        "version: 2\nrate_limits:\n  ",
        &[("default_on_hit", LIST), ("hooks", LIST), ("fallback_wait_seconds", COUNT)],
    ),
    (
        "version: 2\nattachments:\n  ",
        &[
            ("enabled", &["boolean"]),
            ("max_size_bytes", COUNT),
            ("allowed_roots", LIST),
            ("scanner", MAYBE_BLOCK),
            ("audit_log_path", MAYBE_TEXT),
            ("tempfile_ttl_seconds", COUNT),
        ],
    ),
];

const IN_PROJECT: &[Group] = &[
    (
        "version: 2\nproject: {id: p, name: P, cwd: .}\n",
        &[("channels", LIST), ("managers", BLOCK), ("workers", BLOCK)],
    ),
    (
        "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers:\n  a:\n    ",
        &[
            ("runtime", TEXT),
            ("model", MAYBE_TEXT),
            ("role_prompt", &["null", "string", "list"]),
            ("permission_mode", MAYBE_TEXT),
            ("autonomy", TEXT),
            ("can_dm", LIST),
            ("can_broadcast", LIST),
            ("reports_to", MAYBE_TEXT),
            ("on_rate_limit", MAYBE_LIST),
            ("effort", WORD),
            ("interfaces", MAYBE_BLOCK),
            ("display_name", MAYBE_TEXT),
        ],
    ),
    (
        "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers:\n  a:\n    interfaces:\n      ",
        &[("telegram", MAYBE_BLOCK)],
    ),
];

const IN_RUNTIME: &[Group] = &[(
    "binary: aider\n",
    &[
        ("supports_mcp", &["boolean"]),
        ("session_resume", MAYBE_TEXT),
        ("default_model", MAYBE_TEXT),
        ("env", BLOCK),
        ("rate_limit_patterns", LIST),
    ],
)];

/// Returns a compose root in which one file has this text.
fn with(path: &str, text: &str) -> Snapshot {
    let file = |path: &str| WorkspacePath::parse(path).unwrap();
    let compose = "version: 2\nprojects: [{file: projects/p.yaml}]\n";
    let project = "version: 2\nproject: {id: p, name: P, cwd: .}\n";
    let tree = Snapshot::new().with_file(file(COMPOSE), compose).with_file(file(PROJECT), project);
    tree.with_file(file(path), text)
}

#[track_caller]
fn expect(path: &str, groups: &[Group]) {
    for ((above, fields), (kind, value)) in groups.iter().flat_map(|group| VALUES.map(|value| (group, value)))
    {
        for (field, takes) in *fields {
            let text = format!("{above}{field}: {value}");
            let found = minds_workspace::check(&with(path, &text)).diagnostics;
            let wrong: Vec<_> = found.iter().filter(|found| found.rule.code == "schema/type").collect();
            let is_about_all = |found: &&minds_diagnostics::Diagnostic| is_at_last(found, &text, value);
            if takes.contains(&kind) {
                assert!(!wrong.iter().any(is_about_all), "{text}\n{found:?}");
            } else {
                assert!(wrong.len() == 1 && is_about_all(&wrong[0]), "{text}\n{found:?}");
            }
        }
    }
}

#[test]
fn all_fields_are_checked() {
    expect(COMPOSE, IN_COMPOSE);
    expect(PROJECT, IN_PROJECT);
    expect(RUNTIME, IN_RUNTIME);
}

#[test]
fn unknown_keys_are_reported_and_reserved_keys_are_not_read() {
    for (path, groups) in [(COMPOSE, IN_COMPOSE), (PROJECT, IN_PROJECT), (RUNTIME, IN_RUNTIME)] {
        for (above, _) in groups {
            for (kind, value) in VALUES {
                for (key, expected) in [("tipe", Some("schema/unknown-key")), ("x-tipe", None)] {
                    let text = format!("{above}{key}: {value}");
                    let found = minds_workspace::check(&with(path, &text)).diagnostics;
                    let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
                    assert_eq!(codes, expected.into_iter().collect::<Vec<_>>(), "{kind}: {text}");
                }
            }
        }
    }
}

#[test]
fn strings_are_read_as_written() {
    for spelled in ["5", "1.50", "0x10", "true", "~", "null", "1_000"] {
        let project = format!(
            "version: 2\nproject: {{id: p, name: P, cwd: {spelled}}}\nmanagers: {{a: {{runtime: {spelled}}}}}\n"
        );
        let family = minds_compose::ComposeFamily::load(&with(PROJECT, &project)).value;
        let agent = family.agents()[0];
        assert_eq!(agent.fields().unwrap().runtime(), spelled);
        assert_eq!(&*agent.project.head.as_given().unwrap().value.cwd.as_given().unwrap().value, spelled);
    }
}

/// Returns the codes of the findings in a compose root in which one file has this text.
fn codes(path: &str, text: &str) -> Vec<&'static str> {
    minds_workspace::check(&with(path, text)).diagnostics.iter().map(|found| found.rule.code).collect()
}

#[test]
fn null_is_equivalent_to_a_missing_optional_field() {
    let project = "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers: {a: {model: ~, effort: null, can_dm: , display_name: ~}, b: }\nworkers:\nchannels:\n";
    let parsed = minds_compose::ComposeFamily::load(&with(PROJECT, project));
    assert!(parsed.problems.is_empty());
    let agents = parsed.value.agents();
    assert_eq!(agents.len(), 2);
    assert!(agents[0].fields().unwrap().model.is_absent() && agents[0].fields().unwrap().can_dm.is_absent());
}

#[test]
fn an_explicit_null_is_neither_a_block_nor_a_list() {
    for (path, groups) in [(COMPOSE, IN_COMPOSE), (PROJECT, IN_PROJECT), (RUNTIME, IN_RUNTIME)] {
        for (above, fields) in groups {
            for (field, _) in fields.iter().filter(|(_, takes)| [LIST, BLOCK].contains(takes)) {
                assert_eq!(codes(path, &format!("{above}{field}:\n")), [""; 0], "{above}{field}");
                for null in ["null", "~", "Null", "NULL"] {
                    let text = format!("{above}{field}: {null}");
                    assert_eq!(codes(path, &text), ["schema/type"], "{text}");
                }
            }
        }
    }
    let managers = "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers:\n  a:";
    assert_eq!(codes(PROJECT, managers), [""; 0]);
    assert_eq!(codes(PROJECT, &format!("{managers} ~\n")), ["schema/type"]);
}

#[test]
fn numbers_are_read_alike_by_all_parsers() {
    let limits = "version: 2\nbudget:\n  ";
    for (field, value, expected) in [
        ("warn_threshold_pct", "0", None),
        ("warn_threshold_pct", "+80", None),
        ("warn_threshold_pct", "0x10", None),
        ("warn_threshold_pct", "4294967295", None),
        ("warn_threshold_pct", "4294967296", Some("schema/value")),
        ("warn_threshold_pct", "-0", Some("schema/value")),
        ("warn_threshold_pct", "00", Some("schema/value")),
        ("warn_threshold_pct", "080", Some("schema/value")),
        ("warn_threshold_pct", "+080", Some("schema/value")),
        ("warn_threshold_pct", "-1", Some("schema/value")),
        ("message_ttl_hours", "4294967296", Some("schema/value")),
        ("daily_usd_limit", "5", None),
        ("daily_usd_limit", "-0.5e1", None),
        ("daily_usd_limit", ".inf", None),
        ("daily_usd_limit", "-.Inf", None),
        ("daily_usd_limit", ".nan", None),
        ("daily_usd_limit", "1e400", Some("schema/value")),
        ("daily_usd_limit", "-1e400", Some("schema/value")),
        ("daily_usd_limit", "0x10", Some("schema/value")),
        ("daily_usd_limit", "0o17", Some("schema/value")),
        ("per_project_usd_limit", "{x-p: 1}", None),
        ("per_project_usd_limit", "{x-p: one}", Some("schema/type")),
    ] {
        let found = codes(COMPOSE, &format!("{limits}{field}: {value}\n"));
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{field}: {value}");
    }
    for version in ["02", "-0", "4294967296"] {
        assert_eq!(codes(COMPOSE, &format!("version: {version}\n")), ["schema/value"], "{version}");
    }
}

#[test]
fn numbers_are_not_valid_as_paths_or_ids() {
    let agent = "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers: {a: {role_prompt: ";
    let channel = "version: 2\nproject: {id: p, name: P, cwd: .}\nchannels: [{name: c, members: ";
    for number in ["0b11", "-0x1F", "+0o17", "-0b1"] {
        for text in [
            format!("{agent}{number}}}}}"),
            format!("{agent}[{number}]}}}}"),
            format!("{channel}[{number}]}}]"),
        ] {
            assert!(codes(PROJECT, &text).contains(&"schema/value"), "{text}");
        }
        assert!(!codes(PROJECT, &format!("{agent}'{number}'}}}}")).contains(&"schema/value"), "{number}");
    }
    for word in ["0b", "0b12", "0xG", "-0x", "1_000"] {
        assert!(!codes(PROJECT, &format!("{agent}{word}}}}}")).contains(&"schema/value"), "{word}");
    }
}

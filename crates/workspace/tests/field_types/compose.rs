//! `team-compose.yaml`, project files and descriptors of runtimes.

use minds_document::Snapshot;
use minds_paths::WorkspacePath;

use super::{VALUES, is_at_last};

/// The types that are a text by their spelling.
const TEXT: &[&str] = &["null", "boolean", "integer", "float", "string"];
/// The same, where null means the same as nothing.
const MAYBE_TEXT: &[&str] = TEXT;
const MAYBE_LIST: &[&str] = &["null", "list"];
const MAYBE_BLOCK: &[&str] = &["null", "mapping"];
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
            ("broker", MAYBE_BLOCK),
            ("supervisor", MAYBE_BLOCK),
            ("budget", MAYBE_BLOCK),
            ("hitl", MAYBE_BLOCK),
            ("rate_limits", MAYBE_BLOCK),
            ("interfaces", MAYBE_LIST),
            ("projects", MAYBE_LIST),
            ("attachments", MAYBE_BLOCK),
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
            ("per_project_usd_limit", MAYBE_BLOCK),
        ],
    ),
    (
        "version: 2\nhitl:\n  ",
        &[("globally_sensitive_actions", MAYBE_LIST), ("auto_approve_windows", MAYBE_LIST)],
    ),
    (
        "version: 2\nrate_limits:\n  ",
        &[("default_on_hit", MAYBE_LIST), ("hooks", MAYBE_LIST), ("fallback_wait_seconds", COUNT)],
    ),
    (
        "version: 2\nattachments:\n  ",
        &[
            ("enabled", &["boolean"]),
            ("max_size_bytes", COUNT),
            ("allowed_roots", MAYBE_LIST),
            ("scanner", MAYBE_BLOCK),
            ("audit_log_path", MAYBE_TEXT),
            ("tempfile_ttl_seconds", COUNT),
        ],
    ),
];

const IN_PROJECT: &[Group] = &[
    (
        "version: 2\nproject: {id: p, name: P, cwd: .}\n",
        &[("channels", MAYBE_LIST), ("managers", MAYBE_BLOCK), ("workers", MAYBE_BLOCK)],
    ),
    (
        "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers:\n  a:\n    ",
        &[
            ("runtime", TEXT),
            ("model", MAYBE_TEXT),
            ("role_prompt", &["null", "string", "list"]),
            ("permission_mode", MAYBE_TEXT),
            ("autonomy", TEXT),
            ("can_dm", MAYBE_LIST),
            ("can_broadcast", MAYBE_LIST),
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
        ("env", MAYBE_BLOCK),
        ("rate_limit_patterns", MAYBE_LIST),
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
fn every_field() {
    expect(COMPOSE, IN_COMPOSE);
    expect(PROJECT, IN_PROJECT);
    expect(RUNTIME, IN_RUNTIME);
}

#[test]
fn unknown_keys_are_reported_and_those_of_the_user_are_not_read() {
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
fn a_text_is_what_is_spelled() {
    for spelled in ["5", "1.50", "0x10", "true", "~", "null", "1_000"] {
        let project = format!(
            "version: 2\nproject: {{id: p, name: P, cwd: {spelled}}}\nmanagers: {{a: {{runtime: {spelled}}}}}\n"
        );
        let family = minds_compose::ComposeFamily::load(&with(PROJECT, &project)).value;
        let agent = family.agents()[0];
        assert_eq!(agent.fields().unwrap().runtime(), spelled);
        assert_eq!(&*agent.project.head.given().unwrap().value.cwd.given().unwrap().value, spelled);
    }
}

#[test]
fn null_means_nothing_where_a_field_may_be_missing() {
    let project = "version: 2\nproject: {id: p, name: P, cwd: .}\nmanagers: {a: {model: ~, effort: null, can_dm: , display_name: ~}, b: }\nworkers:\nchannels: ~\n";
    let parsed = minds_compose::ComposeFamily::load(&with(PROJECT, project));
    assert!(parsed.problems.is_empty());
    let agents = parsed.value.agents();
    assert_eq!(agents.len(), 2);
    assert!(agents[0].fields().unwrap().model.is_absent() && agents[0].fields().unwrap().can_dm.is_absent());
}

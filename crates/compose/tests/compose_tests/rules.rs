//! What each rule reports, where, and what it does not report.

use minds_compose::{ComposeFamily, check};
use minds_diagnostics::{Diagnostic, Problems, Severity};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

const COMPOSE: &str = "version: 2\nprojects: [{file: a.yaml}]\n";
const HEAD: &str = "version: 2\nproject: {id: a, name: A, cwd: .}\n";

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path).unwrap()
}

fn snapshot(compose: &str, project: &str) -> Snapshot {
    Snapshot::new().with_file(path("team-compose.yaml"), compose).with_file(path("a.yaml"), project)
}

/// Returns all findings.
fn find_all(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut problems = Problems::new();
    let family = ComposeFamily::load(snapshot).take(&mut problems);
    problems.append(check(&family));
    problems.into_sorted()
}

/// Returns the codes and pointers of the findings of this crate's rules.
fn rules(found: &[Diagnostic]) -> Vec<(&'static str, &str)> {
    let ours = found.iter().filter_map(|found| {
        let code = found.rule.code.strip_prefix("compose/")?;
        Some((code, found.pointer.as_deref().unwrap_or_default()))
    });
    ours.collect()
}

#[track_caller]
fn check_both(compose: &str, project: &str, expected: &[(&str, &str)]) -> Vec<Diagnostic> {
    let found = find_all(&snapshot(compose, project));
    assert_eq!(rules(&found), expected, "{compose}{project}{found:#?}");
    found
}

#[track_caller]
fn check_project(project: &str, expected: &[(&str, &str)]) -> Vec<Diagnostic> {
    check_both(COMPOSE, &format!("{HEAD}{project}"), expected)
}

/// Returns the text that a finding points to.
fn text(found: &Diagnostic) -> &[u8] {
    let label = found.primary.as_ref().unwrap();
    &label.source.bytes()[label.span.range()]
}

#[test]
fn channel_names_are_unique_and_not_blank() {
    let blank = "channels: [{name: '', members: '*'}, {name: \"\\t \", members: '*'}]\n";
    check_project(
        blank,
        &[("ambiguous-channel", "/channels/0/name"), ("ambiguous-channel", "/channels/1/name")],
    );
    let twice = "channels: [{name: x, members: '*'}, {name: X, members: '*'}, {name: x, members: '*'}]\n";
    check_project(twice, &[("ambiguous-channel", "/channels/2/name")]);
}

#[test]
fn role_prompts_name_at_least_one_file() {
    let agents =
        "managers:\n  a: {role_prompt: []}\n  b: {role_prompt: ' '}\n  c: {role_prompt: ['', '\t']}\n";
    check_project(
        agents,
        &[
            ("blank-role-prompt", "/managers/a/role_prompt"),
            ("blank-role-prompt", "/managers/b/role_prompt"),
            ("blank-role-prompt", "/managers/c/role_prompt/0"),
            ("blank-role-prompt", "/managers/c/role_prompt/1"),
        ],
    );
    // The unreadable part of the list may be a file.
    check_project("managers: {a: {role_prompt: [[x]]}}\n", &[]);
}

#[test]
fn control_characters_are_reported_in_rendered_values() {
    let project = "version: 2\nproject: {id: a, name: \"A\\n\", cwd: \"x\\ty\"}\nmanagers: {a: {runtime: \"r\\0\", model: \
                   \"\\r\", permission_mode: \"\\x1f\", autonomy: \"\\x7f\", display_name: \"x\\x85\"}}\n";
    let compose = "version: 2\nbroker: {path: \"a\\n\"}\nsupervisor: {tmux_prefix: \"a\\n\"}\nprojects: [{file: a.yaml}]\n";
    let found = find_all(&snapshot(compose, project));
    let found: Vec<(&str, &str)> =
        rules(&found).into_iter().filter(|(code, _)| *code == "control-character").collect();
    let mut pointers: Vec<&str> = found.into_iter().map(|(_, pointer)| pointer).collect();
    pointers.sort_unstable();
    assert_eq!(
        pointers,
        [
            "/broker/path",
            "/managers/a/autonomy",
            "/managers/a/display_name",
            "/managers/a/model",
            "/managers/a/permission_mode",
            "/managers/a/runtime",
            "/project/cwd",
            "/project/name",
            "/supervisor/tmux_prefix",
        ]
    );
}

/// The program that starts the agents reads all of these files with the same parser.
#[test]
fn yaml_1_2_only_syntax_is_reported_in_every_file() {
    let odd = "\t# a\n";
    let runtime = format!("binary: x\n{odd}");
    let files = snapshot(&format!("{COMPOSE}{odd}"), &format!("{HEAD}{odd}"))
        .with_file(path("runtimes/r.yaml"), runtime.as_str());
    let found = find_all(&files);
    let names: Vec<&str> = found.iter().map(|found| found.primary.as_ref().unwrap().source.name()).collect();
    assert_eq!(names, ["a.yaml", "runtimes/r.yaml", "team-compose.yaml"]);
    assert!(found.iter().all(|found| found.rule.code == "compose/incompatible-yaml"));

    for (text, expected) in [
        ("managers: {a: &b_1-c {model: m}}\n", ""),
        ("managers: {a: {model: m}} # &é\n", ""),
        ("managers: {a: {model: '&é'}}\n", ""),
        ("managers: {a: {model: 'a\u{2028}b'}}\n", "\u{2028}"),
        ("managers: {a: &é {model: m}}\n", "&é"),
        ("managers: {lead:}\n", ":"),
        ("managers: {lead: }\n", ""),
        ("managers:\n  a: {model: m}\n\t# x\n", "\t"),
        ("managers:\n  a: {model: 'x\n\n\t\n    y'}\n", ""),
    ] {
        let found = find_all(&snapshot(COMPOSE, &format!("{HEAD}{text}")));
        let found: Vec<&Diagnostic> =
            found.iter().filter(|found| found.rule.code == "compose/incompatible-yaml").collect();
        match expected {
            "" => assert!(found.is_empty(), "{text}: {found:#?}"),
            expected => {
                assert_eq!(found.len(), 1, "{text}: {found:#?}");
                assert_eq!(self::text(found[0]), expected.as_bytes(), "{text}");
            }
        }
    }
    for (first, is_known) in [
        ("%YAML 1.1\n---\n", true),
        ("%YAML 1.2\n---\n", true),
        ("%TAG ! tag:x,1:\n---\n", true),
        ("%X 1\n---\n", false),
    ] {
        let found = find_all(&snapshot(COMPOSE, &format!("{first}{HEAD}")));
        assert_eq!(rules(&found).is_empty(), is_known, "{first}: {found:#?}");
    }
}

#[test]
fn display_names_are_limited_in_characters() {
    let named = |name: &str| format!("managers: {{a: {{display_name: '{name}'}}}}\n");
    let finding = [("invalid-display-name", "/managers/a/display_name")];
    check_project(&named(&"é".repeat(64)), &[]);
    check_project(&named(&"é".repeat(65)), &finding);
    check_project(&named("  "), &finding);
}

/// Nothing is reported as missing that may be in an unreadable part.
#[test]
fn unreadable_parts_do_not_cause_unknown_references() {
    let named = "{can_dm: [x], reports_to: x, can_broadcast: [c], on_rate_limit: [h]}";
    let all = [
        ("unknown-agent", "/managers/a/can_dm/0"),
        ("unknown-channel", "/managers/a/can_broadcast/0"),
        ("unknown-hook", "/managers/a/on_rate_limit/0"),
        ("unknown-manager", "/managers/a/reports_to"),
    ];
    let sorted = |found: &[Diagnostic]| {
        let found: Vec<(String, String)> =
            rules(found).into_iter().map(|(code, at)| (code.to_owned(), at.to_owned())).collect();
        let mut found = found;
        found.sort();
        found
    };
    let without = |codes: &[&str]| -> Vec<(String, String)> {
        let left = all.iter().filter(|(code, _)| !codes.contains(code));
        left.map(|(code, at)| ((*code).to_owned(), (*at).to_owned())).collect()
    };
    for (compose, project, silent) in [
        ("", "", &[][..]),
        ("", "workers: 1\n", &["unknown-agent", "unknown-manager"]),
        ("", "channels: 1\n", &["unknown-channel"]),
        ("", "channels: [1]\n", &["unknown-channel"]),
        ("", "channels: [{name: [], members: '*'}]\n", &["unknown-channel"]),
        ("", "? [x]\n: 1\n", &["unknown-agent", "unknown-manager", "unknown-channel"]),
        ("rate_limits: 1\n", "", &["unknown-hook"]),
        ("rate_limits: {hooks: 1}\n", "", &["unknown-hook"]),
        ("rate_limits: {hooks: [1]}\n", "", &["unknown-hook"]),
        ("rate_limits: {hooks: [{name: [], action: wait}]}\n", "", &["unknown-hook"]),
        ("? [x]\n: 1\n", "", &["unknown-hook"]),
        ("rate_limits: {}\n", "", &[]),
    ] {
        let compose = format!("{COMPOSE}{compose}");
        let project = format!("{HEAD}managers:\n  a: {named}\n{project}");
        let found = find_all(&snapshot(&compose, &project));
        assert_eq!(sorted(&found), without(silent), "{compose}{project}{found:#?}");
    }
    // A list with an unreadable entry is not empty, so it is not reported as unrestricted.
    check_project("managers: {a: {can_dm: []}}\n", &[("unrestricted", "/managers/a/can_dm")]);
    check_project("managers: {a: {can_broadcast: []}}\n", &[("unrestricted", "/managers/a/can_broadcast")]);
    check_project("managers: {a: {can_dm: [[x]], can_broadcast: [[x]]}}\n", &[]);
    // The built-in hook exists without being listed.
    check_project("managers: {a: {on_rate_limit: [wait]}}\n", &[]);
}

#[test]
fn reporting_cycles_consist_of_managers() {
    let chain = |ids: &[&str]| -> String {
        let agents = ids.iter().zip(ids.iter().cycle().skip(1));
        let agents: String = agents.map(|(id, above)| format!("  {id}: {{reports_to: {above}}}\n")).collect();
        format!("managers:\n{agents}")
    };
    let message = |found: Vec<Diagnostic>| found[0].message.clone();
    let one = [("reporting-cycle", "/managers/a/reports_to")];
    assert_eq!(message(check_project(&chain(&["a"]), &one)), "`a` reports to itself");
    assert_eq!(
        message(check_project(&chain(&["a", "b"]), &one)),
        "managers report in a cycle: `a` → `b` → `a`"
    );
    assert_eq!(
        message(check_project(&chain(&["a", "b", "c", "d", "e", "f"]), &one)),
        "managers report in a cycle: `a` → `b` → `c` → `d` → `e` → `f` → `a`"
    );
    assert_eq!(
        message(check_project(&chain(&["a", "b", "c", "d", "e", "f", "g"]), &one)),
        "managers report in a cycle: `a` → `b` → `c` → `d` → `e` → `f` → … → `a`"
    );
    // A manager that reports into a cycle is not part of it.
    let into = "managers:\n  a: {reports_to: b}\n  b: {reports_to: c}\n  c: {reports_to: b}\n";
    let found = check_project(into, &[("reporting-cycle", "/managers/b/reports_to")]);
    assert_eq!(message(found), "managers report in a cycle: `b` → `c` → `b`");
    // A worker cannot be reported to, so this is not a cycle.
    check_project("workers: {a: {reports_to: a}}\n", &[("unknown-manager", "/workers/a/reports_to")]);
}

#[test]
fn the_label_covers_all_invalid_utf8_bytes() {
    for (bytes, span) in [(&b"a\xff"[..], 1..2), (b"a\xe2\x82x", 1..3), (b"ab\xe2\x82", 2..3)] {
        let files = snapshot(COMPOSE, &format!("{HEAD}managers: {{a: {{role_prompt: r.md}}}}\n"))
            .with_file(path("r.md"), bytes);
        let found = find_all(&files);
        assert_eq!(rules(&found), [("role-prompt-not-utf8", "")]);
        assert_eq!(found[0].primary.as_ref().unwrap().span.range(), span);
    }
}

#[test]
fn runtimes_are_built_in_or_described() {
    let agent = |runtime: &str| format!("{HEAD}managers: {{a: {{runtime: {runtime}}}}}\n");
    let help = |runtime: &str| {
        let files = snapshot(COMPOSE, &agent(runtime)).with_file(path("runtimes/mine.yaml"), "binary: x\n");
        let found = find_all(&files);
        assert!(rules(&found).len() < 2, "{found:#?}");
        found.into_iter().next().and_then(|found| found.help).unwrap_or_default()
    };
    assert_eq!(help("codex"), "");
    assert_eq!(help("mine"), "");
    assert_eq!(help("mien"), "did you mean `mine`?");
    assert_eq!(help("codx"), "did you mean `codex`?");
    assert_eq!(help("zzzzzz"), "describe it in `runtimes/zzzzzz.yaml`, or use another runtime");
    // The unreadable directory may contain more runtimes.
    let mut unreadable = snapshot(COMPOSE, &agent("mine"));
    let folder = Location::new(MountId::WORKSPACE, path("runtimes"));
    unreadable.insert(folder, SnapshotEntry::Unreadable { reason: "permission denied".to_owned() });
    assert_eq!(rules(&find_all(&unreadable)), []);
}

#[test]
fn every_file_must_have_the_supported_version() {
    for (version, expected) in [("2", 0), ("1", 1), ("3", 1), ("0", 1)] {
        let compose = COMPOSE.replace("version: 2", &format!("version: {version}"));
        let project = HEAD.replace("version: 2", &format!("version: {version}"));
        let finding = [("unsupported-version", "/version")];
        check_both(&compose, HEAD, &finding[..expected]);
        check_both(COMPOSE, &project, &finding[..expected]);
    }
}

#[test]
fn ids_must_be_safe_in_file_names() {
    let project =
        |id: &str| format!("version: 2\nproject: {{id: '{id}', name: A, cwd: .}}\nmanagers: {{b: {{}}}}\n");
    for (id, why) in [
        ("a.B_c-9", ""),
        ("", "it is empty"),
        ("..", "it names a directory"),
        ("-a", "it begins with `-`"),
        ("a b", "it contains the character ` `"),
        ("é", "it contains the character `é`"),
    ] {
        let expected: &[(&str, &str)] = if why.is_empty() { &[] } else { &[("unsafe-id", "/project/id")] };
        let found = check_both(COMPOSE, &project(id), expected);
        for found in found {
            assert_eq!(found.message, format!("unsafe project id `{id}`: {why}"));
        }
    }
    check_both(COMPOSE, &project(&"a".repeat(100)), &[]);
    check_both(COMPOSE, &project(&"a".repeat(101)), &[("unsafe-id", "/project/id")]);
    let found = check_project("workers: {'a b': {}}\n", &[("unsafe-id", "/workers/a b")]);
    assert_eq!(found[0].message, "unsafe agent id `a b`: it contains the character ` `");
}

#[test]
fn a_single_missing_role_prompt_is_only_a_warning() {
    for (prompt, severity, pointer) in [
        ("r.md", Severity::Warning, "/managers/a/role_prompt"),
        ("[r.md]", Severity::Error, "/managers/a/role_prompt/0"),
        ("x/", Severity::Error, "/managers/a/role_prompt"),
    ] {
        let found = check_project(
            &format!("managers: {{a: {{role_prompt: {prompt}}}}}\n"),
            &[("unusable-role-prompt", pointer)],
        );
        assert_eq!(found[0].severity, severity, "{prompt}");
    }
    let long = snapshot(COMPOSE, &format!("{HEAD}managers: {{a: {{role_prompt: [r.md, r.md]}}}}\n"));
    let long =
        |length: usize| rules(&find_all(&long.clone().with_file(path("r.md"), "r".repeat(length)))).len();
    assert_eq!((long(8 << 20), long((8 << 20) + 1)), (0, 1));
}

//! Values are read as other YAML parsers read them.

use minds_compose::{ComposeFamily, check, scope};
use minds_diagnostics::{Diagnostic, Problems};
use minds_vfs::{Snapshot, WorkspacePath};

const COMPOSE: &str = "version: 2\nprojects: [{file: a.yaml}]\n";
const PROJECT: &str = "version: 2\nproject: {id: a, name: A, cwd: .}\n";

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path).unwrap()
}

fn find_all(compose: &str, project: &str) -> Vec<Diagnostic> {
    let files = Snapshot::new()
        .with_file(path("team-compose.yaml"), compose)
        .with_file(path("a.yaml"), project)
        .with_file(path("r.yaml"), "");
    let mut problems = Problems::new();
    let family = ComposeFamily::load(&files).take(&mut problems);
    problems.append(check(&family));
    problems.into_sorted()
}

/// Returns the pointers and messages of the schema findings.
fn schema_findings(found: Vec<Diagnostic>) -> Vec<String> {
    let findings = found.into_iter().filter(|found| found.rule.code.starts_with("schema/"));
    findings.map(|found| format!("{} {}", found.pointer.unwrap_or_default(), found.message)).collect()
}

/// Checks that a value is accepted (if `expected` is empty), or reported once at `pointer` with the text
/// `expected`.
#[track_caller]
fn check_value(lines: &str, pointer: &str, expected: &str) {
    let found = schema_findings(find_all(&format!("{COMPOSE}{lines}\n"), PROJECT));
    if expected.is_empty() {
        assert_eq!(found, [] as [&str; 0], "{lines}");
    } else {
        assert_eq!(found.len(), 1, "{lines}: {found:?}");
        assert!(found[0].starts_with(pointer) && found[0].contains(expected), "{lines}: {found:?}");
    }
}

#[test]
fn integers_are_the_same_for_every_parser() {
    let odd = "a number without a leading zero or minus sign";
    for (number, expected) in [
        ("0", ""),
        ("10", ""),
        ("+5", ""),
        ("0x10", ""),
        ("9223372036854775807", ""),
        ("010", odd),
        ("00", odd),
        ("-0", odd),
        ("+05", odd),
        ("-1", "an integer from 0"),
        ("1.0", "an integer, not a number"),
        ("9223372036854775808", "an integer, not a number of more than 63 bits"),
        ("'1'", "an integer"),
    ] {
        check_value(
            &format!("attachments: {{max_size_bytes: {number}}}"),
            "/attachments/max_size_bytes",
            expected,
        );
    }
    for key in ["warn_threshold_pct", "message_ttl_hours"] {
        let pointer = format!("/budget/{key}");
        check_value(&format!("budget: {{{key}: 4294967295}}"), &pointer, "");
        check_value(&format!("budget: {{{key}: 4294967296}}"), &pointer, "an integer from 0 to 4294967295");
    }
    let of_version = |number: &str| schema_findings(find_all(&format!("version: {number}\n"), PROJECT));
    assert_eq!(of_version("4294967295"), [] as [&str; 0]);
    assert_eq!(of_version("4294967296").len(), 1);
}

#[test]
fn amounts_are_decimal_numbers() {
    for (number, expected) in [
        ("1", ""),
        ("1.5", ""),
        (".inf", ""),
        ("null", ""),
        ("", ""),
        ("0x10", "a decimal number"),
        ("0o7", "a decimal number"),
        ("1e999", "a 64-bit number"),
        ("x", "a number"),
    ] {
        check_value(&format!("budget: {{daily_usd_limit: {number}}}"), "/budget/daily_usd_limit", expected);
    }
    check_value("budget: {per_project_usd_limit: {a: 1, x-b: 2}}", "", "");
    check_value("budget: {per_project_usd_limit: {<<: {a: 1}}}", "/budget/per_project_usd_limit", "<<");
}

/// An empty value is a missing key; an explicit null has the wrong type.
#[test]
fn an_explicit_null_is_not_a_mapping() {
    for key in ["budget", "broker", "supervisor", "hitl", "rate_limits"] {
        check_value(&format!("{key}:"), "", "");
        check_value(&format!("{key}: null"), &format!("/{key}"), "must be");
        check_value(&format!("{key}: ~"), &format!("/{key}"), "must be");
    }
}

#[test]
fn a_path_is_not_a_number_to_other_parsers() {
    for (path, is_accepted) in [
        ("roles/a.md", true),
        ("0x", true),
        ("0b", true),
        ("0b2", true),
        ("-0xg", true),
        ("'0b101'", true),
        ("\"-0x1f\"", true),
        ("0b101", false),
        ("-0b1", false),
        ("-0x1f", false),
        ("+0o17", false),
    ] {
        let project = format!("{PROJECT}managers: {{a: {{role_prompt: {path}}}}}\n");
        let found = schema_findings(find_all(COMPOSE, &project));
        if is_accepted {
            assert_eq!(found, [] as [&str; 0], "{path}");
        } else {
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            assert!(
                found[0].starts_with("/managers/a/role_prompt ") && found[0].contains("in quotes"),
                "{found:?}"
            );
        }
    }
}

/// A misspelled key does not also cause a finding about the missing key.
#[test]
fn a_misspelled_key_is_not_also_reported_as_missing() {
    for hook in [
        "action: send, too: x",
        "action: webhook, ulr: x",
        "action: webhook, url_evn: x",
        "action: run, comand: [x]",
    ] {
        let compose = format!("{COMPOSE}rate_limits: {{hooks: [{{name: h, {hook}}}]}}\n");
        let found = find_all(&compose, PROJECT);
        let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
        assert_eq!(codes, ["schema/unknown-key"], "{hook}");
    }
    for misspelled in ["verson: 2\n", "version: 2\nprojects: [{fille: a.yaml}]\n"] {
        let found = find_all(misspelled, PROJECT);
        let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
        assert_eq!(codes, ["schema/unknown-key"], "{misspelled}");
    }
    for (hook, key) in [("send", "to"), ("webhook", "url"), ("run", "command")] {
        let compose = format!("{COMPOSE}rate_limits: {{hooks: [{{name: h, action: {hook}}}]}}\n");
        let found = schema_findings(find_all(&compose, PROJECT));
        assert!(found.len() == 1 && found[0].contains(&format!("`{key}`")), "{hook}: {found:?}");
    }
    let named = format!("{PROJECT}managers: {{a: {{on_rate_limit: [h]}}}}\n");
    for misspelled in ["rate_limit: {hooks: []}\n", "rate_limits: {hook: []}\n"] {
        let found = find_all(&format!("{COMPOSE}{misspelled}"), &named);
        let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
        assert_eq!(codes, ["schema/unknown-key"], "{misspelled}");
    }
    let run = |command: &str| {
        let hook = format!("{{name: h, action: run, command: {command}}}");
        schema_findings(find_all(&format!("{COMPOSE}rate_limits: {{hooks: [{hook}]}}\n"), PROJECT))
    };
    assert_eq!(run("[x]"), [] as [&str; 0]);
    assert!(run("[]").len() == 1 && run("[]")[0].contains("a program and its arguments"));
    // The list is not empty, but its entry cannot be read.
    assert_eq!(run("[[x]]").len(), 1);
}

#[test]
fn a_webhook_needs_a_valid_url() {
    let webhook = |url: &str| {
        let hook = format!("{{name: h, action: webhook, url: {url}}}");
        schema_findings(find_all(&format!("{COMPOSE}rate_limits: {{hooks: [{hook}]}}\n"), PROJECT))
    };
    assert_eq!(webhook("'https://hooks.example.org/a?b=c'"), [] as [&str; 0]);
    for url in ["hooks.example.org", "'ftp://x'", "'http://'", "'http://h:65536/'", "5"] {
        assert_eq!(webhook(url).len(), 1, "{url}");
    }
}

#[test]
fn a_runtime_needs_a_program() {
    let files = |binary: &str| {
        Snapshot::new()
            .with_file(path("team-compose.yaml"), "version: 2\n")
            .with_file(path("runtimes/r.yaml"), format!("binary: {binary}\n"))
    };
    for (binary, expected) in [("x", 0), ("' '", 1), ("''", 1)] {
        let read = ComposeFamily::load(&files(binary));
        assert_eq!(read.problems.into_sorted().len(), expected, "{binary}");
    }
}

#[test]
fn runtime_descriptors_are_in_one_directory() {
    let scope = scope(".team");
    let [runtimes] = scope.directories.as_slice() else { panic!("expected one directory") };
    assert_eq!((runtimes.directory.path.as_str(), runtimes.depth), (".team/runtimes", 1));
    for (file, expected) in [
        (".team/runtimes/a.yaml", true),
        (".team/runtimes/a.yml", true),
        (".team/runtimes/a.md", false),
        (".team/runtimes/deep/a.yaml", false),
        (".team/runtimes/yaml", false),
    ] {
        assert_eq!((runtimes.wants)(&path(file)), expected, "{file}");
    }
}

#[test]
fn a_compose_root_in_a_workspace_takes_precedence() {
    let both = Snapshot::new()
        .with_file(path("team-compose.yaml"), "version: 2\n")
        .with_file(path(".team/team-compose.yaml"), "version: 2\n");
    assert_eq!(ComposeFamily::load(&both).value.root.as_str(), ".team");
}

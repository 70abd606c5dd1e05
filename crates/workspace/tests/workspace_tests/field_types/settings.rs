//! `minds.toml`.

use std::time::Duration;

use minds_core::TeamFamily;
use minds_core::settings::{GatewaySettings, TaskMaintainers};
use minds_document::Field;
use minds_vfs::{Snapshot, WorkspacePath};

use super::{check, codes, is_at_last, primary_text};

const SETTINGS: &str = ".minds/minds.toml";

/// A value of each type, as TOML.
const VALUES: [(&str, &str); 8] = [
    ("boolean", "true"),
    ("integer", "7"),
    ("float", "1.5"),
    ("string", "'text'"),
    ("date", "2026-11-20"),
    ("time", "10:30:00"),
    ("list", "['text']"),
    ("mapping", "{x-text = 'text'}"),
];

/// Expects that a field accepts values of one type. `file` builds the text from its value, which is last.
#[track_caller]
fn expect(takes: &str, file: impl Fn(&str) -> String) {
    for (kind, value) in VALUES {
        let text = file(value);
        let found = check(SETTINGS, &text);
        let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
        if kind == takes {
            assert!(codes.is_empty(), "{text}\n{found:?}");
        } else {
            assert_eq!(codes, ["schema/type"], "{text}\n{found:?}");
            assert!(is_at_last(&found[0], &text, value), "{text}\n{found:?}");
        }
    }
}

#[test]
fn all_fields_are_checked() {
    expect("string", |value| format!("task_home = {value}\n"));
    for (kind, value) in VALUES.into_iter().filter(|(kind, _)| *kind != "list") {
        assert_eq!(codes(SETTINGS, &format!("task_maintainers = {value}\n")), ["schema/type"], "{kind}");
    }
    for (kind, value) in VALUES.into_iter().filter(|(kind, _)| *kind != "string") {
        let text = format!("task_maintainers = ['pangu', {value}]\n");
        assert_eq!(codes(SETTINGS, &text), ["schema/type"], "{kind}");
    }
    assert_eq!(codes(SETTINGS, "task_maintainers = ['pangu']\n"), Vec::<&str>::new());
    expect("mapping", |value| format!("check = {value}\n"));
    expect("boolean", |value| format!("[check]\nstrict = {value}\n"));
    expect("boolean", |value| format!("check.strict = {value}\n"));
    expect("mapping", |value| format!("gateway = {value}\n"));
    for key in TIMES {
        expect("integer", |value| format!("[gateway]\n{key} = {value}\n"));
    }
    expect("boolean", |value| format!("[gateway]\ninherit_env = {value}\n"));
}

/// The times of the gateway, in seconds.
const TIMES: [&str; 4] =
    ["start_timeout_seconds", "call_timeout_seconds", "idle_timeout_seconds", "stop_timeout_seconds"];

#[test]
fn times_are_seconds_within_a_day() {
    for key in TIMES {
        for value in ["1", "86400", "30.0"] {
            let text = format!("[gateway]\n{key} = {value}\n");
            assert_eq!(codes(SETTINGS, &text), Vec::<&str>::new(), "{text}");
        }
        for value in ["0", "-1", "86401", "9223372036854775807"] {
            let text = format!("[gateway]\n{key} = {value}\n");
            assert_eq!(codes(SETTINGS, &text), ["schema/value"], "{text}");
        }
    }
}

#[test]
fn settings_of_the_gateway_have_defaults() {
    let read = |text: &str| {
        let path = WorkspacePath::parse(SETTINGS).unwrap();
        TeamFamily::load(&Snapshot::new().with_file(path, text)).value.gateway_settings()
    };
    let (default, seconds) = (GatewaySettings::default(), Duration::from_secs);
    assert_eq!(TeamFamily::load(&Snapshot::new()).value.gateway_settings(), default);
    assert_eq!(
        default,
        GatewaySettings {
            start_timeout: seconds(30),
            call_timeout: seconds(300),
            idle_timeout: seconds(60),
            stop_timeout: seconds(3),
            inherits_env: true,
        }
    );
    for text in ["", "[gateway]\n", "[check]\nstrict = 5\n"] {
        assert_eq!(read(text), default, "{text}");
    }
    let other = "[gateway]\nstart_timeout_seconds = 5\nstop_timeout_seconds = 10\n";
    assert_eq!(
        read(other),
        GatewaySettings { start_timeout: seconds(5), stop_timeout: seconds(10), ..default }
    );
    // A time that cannot be read is the default; the environment is withheld until the setting can be read.
    assert_eq!(read("[gateway]\ncall_timeout_seconds = 0\n"), default);
    for text in [
        "[gateway]\ninherit_env = 5\n",
        "[gateway]\ninherit_enf = true\n",
        "[gateway]\ninherit_env true\n",
        "[gateway\ninherit_env = true\n",
        "gateway = 5\n",
        "\u{0}",
    ] {
        assert!(!read(text).inherits_env, "{text}");
    }
}

#[test]
fn a_language_is_a_language_tag() {
    for tag in ["en", "zh", "zh-Hans-CN", "pt-BR", "yue"] {
        assert_eq!(codes(SETTINGS, &format!("language = '{tag}'\n")), Vec::<&str>::new(), "{tag}");
    }
    for tag in ["", "e", "english", "zh_CN", "zh-", "../x", "zh.md"] {
        assert_eq!(codes(SETTINGS, &format!("language = '{tag}'\n")), ["schema/value"], "{tag}");
    }
    for (kind, value) in VALUES.into_iter().filter(|(kind, _)| *kind != "string") {
        assert_eq!(codes(SETTINGS, &format!("language = {value}\n")), ["schema/type"], "{kind}");
    }
}

#[test]
fn unknown_keys_are_reported_and_reserved_keys_are_not_read() {
    for (kind, value) in VALUES {
        assert_eq!(codes(SETTINGS, &format!("tasks = {value}\n")), ["schema/unknown-key"], "{kind}");
        assert_eq!(codes(SETTINGS, &format!("[check]\nlint = {value}\n")), ["schema/unknown-key"], "{kind}");
        let own = format!("x-a = {value}\n[check]\nx-b = {value}\n[x-c]\nd = {value}\n");
        assert_eq!(codes(SETTINGS, &own), Vec::<&str>::new(), "{kind}");
    }
    let found = check(SETTINGS, "taskhome = 'tasks'\n");
    assert_eq!(
        (primary_text(&found[0]), found[0].help.as_deref()),
        ("taskhome", Some("did you mean `task_home`?"))
    );
}

/// Returns the task home and the strictness of a file.
fn read(text: &str) -> (Option<String>, bool) {
    let path = WorkspacePath::parse(SETTINGS).unwrap();
    let family = TeamFamily::load(&Snapshot::new().with_file(path, text)).value;
    let settings = family.readable_settings().unwrap();
    (settings.task_home().map(|home| home.as_str().to_owned()), settings.is_strict())
}

#[test]
fn unreadable_fields_are_not_absent() {
    assert_eq!(read(""), (Some("tasks".to_owned()), false));
    assert_eq!(read("task_home = 'a/b'\n[check]\nstrict = true\n"), (Some("a/b".to_owned()), true));
    for home in [
        "task_home = 5\n",
        "task_home = '../x'\n",
        "task_home = a/b\n",
        "task_home = 'a\n",
        "task_hom = 'a'\n",
    ] {
        assert_eq!(read(home).0, None, "{home}");
    }
    // An invalid line affects only its own field.
    assert_eq!(
        read("task_home = 'a'\nx-b = [1\n2]\nx-c = word\n[check]\nstrict = true\n"),
        (Some("a".to_owned()), true)
    );
    // Lines below an invalid header belong to no table.
    assert_eq!(read("[check\nstrict = true\n"), (None, false));
}

#[test]
fn keys_on_invalid_lines_are_not_absent() {
    for text in ["task_home 'a'\n", "[task_home\n", "x-a = [\ntask_home = 'a'\n"] {
        let path = WorkspacePath::parse(SETTINGS).unwrap();
        let family = TeamFamily::load(&Snapshot::new().with_file(path, text)).value;
        let settings = family.readable_settings().unwrap();
        assert!(matches!(settings.task_home, Field::Unreadable(_)), "{text}");
    }
}

#[test]
fn task_maintainers_are_absent_given_or_unreadable() {
    let expect = |text: &str, expected: TaskMaintainers<'_>| {
        let path = WorkspacePath::parse(SETTINGS).unwrap();
        let family = TeamFamily::load(&Snapshot::new().with_file(path, text)).value;
        assert_eq!(family.readable_settings().unwrap().task_maintainers(), expected, "{text}");
    };
    expect("", TaskMaintainers::Absent);
    expect("task_maintainers = []\n", TaskMaintainers::Given(vec![]));
    expect("task_maintainers = ['b', 'a']\n", TaskMaintainers::Given(vec!["b", "a"]));
    for text in [
        "task_maintainers = 'a'\n",
        "task_maintainers = ['a', 5]\n",
        "task_maintainer = ['a']\n",
        "task_maintainers ['a']\n",
        "x-a = [\ntask_maintainers = ['a']\n",
        "task_maintainers = ['a']\ntask_maintainers = ['b']\n",
    ] {
        expect(text, TaskMaintainers::Unreadable);
    }
}

#[test]
fn a_maintainer_must_be_a_member_of_the_team() {
    let team = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {lead: {}}\n";
    let check = |settings: &str, team: Option<&str>| {
        let path = |path: &str| WorkspacePath::parse(path).unwrap();
        let mut snapshot = Snapshot::new().with_file(path(SETTINGS), settings);
        if let Some(team) = team {
            snapshot = snapshot.with_file(path(".minds/team.yaml"), team);
        }
        let found = minds_workspace::check(&snapshot).diagnostics;
        let found = found.into_iter().filter(|found| found.rule.code == "settings/unknown-maintainer");
        found.map(|found| (found.pointer.unwrap(), found.help.unwrap())).collect::<Vec<_>>()
    };
    let all = "task_maintainers = ['lead', 'pangu', 'fuxi']\n";
    assert_eq!(check(all, Some(team)), []);
    let (pointer, help) = check("task_maintainers = ['pangu', 'laed']\n", Some(team)).remove(0);
    assert_eq!((pointer.as_str(), help.as_str()), ("/task_maintainers/1", "did you mean `lead`?"));
    assert_eq!(check("task_maintainers = ['', 'user:ada']\n", Some(team)).len(), 2);
    // Without a file there are only the built-in members; nothing is reported for an unreadable team.
    assert_eq!(check(all, None).len(), 1);
    assert_eq!(check(all, Some("members: [\n")), []);
}

//! Nothing is written in what git takes for its own directory: its configuration and hooks name programs that git starts.

use std::process::Command;

use serde_json::{Value, json};

use crate::files::fixture::Fixture;

/// Spellings that git takes for `.git` on some system.
const SPELLINGS: [&str; 9] = [
    ".git",
    ".GIT",
    "sub/.Git",
    ".git.",
    ".git ",
    "GIT~1",
    "sub/git~1",
    ".git::$INDEX_ALLOCATION",
    ".g\u{200c}it",
];

fn attack(fixture: &Fixture) {
    fixture.write(".git/config", b"[core]\n");
    fixture.write("sub/.git", b"gitdir: elsewhere\n");
    fixture.write("payload", b"[core]\n\tfsmonitor = touch ran\n");
    for name in SPELLINGS {
        let refused = |tool: &str, args: Value| {
            let code = fixture.call(tool, args.clone())["code"].clone();
            assert!(
                ["ACCESS_DENIED", "INVALID_PATH"].contains(&code.as_str().unwrap_or_default()),
                "{tool} {args}: {code}"
            );
        };
        let below = |file: &str| format!("{name}/{file}");
        refused("create_new_file", json!({"path": name, "content": "gitdir: payload"}));
        refused("create_new_file", json!({"path": below("hooks/post-checkout"), "content": "x"}));
        refused("mk_dir", json!({"path": name}));
        refused("mk_dir", json!({"path": below("hooks")}));
        refused("move_file", json!({"from": "payload", "to": below("config")}));
        refused("move_file", json!({"from": "payload", "to": name}));
        refused("move_dir", json!({"from": "open", "to": name}));
        refused("rm_dir", json!({"path": name, "recursive": true}));
        refused("rm_file", json!({"path": below("config")}));
    }
    for (tool, args) in [
        ("rm_dir", json!({"path": "sub", "recursive": true})),
        ("move_dir", json!({"from": "sub", "to": "other"})),
        ("rm_file", json!({"path": "sub/.git"})),
        ("move_file", json!({"from": ".git/config", "to": "config"})),
    ] {
        fixture.refused(tool, args, "ACCESS_DENIED");
    }
    // Reading follows the lists, and names that only look alike are ordinary.
    assert_eq!(fixture.ok("read_file", json!({"path": ".git/config"}))["status"], "ok");
    fixture.ok("create_new_file", json!({"path": ".github/x.yaml", "content": "x"}));
    fixture.ok("create_new_file", json!({"path": ".gitignore", "content": "x"}));
}

#[test]
fn no_tool_writes_in_a_git_directory() {
    attack(&Fixture::new(&[("open/a", "x")]));
    attack(&Fixture::with_member("    write_dirs: ['**']\n", &[("open/a", "x")]));
}

#[test]
fn a_refusal_reports_that_the_area_is_reserved() {
    let fixture = Fixture::new(&[]);
    let refusal =
        fixture.refused("create_new_file", json!({"path": ".git/config", "content": "x"}), "ACCESS_DENIED");
    assert_eq!(refusal["details"]["reason"], "reserved");
    assert!(refusal["next"].as_str().unwrap().contains(".git"), "{refusal}");
}

/// Runs git in the workspace, without the settings of the current user.
fn git(fixture: &Fixture, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).current_dir(fixture.place("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().expect("git is installed");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn git_starts_no_program_that_a_member_named() {
    let config = "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch canary\n";
    let fixture = Fixture::with_member("    write_dirs: ['**']\n", &[("a", "x\n")]);
    git(&fixture, &["init", "--quiet"]);
    fixture.write("payload", config.as_bytes());
    // Each of these would do it, if general tools could write there.
    fixture.call("rm_file", json!({"path": ".git/config"}));
    fixture.call("create_new_file", json!({"path": ".git/config", "content": config}));
    fixture.call("move_file", json!({"from": "payload", "to": ".git/config"}));
    git(&fixture, &["status", "--short"]);
    assert!(!fixture.has("canary"), "git ran what a member wrote");
    // A write to this file could start a program, which the test would detect.
    fixture.write(".git/config", config.as_bytes());
    git(&fixture, &["status", "--short"]);
    assert!(fixture.has("canary"), "git no longer runs `core.fsmonitor`, so this test shows nothing");
}

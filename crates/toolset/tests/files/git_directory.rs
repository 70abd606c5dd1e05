//! Nothing is written in what git takes for its own directory: its configuration and hooks name programs that git starts.

use std::process::Command;

use serde_json::{Value, json};

use crate::house::House;

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

fn attack(house: &House) {
    house.write(".git/config", b"[core]\n");
    house.write("sub/.git", b"gitdir: elsewhere\n");
    house.write("payload", b"[core]\n\tfsmonitor = touch ran\n");
    for name in SPELLINGS {
        let refused = |tool: &str, args: Value| {
            let code = house.call(tool, args.clone())["code"].clone();
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
        house.refused(tool, args, "ACCESS_DENIED");
    }
    // Reading follows the lists, and names that only look alike are ordinary.
    assert_eq!(house.ok("read_file", json!({"path": ".git/config"}))["status"], "ok");
    house.ok("create_new_file", json!({"path": ".github/x.yaml", "content": "x"}));
    house.ok("create_new_file", json!({"path": ".gitignore", "content": "x"}));
}

#[test]
fn no_tool_writes_in_a_git_directory() {
    attack(&House::new(&[("open/a", "x")]));
    attack(&House::with_member("    write_dirs: ['**']\n", &[("open/a", "x")]));
}

#[test]
fn a_refusal_says_that_the_area_is_reserved() {
    let house = House::new(&[]);
    let refusal =
        house.refused("create_new_file", json!({"path": ".git/config", "content": "x"}), "ACCESS_DENIED");
    assert_eq!(refusal["details"]["reason"], "reserved");
    assert!(refusal["next"].as_str().unwrap().contains(".git"), "{refusal}");
}

/// Runs git in the workspace, without the settings of whoever runs the test.
fn git(house: &House, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).current_dir(house.place("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().expect("git is installed");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn git_starts_no_program_that_a_member_named() {
    let config = "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch canary\n";
    let house = House::with_member("    write_dirs: ['**']\n", &[("a", "x\n")]);
    git(&house, &["init", "--quiet"]);
    house.write("payload", config.as_bytes());
    // Each of these would do it, if general tools could write there.
    house.call("rm_file", json!({"path": ".git/config"}));
    house.call("create_new_file", json!({"path": ".git/config", "content": config}));
    house.call("move_file", json!({"from": "payload", "to": ".git/config"}));
    git(&house, &["status", "--short"]);
    assert!(!house.has("canary"), "git ran what a member wrote");
    // Whoever can write the file can start a program, so the test would see it.
    house.write(".git/config", config.as_bytes());
    git(&house, &["status", "--short"]);
    assert!(house.has("canary"), "git no longer runs `core.fsmonitor`, so this test shows nothing");
}

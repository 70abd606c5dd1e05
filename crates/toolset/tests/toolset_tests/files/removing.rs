//! Removing files and directories.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::files::fixture::Fixture;

fn fixture() -> Fixture {
    let fixture = Fixture::new(&[
        ("a.txt", "a\n"),
        ("dir/b.txt", "b\n"),
        ("dir/deep/c.txt", "c\n"),
        ("fixed/deep/f", "f\n"),
        (".minds/team.yaml", "members: {}\n"),
        (".minds/team/a/persona.md", "p\n"),
        (".minds/odd/x.tsk/goals.md", "g\n"),
        ("x.tsk/goals.md", "g\n"),
        ("holder/deep/X.TSK/goals.md", "g\n"),
    ]);
    fs::create_dir(fixture.place("empty")).unwrap();
    fs::set_permissions(fixture.place("fixed/deep/f"), fs::Permissions::from_mode(0o444)).unwrap();
    fixture.link("in", "dir/b.txt");
    fixture.link("in-dir", "dir");
    fixture.link("dangling", "nowhere");
    fixture.link("out", "../outside/secret");
    fixture.link("to-minds", ".minds/team.yaml");
    fixture.link(".minds/hard-link", "../../outside/secret");
    fs::hard_link(fixture.place("../outside/secret"), fixture.place("hard")).unwrap();
    drop(UnixListener::bind(fixture.place("socket")).unwrap());
    fixture
}

#[track_caller]
fn check(tool: &str, path: &str, recursive: Option<bool>, expected: &str) {
    let fixture = fixture();
    let mut args = json!({"path": path});
    if let Some(recursive) = recursive {
        args["recursive"] = recursive.into();
    }
    if expected != "ok" {
        fixture.refused(tool, args, expected);
        return;
    }
    let before = fixture.snapshot();
    fixture.ok(tool, args);
    assert!(!fixture.has(path), "{tool} {path}");
    let top = format!("ws/{path}");
    let below = format!("{top}/");
    let left: Vec<_> =
        before.into_iter().filter(|(name, _)| *name != top && !name.starts_with(&below)).collect();
    assert_eq!(fixture.snapshot().into_iter().collect::<Vec<_>>(), left, "{tool} {path}");
}

#[test]
fn files_and_links() {
    let tool = "rm_file";
    check(tool, "a.txt", None, "ok");
    check(tool, "dir/deep/c.txt", None, "ok");
    check(tool, "in", None, "ok");
    check(tool, "dangling", None, "ok");
    check(tool, "none", None, "FILE_NOT_FOUND");
    check(tool, "none/x", None, "FILE_NOT_FOUND");
    check(tool, "a.txt/x", None, "NOT_A_DIR");
    check(tool, "dir", None, "NOT_A_FILE");
    check(tool, "hard", None, "NOT_A_FILE");
    check(tool, "socket", None, "NOT_A_FILE");
    check(tool, "out", None, "INVALID_PATH");
    check(tool, "to-minds", None, "ACCESS_DENIED");
    check(tool, "fixed/deep/f", None, "ACCESS_DENIED");
    check(tool, "x.tsk/goals.md", None, "ACCESS_DENIED");
    check(tool, ".minds/team.yaml", None, "ACCESS_DENIED");
    check(tool, ".minds-journal", None, "INVALID_PATH");
    check(tool, "../ws-evil/f", None, "INVALID_PATH");
}

#[test]
fn directories() {
    let tool = "rm_dir";
    check(tool, "empty", None, "ok");
    check(tool, "empty", Some(true), "ok");
    check(tool, "dir", Some(true), "ok");
    check(tool, "dir/deep", Some(true), "ok");
    check(tool, "dir", None, "DIR_NOT_EMPTY");
    check(tool, "dir", Some(false), "DIR_NOT_EMPTY");
    check(tool, "none", None, "DIR_NOT_FOUND");
    check(tool, "a.txt", None, "NOT_A_DIR");
    check(tool, "in-dir", Some(true), "NOT_A_DIR");
    check(tool, "out", Some(true), "NOT_A_DIR");
    check(tool, "fixed", Some(true), "ACCESS_DENIED");
    check(tool, "x.tsk", Some(true), "ACCESS_DENIED");
    check(tool, "holder", Some(true), "ACCESS_DENIED");
    check(tool, "holder/deep", Some(true), "ACCESS_DENIED");
    check(tool, ".minds", Some(true), "ACCESS_DENIED");
    check(tool, ".minds/team", Some(true), "ACCESS_DENIED");
    check(tool, ".", Some(true), "INVALID_PATH");
    check(tool, "../outside", Some(true), "INVALID_PATH");
}

#[test]
fn in_minds() {
    check("team_mgmt_rm_file", ".minds/team.yaml", None, "ok");
    check("team_mgmt_rm_file", ".minds/hard-link", None, "ok");
    check("team_mgmt_rm_file", ".minds/team", None, "NOT_A_FILE");
    check("team_mgmt_rm_dir", ".minds/team", Some(true), "ok");
    check("team_mgmt_rm_dir", ".minds/team", None, "DIR_NOT_EMPTY");
    check("team_mgmt_rm_dir", ".minds/odd", Some(true), "ACCESS_DENIED");
    check("team_mgmt_rm_dir", ".minds", Some(true), "INVALID_PATH");
    check("team_mgmt_rm_dir", "dir", Some(true), "INVALID_PATH");
}

#[test]
fn the_number_of_removed_entries_is_reported() {
    let fixture = fixture();
    let answer = fixture.ok("rm_dir", json!({"path": "dir", "recursive": true}));
    assert_eq!((&answer["removed_entry_count"], &answer["recursive"]), (&json!(3), &json!(true)));
    let answer = fixture.refused("rm_dir", json!({"path": "fixed", "recursive": true}), "ACCESS_DENIED");
    assert!(answer["message"].as_str().unwrap().contains("read-only"), "{answer}");
}

/// A directory with more than can be checked is left alone as a whole.
#[test]
fn a_directory_with_too_many_entries_is_kept() {
    let fixture = Fixture::new(&[]);
    fs::create_dir(fixture.place("many")).unwrap();
    for number in 0..10_001 {
        fs::write(fixture.place(&format!("many/{number}")), "").unwrap();
    }
    for (tool, args) in [
        ("rm_dir", json!({"path": "many", "recursive": true})),
        ("move_dir", json!({"from": "many", "to": "new"})),
    ] {
        let answer = fixture.toolbox.call(&fixture.context, tool, &args, &fixture.caller).to_json();
        assert_eq!(answer["code"], "TOO_LARGE", "{answer}");
    }
    assert_eq!(fs::read_dir(fixture.place("many")).unwrap().count(), 10_001);
    fs::remove_file(fixture.place("many/0")).unwrap();
    fixture.toolbox.call(
        &fixture.context,
        "rm_dir",
        &json!({"path": "many", "recursive": true}),
        &fixture.caller,
    );
    assert!(!fixture.has("many"));
}

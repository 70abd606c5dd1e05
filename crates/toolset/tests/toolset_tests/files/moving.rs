//! Moving files and directories.

use std::fs;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::files::fixture::Fixture;

fn fixture() -> Fixture {
    let fixture = Fixture::new(&[
        ("a.txt", "a\n"),
        ("dir/b.txt", "b\n"),
        ("dir/deep/c.txt", "c\n"),
        ("other/d.txt", "d\n"),
        (".minds/team.yaml", "members: {}\n"),
        (".minds/team/a/persona.md", "p\n"),
        ("x.tsk/goals.md", "g\n"),
        ("holder/x.tsk/goals.md", "g\n"),
    ]);
    fixture.link("in", "dir/b.txt");
    fixture.link("out", "../outside/secret");
    fs::hard_link(fixture.place("../outside/secret"), fixture.place("hard")).unwrap();
    drop(UnixListener::bind(fixture.place("socket")).unwrap());
    fixture
}

#[track_caller]
fn check(tool: &str, from: &str, to: &str, expected: &str) {
    let fixture = fixture();
    let args = json!({"from": from, "to": to});
    if expected != "ok" {
        fixture.refused(tool, args, expected);
        return;
    }
    let answer = fixture.ok(tool, args);
    assert!(!fixture.has(from) && fixture.has(to), "{tool} {from} {to}");
    assert_eq!((&answer["from"], &answer["to"]), (&json!(from), &json!(to)));
}

#[test]
fn files() {
    let tool = "move_file";
    check(tool, "a.txt", "b.txt", "ok");
    check(tool, "a.txt", "dir/deep/a.txt", "ok");
    check(tool, "in", "in-2", "ok");
    check(tool, "a.txt", "dir/b.txt", "TO_EXISTS");
    check(tool, "a.txt", "a.txt", "TO_EXISTS");
    check(tool, "a.txt", "dir", "TO_EXISTS");
    check(tool, "a.txt", "out", "TO_EXISTS");
    check(tool, "a.txt", "none/deep/a.txt", "ok");
    check(tool, "a.txt", "dir/b.txt/a", "TO_PARENT_NOT_DIR");
    check(tool, "none", "b.txt", "FILE_NOT_FOUND");
    check(tool, "none/x", "b.txt", "FILE_NOT_FOUND");
    check(tool, "dir", "new", "FROM_NOT_FILE");
    check(tool, "socket", "new", "FROM_NOT_FILE");
    check(tool, "hard", "new", "FROM_NOT_FILE");
    check(tool, "in", "dir/in", "FROM_NOT_FILE");
    check(tool, "out", "out-2", "INVALID_PATH");
    check(tool, "a.txt", "CON", "INVALID_PATH");
    check(tool, "a.txt", ".a.minds-new", "INVALID_PATH");
    check(tool, "a.txt", "../ws-evil/a", "INVALID_PATH");
    check(tool, "../ws-evil/f", "f", "INVALID_PATH");
    check(tool, "a.txt", "x.tsk/a.txt", "ACCESS_DENIED");
    check(tool, "a.txt", "y.TSK", "ACCESS_DENIED");
    check(tool, "x.tsk/goals.md", "goals.md", "ACCESS_DENIED");
    check(tool, ".minds/team.yaml", "team.yaml", "ACCESS_DENIED");
    check(tool, "a.txt", ".minds/a", "ACCESS_DENIED");
    check(tool, "a.txt", ".MINDS", "ACCESS_DENIED");
}

#[test]
fn directories() {
    let tool = "move_dir";
    check(tool, "dir", "new", "ok");
    check(tool, "dir/deep", "other/deep", "ok");
    check(tool, "dir", "other", "TO_EXISTS");
    check(tool, "dir", "dir", "TO_EXISTS");
    check(tool, "dir", "none/dir", "ok");
    check(tool, "dir", "dir/none/dir", "INVALID_PATH");
    check(tool, "dir", "dir/deep/dir", "INVALID_PATH");
    check(tool, "none", "new", "DIR_NOT_FOUND");
    check(tool, "a.txt", "new", "FROM_NOT_DIR");
    check(tool, "in", "new", "FROM_NOT_DIR");
    check(tool, "x.tsk", "y", "ACCESS_DENIED");
    check(tool, "holder", "new", "ACCESS_DENIED");
    check(tool, "dir", "y.tsk", "ACCESS_DENIED");
    check(tool, "dir", "x.tsk/dir", "ACCESS_DENIED");
    check(tool, ".minds", "new", "ACCESS_DENIED");
    check(tool, ".minds/team", "new", "ACCESS_DENIED");
    check(tool, "dir", ".minds/dir", "ACCESS_DENIED");
    check(tool, "dir", ".mind\u{17f}", "ACCESS_DENIED");
}

#[test]
fn in_minds() {
    check("team_mgmt_move_file", ".minds/team.yaml", ".minds/team/t.yaml", "ok");
    check("team_mgmt_move_file", ".minds/team.yaml", ".minds/team/a/persona.md", "TO_EXISTS");
    check("team_mgmt_move_file", ".minds/team", ".minds/x", "FROM_NOT_FILE");
    check("team_mgmt_move_file", ".minds/team.yaml", ".minds/x/t.yaml", "ok");
    check("team_mgmt_move_file", ".minds/team.yaml", "team.yaml", "INVALID_PATH");
    check("team_mgmt_move_file", "a.txt", ".minds/a.txt", "INVALID_PATH");
    check("team_mgmt_move_file", ".minds/team.yaml", ".minds/x.tsk", "INVALID_PATH");
    check("team_mgmt_move_dir", ".minds/team", ".minds/crew", "ok");
    check("team_mgmt_move_dir", ".minds/team/a", ".minds/a", "ok");
    check("team_mgmt_move_dir", ".minds/team.yaml", ".minds/x", "FROM_NOT_DIR");
    check("team_mgmt_move_dir", ".minds/team", ".minds/team/a/team", "INVALID_PATH");
}

#[test]
fn a_directory_moves_with_all_its_contents() {
    let fixture = fixture();
    fixture.link("dir/up", "../a.txt");
    assert_eq!(fixture.ok("move_dir", json!({"from": "dir", "to": "other/dir"}))["moved_entry_count"], 4);
    assert_eq!(fixture.text("other/dir/deep/c.txt"), "c\n");
    assert!(fs::symlink_metadata(fixture.place("other/dir/up")).unwrap().is_symlink());
}

#[test]
fn moved_entries_get_no_path_that_is_too_long() {
    let fixture = fixture();
    let deep = ["d"; 62].join("/");
    fixture.ok("mk_dir", json!({"path": format!("{deep}/last")}));
    fixture.ok("mk_dir", json!({"path": "e/e/e"}));
    fixture.refused("move_dir", json!({"from": "d", "to": "e/e/e/d"}), "INVALID_PATH");
    fixture.ok("move_dir", json!({"from": "d", "to": "e/d"}));
}

/// What cannot be checked is not moved or removed with what holds it.
#[test]
fn directories_with_invalid_names_are_not_moved() {
    use std::os::unix::ffi::OsStrExt as _;

    for name in [&b"\xff"[..], b"a\nb", b"a\\b"] {
        let fixture = fixture();
        let odd = std::ffi::OsStr::from_bytes(name);
        fs::write(fixture.place("dir/deep").join(odd), "").unwrap();
        for (tool, args) in [
            ("move_dir", json!({"from": "dir", "to": "new"})),
            ("rm_dir", json!({"path": "dir", "recursive": true})),
        ] {
            let answer = fixture.toolbox.call(&fixture.context, tool, &args, &fixture.caller).to_json();
            assert_eq!(answer["code"], "ACCESS_DENIED", "{answer}");
            assert!(fixture.place("dir/deep").join(odd).exists());
        }
    }
}

#[test]
fn a_refused_move_leaves_no_directory() {
    let fixture = fixture();
    fixture.refused("move_file", json!({"from": "in", "to": "none/deep/in"}), "FROM_NOT_FILE");
    fixture.refused("move_dir", json!({"from": "dir", "to": "dir/none/dir"}), "INVALID_PATH");
    assert!(!fixture.has("none") && !fixture.has("dir/none"));
}

//! Removing files and directories.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::house::House;

fn house() -> House {
    let house = House::new(&[
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
    fs::create_dir(house.place("empty")).unwrap();
    fs::set_permissions(house.place("fixed/deep/f"), fs::Permissions::from_mode(0o444)).unwrap();
    house.link("in", "dir/b.txt");
    house.link("in-dir", "dir");
    house.link("dangling", "nowhere");
    house.link("out", "../outside/secret");
    house.link("to-minds", ".minds/team.yaml");
    house.link(".minds/hard-link", "../../outside/secret");
    fs::hard_link(house.place("../outside/secret"), house.place("hard")).unwrap();
    drop(UnixListener::bind(house.place("socket")).unwrap());
    house
}

#[track_caller]
fn check(tool: &str, path: &str, recursive: Option<bool>, expected: &str) {
    let house = house();
    let mut args = json!({"path": path});
    if let Some(recursive) = recursive {
        args["recursive"] = recursive.into();
    }
    if expected != "ok" {
        house.refused(tool, args, expected);
        return;
    }
    let before = house.seen();
    house.ok(tool, args);
    assert!(!house.has(path), "{tool} {path}");
    let top = format!("ws/{path}");
    let below = format!("{top}/");
    let left: Vec<_> =
        before.into_iter().filter(|(name, _)| *name != top && !name.starts_with(&below)).collect();
    assert_eq!(house.seen().into_iter().collect::<Vec<_>>(), left, "{tool} {path}");
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
fn how_much_was_removed_is_told() {
    let house = house();
    let answer = house.ok("rm_dir", json!({"path": "dir", "recursive": true}));
    assert_eq!((&answer["removed_entry_count"], &answer["recursive"]), (&json!(3), &json!(true)));
    let answer = house.refused("rm_dir", json!({"path": "fixed", "recursive": true}), "ACCESS_DENIED");
    assert!(answer["message"].as_str().unwrap().contains("read-only"), "{answer}");
}

/// A directory with more than can be judged is left alone as a whole.
#[test]
fn what_is_too_much_to_judge_stays() {
    let house = House::new(&[]);
    fs::create_dir(house.place("many")).unwrap();
    for number in 0..10_001 {
        fs::write(house.place(&format!("many/{number}")), "").unwrap();
    }
    for (tool, args) in [
        ("rm_dir", json!({"path": "many", "recursive": true})),
        ("move_dir", json!({"from": "many", "to": "new"})),
    ] {
        let answer = house.toolbox.call(&house.context, tool, args, &house.caller).to_json();
        assert_eq!(answer["code"], "TOO_LARGE", "{answer}");
    }
    assert_eq!(fs::read_dir(house.place("many")).unwrap().count(), 10_001);
    fs::remove_file(house.place("many/0")).unwrap();
    house.toolbox.call(&house.context, "rm_dir", json!({"path": "many", "recursive": true}), &house.caller);
    assert!(!house.has("many"));
}

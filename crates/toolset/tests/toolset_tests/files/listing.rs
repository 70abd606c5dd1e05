//! Listing a directory.

use std::fs;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use crate::files::fixture::Fixture;

fn names(answer: &Value) -> Vec<&str> {
    answer["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[test]
fn each_kind_of_entry_in_the_order_of_names() {
    let fixture = Fixture::new(&[("b.md", "1\n2"), ("a/x", ""), ("A", "")]);
    fixture.write("c.bin", b"\xff\n");
    fixture.link("in", "b.md");
    fixture.link("out", "../outside/secret");
    fixture.link("absolute", &fixture.outside("secret"));
    drop(UnixListener::bind(fixture.place("socket")).unwrap());
    let expected = json!([
        {"name": "A", "type": "file", "size_bytes": 0, "lines": 0},
        {"name": "a", "type": "dir"},
        {"name": "absolute", "type": "symlink", "target": "/…"},
        {"name": "b.md", "type": "file", "size_bytes": 3, "lines": 2},
        {"name": "c.bin", "type": "file", "size_bytes": 2},
        {"name": "in", "type": "symlink", "target": "b.md"},
        {"name": "out", "type": "symlink", "target": "../outside/secret"},
        {"name": "socket", "type": "other"},
    ]);
    for args in [json!({}), json!({"path": ""}), json!({"path": "."}), json!({"path": "a/.."})] {
        let answer = fixture.ok("list_dir", args);
        assert_eq!(answer["entries"], expected);
        assert_eq!((&answer["path"], &answer["total_entries"]), (&json!("."), &json!(8)));
        assert_eq!((&answer["hidden"], &answer["truncated"]), (&json!(0), &json!(false)));
    }
}

#[test]
fn links_in_minds_are_named_and_not_followed() {
    let fixture = Fixture::new(&[(".minds/team.yaml", "members: {}\n")]);
    fixture.link(".minds/out", "../../outside/secret");
    let answer = fixture.ok("team_mgmt_list_dir", json!({}));
    let expected = json!({"name": "out", "type": "symlink", "target": "../../outside/secret"});
    assert_eq!(answer["entries"][0], expected);
    assert_eq!(answer["entries"][1]["lines"], 1);
}

#[test]
fn paths_that_are_not_directories_are_refused() {
    let fixture = Fixture::new(&[("file", "")]);
    fixture.link("in", "dir");
    fixture.refused("list_dir", json!({"path": "file"}), "NOT_A_DIR");
    fixture.refused("list_dir", json!({"path": "none"}), "DIR_NOT_FOUND");
    fixture.refused("list_dir", json!({"path": "in"}), "DIR_NOT_FOUND");
    fixture.ok("mk_dir", json!({"path": "dir/x"}));
    assert_eq!(names(&fixture.ok("list_dir", json!({"path": "in"}))), ["x"]);
    fixture.refused("team_mgmt_list_dir", json!({"path": ".minds/x"}), "DIR_NOT_FOUND");
    fixture.refused("list_dir", json!({"path": ".minds"}), "DIR_NOT_FOUND");
}

#[test]
fn unreadable_entries_are_only_counted() {
    let lists = "    no_read_dirs: [secret, '**/key']\n";
    let fixture =
        Fixture::with_member(lists, &[("secret/x", ""), ("key", ""), ("a", ""), ("x.tsk/goals.md", "")]);
    fixture.link("to-secret", "secret");
    let answer = fixture.ok("list_dir", json!({}));
    // The existence of links and packages may be known, but not their contents.
    assert_eq!(names(&answer), [".minds", "a", "to-secret", "x.tsk"]);
    assert_eq!(answer["hidden"], 2);
    fixture.refused("list_dir", json!({"path": "secret"}), "ACCESS_DENIED");
    fixture.refused("list_dir", json!({"path": "to-secret"}), "ACCESS_DENIED");
    fixture.refused("list_dir", json!({"path": "x.tsk"}), "ACCESS_DENIED");
    let fixture = Fixture::with_member("    read_dirs: [src]\n", &[("src/a", "")]);
    fixture.refused("list_dir", json!({}), "ACCESS_DENIED");
    assert_eq!(names(&fixture.ok("list_dir", json!({"path": "src"}))), ["a"]);
}

#[test]
fn only_the_first_of_very_many_entries_are_listed() {
    let fixture = Fixture::new(&[]);
    fs::create_dir(fixture.place("many")).unwrap();
    for number in 0..1_100 {
        fs::write(fixture.place(&format!("many/{number:04}")), "").unwrap();
    }
    let answer = fixture.ok("list_dir", json!({"path": "many"}));
    assert_eq!(names(&answer).len(), 1_000);
    assert_eq!((&answer["total_entries"], &answer["truncated"]), (&json!(1_100), &json!(true)));
    assert_eq!(names(&answer)[999], "0999");
}

#[test]
fn with_a_depth_directories_are_followed_by_what_they_hold() {
    let fixture = Fixture::new(&[
        (".minds/team.yaml", "x\n"),
        (".minds/team/a/persona.md", "p\n"),
        ("d/x.tsk/goals.md", "g\n"),
    ]);
    let list = |tool: &str, args: Value| {
        names(&fixture.ok(tool, args)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = ["team", "team/a", "team/a/persona.md", "team.yaml"];
    assert_eq!(list("team_mgmt_list_dir", json!({"depth": 9})), all);
    assert_eq!(list("team_mgmt_list_dir", json!({"depth": 2})), ["team", "team/a", "team.yaml"]);
    for args in [json!({}), json!({"depth": 0}), json!({"depth": 1})] {
        assert_eq!(list("team_mgmt_list_dir", args), ["team", "team.yaml"]);
    }
    // A task package is named and never entered.
    assert_eq!(list("list_dir", json!({"path": "d", "depth": 9})), ["x.tsk"]);
}

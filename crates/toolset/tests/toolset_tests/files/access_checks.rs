//! Access is checked for the requested path, the real path, and everything that a call affects.

use std::fs;

use minds_vfs::ContentHash;
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

const FILES: &[(&str, &str)] = &[
    ("src/a.txt", "a\n"),
    ("src/gen/g.txt", "g\n"),
    ("secret/key", "TOP-SECRET\n"),
    ("out/o.txt", "o\n"),
    ("hidden/deep/key", "TOP-SECRET\n"),
];

/// May change `src`, `out`, `secret` and `hidden` without `src/gen`, and may not read `secret` and what is called `key`.
fn fixture() -> Fixture {
    let lists = "    write_dirs: [src, out, secret, hidden]\n    no_write_dirs: [src/gen]\n    \
                 no_read_dirs: [secret, '**/key']\n";
    let fixture = Fixture::with_member(lists, FILES);
    fixture.link("src/to-secret", "../secret/key");
    fixture.link("src/to-gen", "gen/g.txt");
    fixture.link("src/gen-dir", "gen");
    fixture
}

#[track_caller]
fn check(tool: &str, args: Value, expected: &str) {
    let fixture = fixture();
    if expected == "ok" {
        fixture.ok(tool, args);
        return;
    }
    let answer = fixture.refused(tool, args, expected);
    assert!(!answer.to_string().contains("TOP-SECRET"), "{answer}");
}

#[test]
fn reading_and_writing() {
    let overwrite = |path: &str, old: &str| json!({"path": path, "content": "x\n", "known_old_sha256": ContentHash::of(old.as_bytes()).to_string()});
    check("read_file", json!({"path": "src/a.txt"}), "ok");
    check("read_file", json!({"path": "src/gen/g.txt"}), "ok");
    check("read_file", json!({"path": "secret/key"}), "ACCESS_DENIED");
    check("read_file", json!({"path": "src/to-secret"}), "ACCESS_DENIED");
    check("read_file", json!({"path": "src/../secret/key"}), "ACCESS_DENIED");
    check("list_dir", json!({"path": "secret"}), "ACCESS_DENIED");
    check("overwrite_entire_file", overwrite("src/a.txt", "a\n"), "ok");
    check("overwrite_entire_file", overwrite("src/gen/g.txt", "g\n"), "ACCESS_DENIED");
    check("overwrite_entire_file", overwrite("src/to-gen", "g\n"), "ACCESS_DENIED");
    check("overwrite_entire_file", overwrite("src/gen-dir/g.txt", "g\n"), "ACCESS_DENIED");
    // Who may not read it does not know what it is: no refusal tells its hash.
    check("overwrite_entire_file", overwrite("secret/key", "TOP-SECRET\n"), "ACCESS_DENIED");
    check("overwrite_entire_file", overwrite("src/to-secret", "TOP-SECRET\n"), "ACCESS_DENIED");
    check("create_new_file", json!({"path": "src/new"}), "ok");
    check("create_new_file", json!({"path": "src/gen/new"}), "ACCESS_DENIED");
    check("create_new_file", json!({"path": "src/gen-dir/new"}), "ACCESS_DENIED");
    check("create_new_file", json!({"path": "new"}), "ACCESS_DENIED");
    check("create_new_file", json!({"path": "src/x.tsk/a"}), "ACCESS_DENIED");
    check("mk_dir", json!({"path": "src/gen/a/b"}), "ACCESS_DENIED");
    check("mk_dir", json!({"path": "src/gen-dir/a"}), "ACCESS_DENIED");
    check("mk_dir", json!({"path": "src/gen"}), "ACCESS_DENIED");
    check("rm_file", json!({"path": "src/gen/g.txt"}), "ACCESS_DENIED");
    check("rm_file", json!({"path": "src/gen-dir/g.txt"}), "ACCESS_DENIED");
    check("rm_file", json!({"path": "src/to-gen"}), "ACCESS_DENIED");
}

#[test]
fn moving_needs_rights_at_both_ends() {
    let args = |from: &str, to: &str| json!({"from": from, "to": to});
    check("move_file", args("src/a.txt", "out/a.txt"), "ok");
    check("move_file", args("src/a.txt", "a.txt"), "ACCESS_DENIED");
    check("move_file", args("src/a.txt", "src/gen/a.txt"), "ACCESS_DENIED");
    check("move_file", args("src/a.txt", "src/gen-dir/a.txt"), "ACCESS_DENIED");
    check("move_file", args("src/gen/g.txt", "out/g.txt"), "ACCESS_DENIED");
    check("move_file", args("src/gen-dir/g.txt", "out/g.txt"), "ACCESS_DENIED");
    // What was moved away could be read there.
    check("move_file", args("secret/key", "out/k.txt"), "ACCESS_DENIED");
    check("move_file", args("hidden/deep/key", "out/k.txt"), "ACCESS_DENIED");
    check("move_dir", args("hidden", "out/hidden"), "ACCESS_DENIED");
    check("move_dir", args("hidden/deep", "out/deep"), "ACCESS_DENIED");
    check("move_dir", args("secret", "out/secret"), "ACCESS_DENIED");
    check("move_dir", args("src", "out/src"), "ACCESS_DENIED");
    check("move_dir", args("out", "src/out"), "ok");
    check("move_dir", args("out", "src/gen/out"), "ACCESS_DENIED");
}

/// What lies below is checked where it will be as well.
#[test]
fn access_to_moved_entries_is_checked_at_the_new_place() {
    let lists = "    no_write_dirs: ['b/**/key', other]\n";
    let fixture = Fixture::with_member(lists, &[("a/deep/key", "k\n"), ("c/deep/k", "k\n")]);
    fixture.refused("move_dir", json!({"from": "a", "to": "b"}), "ACCESS_DENIED");
    fixture.refused("move_dir", json!({"from": "c", "to": "other"}), "ACCESS_DENIED");
    fixture.ok("move_dir", json!({"from": "c", "to": "b"}));
}

#[test]
fn removing_a_directory_needs_rights_to_all_that_it_holds() {
    check("rm_dir", json!({"path": "out", "recursive": true}), "ok");
    check("rm_dir", json!({"path": "src", "recursive": true}), "ACCESS_DENIED");
    check("rm_dir", json!({"path": "src/gen", "recursive": true}), "ACCESS_DENIED");
    check("rm_dir", json!({"path": "src/gen-dir", "recursive": true}), "NOT_A_DIR");
    check("rm_dir", json!({"path": "src/gen-dir/g.txt", "recursive": true}), "ACCESS_DENIED");
    // The right to change is what counts for what is removed.
    check("rm_dir", json!({"path": "hidden", "recursive": true}), "ok");
    let fixture =
        Fixture::with_member("    no_write_dirs: ['**/keep']\n", &[("a/b/c/keep", ""), ("a/x", "")]);
    fixture.refused("rm_dir", json!({"path": "a", "recursive": true}), "ACCESS_DENIED");
    fixture.ok("rm_file", json!({"path": "a/x"}));
}

/// Names that the caller may not read are not revealed, not even by refusals about their directory.
#[test]
fn refusals_name_only_readable_entries() {
    let answer = fixture().refused("move_dir", json!({"from": "hidden", "to": "out/h"}), "ACCESS_DENIED");
    assert!(!answer.to_string().contains("key"), "{answer}");
    let fixture = Fixture::with_member("    no_write_dirs: ['**/keep']\n", &[("a/b/keep", "")]);
    let answer = fixture.refused("rm_dir", json!({"path": "a", "recursive": true}), "ACCESS_DENIED");
    assert!(answer["message"].as_str().unwrap().contains("`a/b/keep`"), "{answer}");
}

#[test]
fn a_refusal_names_the_entry_that_decided() {
    let answer = fixture().refused("create_new_file", json!({"path": "src/gen/x"}), "ACCESS_DENIED");
    assert_eq!(
        (&answer["details"]["reason"], &answer["details"]["entry"]),
        (&"denied".into(), &"src/gen".into())
    );
    let answer = fixture().refused("create_new_file", json!({"path": ".minds/x"}), "ACCESS_DENIED");
    assert_eq!(answer["details"]["reason"], "reserved");
    assert!(answer["next"].as_str().unwrap().contains("team_mgmt_"), "{answer}");
}

/// A list that cannot be read denies.
#[test]
fn an_unreadable_list_denies() {
    let fixture = Fixture::with_member("    write_dirs: 5\n", FILES);
    fixture.refused("create_new_file", json!({"path": "src/x"}), "ACCESS_DENIED");
    fixture.ok("read_file", json!({"path": "src/a.txt"}));
}

/// Lists do not apply in `.minds`, where they are edited.
#[test]
fn the_lists_of_a_member_do_not_apply_in_minds() {
    let fixture = Fixture::with_member("    no_read_dirs: [.minds]\n    no_write_dirs: [.minds]\n", &[]);
    fixture.ok("team_mgmt_read_file", json!({"path": ".minds/team.yaml"}));
    fixture.ok("team_mgmt_create_new_file", json!({"path": ".minds/x"}));
    fixture.refused("read_file", json!({"path": ".minds/team.yaml"}), "ACCESS_DENIED");
    assert!(fs::metadata(fixture.place(".minds/x")).is_ok());
}

//! Paths that the tools of `.minds` accept, and refusals of invalid ones.

use serde_json::json;

use crate::files::fixture::Fixture;

fn fixture() -> Fixture {
    let fixture = Fixture::new(&[
        (".minds/team.yaml", "members: {}\n"),
        (".minds/team/a/persona.md", "a\n"),
        ("README.md", "r\n"),
    ]);
    fixture.link(".minds/up", "..");
    fixture.link(".minds/out.txt", "../../outside/secret");
    fixture.link(".minds/dangling", "nowhere");
    fixture
}

/// Reads a path, makes a file there and one below, and removes it: all of them are refused with the same next step.
#[track_caller]
fn check(path: &str, next: &str) {
    let fixture = fixture();
    let calls = [
        ("team_mgmt_read_file", json!({"path": path})),
        ("team_mgmt_list_dir", json!({"path": path})),
        ("team_mgmt_create_new_file", json!({"path": path, "content": "x"})),
        ("team_mgmt_mk_dir", json!({"path": path})),
        ("team_mgmt_rm_file", json!({"path": path})),
        ("team_mgmt_rm_dir", json!({"path": path, "recursive": true})),
        ("team_mgmt_move_file", json!({"from": path, "to": ".minds/new"})),
        ("team_mgmt_move_dir", json!({"from": ".minds/team", "to": path})),
    ];
    for (tool, args) in calls {
        let answer = fixture.refused(tool, args, "INVALID_PATH");
        assert_eq!(answer["next"], next, "{tool} `{path}`");
    }
}

const GENERIC: &str = "pass a path that begins with `.minds/`, such as `.minds/team.yaml`";
const PACKAGE: &str = "task packages have their own tools, and are never in `.minds`";

#[test]
fn only_explicit_paths_are_accepted_and_the_right_spelling_is_suggested() {
    check("team.yaml", "use `.minds/team.yaml`");
    check("/team.yaml", "use `.minds/team.yaml`");
    check("team/a/persona.md", "use `.minds/team/a/persona.md`");
    check("./.minds/team.yaml", "use `.minds/team.yaml`");
    check(".minds//team.yaml", "use `.minds/team.yaml`");
    check(".minds/team.yaml/", "use `.minds/team.yaml`");
    check(".minds/./team.yaml", "use `.minds/team.yaml`");
    check(".minds/team/../team.yaml", "use `.minds/team.yaml`");
    check(".minds\\team.yaml", "use `.minds/team.yaml`");
    check(".MINDS/team.yaml", "use `.minds/team.yaml`");
    check("/home/me/ws/.minds/team.yaml", "use `.minds/team.yaml`");
    check("/etc/x", GENERIC);
    check("../.minds/team.yaml", GENERIC);
    check(".minds/../README.md", GENERIC);
    check("../evil", GENERIC);
    check("..", GENERIC);
    check(".", GENERIC);
    check("~/x", GENERIC);
    check(".mindsx/a", "use `.minds/.mindsx/a`");
    check(".minds/a\0b", GENERIC);
    check(".minds/a\nb", GENERIC);
    check(".minds/\u{202e}b", GENERIC);
    check(".minds/x.tsk/goals.md", PACKAGE);
    check(".minds/X.TSK", PACKAGE);
    check(".minds/.tsk/x", PACKAGE);
}

#[test]
fn a_blank_path_is_refused() {
    for text in ["", "  "] {
        fixture().refused("team_mgmt_read_file", json!({"path": text}), "PATH_REQUIRED");
        fixture().refused("team_mgmt_list_dir", json!({"path": text}), "PATH_REQUIRED");
        fixture().refused("team_mgmt_mk_dir", json!({"path": text}), "PATH_REQUIRED");
        fixture().refused("read_file", json!({"path": text}), "PATH_REQUIRED");
        fixture().refused("mk_dir", json!({"path": text}), "PATH_REQUIRED");
    }
}

#[test]
fn no_link_is_followed_in_minds() {
    let fixture = fixture();
    for path in [".minds/up/README.md", ".minds/out.txt", ".minds/dangling", ".minds/up/.minds/team.yaml"] {
        fixture.refused("team_mgmt_read_file", json!({"path": path}), "INVALID_PATH");
        let args = json!({"path": path, "content": "x", "known_old_sha256": "0".repeat(64)});
        fixture.refused("team_mgmt_overwrite_entire_file", args, "INVALID_PATH");
    }
    fixture.refused("team_mgmt_list_dir", json!({"path": ".minds/up"}), "INVALID_PATH");
    fixture.refused(
        "team_mgmt_create_new_file",
        json!({"path": ".minds/up/new", "content": "x"}),
        "NOT_A_DIR",
    );
    fixture.refused("team_mgmt_create_new_file", json!({"path": ".minds/dangling"}), "FILE_EXISTS");
    fixture.refused("team_mgmt_create_new_file", json!({"path": ".minds/out.txt"}), "FILE_EXISTS");
    fixture.refused("team_mgmt_mk_dir", json!({"path": ".minds/up"}), "PATH_EXISTS_NOT_DIR");
    fixture.refused("team_mgmt_rm_dir", json!({"path": ".minds/up", "recursive": true}), "NOT_A_DIR");
    fixture.refused("team_mgmt_rm_file", json!({"path": ".minds/up/README.md"}), "INVALID_PATH");
    fixture.refused(
        "team_mgmt_move_file",
        json!({"from": ".minds/up/README.md", "to": ".minds/r"}),
        "INVALID_PATH",
    );
    fixture.refused(
        "team_mgmt_move_file",
        json!({"from": ".minds/team.yaml", "to": ".minds/up/t"}),
        "TO_PARENT_NOT_DIR",
    );
}

#[test]
fn a_link_in_place_of_minds_is_not_followed() {
    let fixture = Fixture::new(&[("real/team.yaml", "members: {}\n")]);
    fixture.link(".minds", "real");
    fixture.refused("team_mgmt_list_dir", json!({}), "INVALID_PATH");
    fixture.refused("team_mgmt_read_file", json!({"path": ".minds/team.yaml"}), "INVALID_PATH");
    fixture.refused("team_mgmt_create_new_file", json!({"path": ".minds/x"}), "NOT_A_DIR");
    fixture.refused("team_mgmt_mk_dir", json!({"path": ".minds"}), "PATH_EXISTS_NOT_DIR");
}

#[test]
fn a_link_in_minds_is_removed_and_renamed_as_a_link() {
    let fixture = fixture();
    fixture.ok("team_mgmt_move_file", json!({"from": ".minds/up", "to": ".minds/team/up"}));
    assert!(!fixture.has(".minds/up") && fixture.has(".minds/team/up"));
    for path in [".minds/team/up", ".minds/out.txt", ".minds/dangling"] {
        fixture.ok("team_mgmt_rm_file", json!({"path": path}));
        assert!(!fixture.has(path));
    }
    assert_eq!(fixture.text("README.md"), "r\n");
    assert_eq!(fixture.text("../outside/secret"), "outside secret\n");
}

#[test]
fn minds_itself_cannot_be_moved_or_removed() {
    for (files, exists) in [(&[(".minds/team.yaml", "")][..], true), (&[][..], false)] {
        let fixture = Fixture::new(files);
        fixture.refused("team_mgmt_rm_dir", json!({"path": ".minds", "recursive": true}), "INVALID_PATH");
        fixture.refused("team_mgmt_rm_file", json!({"path": ".minds"}), "INVALID_PATH");
        fixture.refused("team_mgmt_move_dir", json!({"from": ".minds", "to": ".minds/x"}), "INVALID_PATH");
        fixture.refused("team_mgmt_move_file", json!({"from": ".minds/x", "to": ".minds"}), "INVALID_PATH");
        fixture.refused("team_mgmt_create_new_file", json!({"path": ".minds"}), "INVALID_PATH");
        assert_eq!(fixture.has(".minds"), exists);
    }
}

#[test]
fn without_minds_the_list_is_empty_and_creating_a_file_creates_it() {
    let fixture = Fixture::new(&[]);
    let listed = fixture.ok("team_mgmt_list_dir", json!({}));
    assert_eq!(listed["entries"], json!([]));
    assert!(listed["note"].as_str().unwrap().contains(".minds"));
    let answer =
        fixture.refused("team_mgmt_read_file", json!({"path": ".minds/team.yaml"}), "FILE_NOT_FOUND");
    assert!(answer["next"].as_str().unwrap().contains("team_mgmt_create_new_file"), "{answer}");
    fixture.refused("team_mgmt_rm_file", json!({"path": ".minds/team.yaml"}), "FILE_NOT_FOUND");
    fixture.refused("team_mgmt_rm_dir", json!({"path": ".minds/team"}), "DIR_NOT_FOUND");
    fixture.refused("team_mgmt_list_dir", json!({"path": ".minds/team"}), "DIR_NOT_FOUND");
    fixture.ok("team_mgmt_create_new_file", json!({"path": ".minds/team/a/persona.md", "content": "x"}));
    assert_eq!(fixture.text(".minds/team/a/persona.md"), "x\n");
    assert!(fixture.ok("team_mgmt_list_dir", json!({}))["note"].is_null());
    let other = Fixture::new(&[]);
    assert_eq!(other.ok("team_mgmt_mk_dir", json!({"path": ".minds"}))["created"], true);
    assert!(other.has(".minds"));
}

#[test]
fn a_file_named_minds_is_reported() {
    let fixture = Fixture::new(&[(".minds", "x")]);
    fixture.refused("team_mgmt_list_dir", json!({}), "NOT_A_DIR");
    fixture.refused("team_mgmt_read_file", json!({"path": ".minds/team.yaml"}), "NOT_A_DIR");
    fixture.refused("team_mgmt_create_new_file", json!({"path": ".minds/team.yaml"}), "NOT_A_DIR");
    fixture.refused("team_mgmt_create_new_file", json!({"path": ".minds/a/b"}), "NOT_A_DIR");
    fixture.refused("team_mgmt_mk_dir", json!({"path": ".minds"}), "PATH_EXISTS_NOT_DIR");
}

#[test]
fn similar_names_are_suggested() {
    let answer =
        fixture().refused("team_mgmt_read_file", json!({"path": ".minds/teem.yaml"}), "FILE_NOT_FOUND");
    assert_eq!(answer["next"], "did you mean `.minds/team.yaml`?");
    let answer = fixture().refused("team_mgmt_list_dir", json!({"path": ".minds/tean"}), "DIR_NOT_FOUND");
    assert_eq!(answer["next"], "did you mean `.minds/team`?");
}

/// Paths of general tools are normalised by their names alone.
#[test]
fn paths_of_the_workspace() {
    let fixture = Fixture::new(&[("src/main.rs", "m\n"), ("x.tsk/goals.md", "g\n"), ("a.tsk/x", "g\n")]);
    fixture.link("alias", "x.tsk");
    for path in ["src/main.rs", "./src//main.rs", "src/../src/main.rs", "src/./main.rs"] {
        assert_eq!(fixture.ok("read_file", json!({"path": path}))["content"], "m\n", "{path}");
    }
    for path in
        ["/src/main.rs", "../ws/src/main.rs", "../ws-evil/f", "..", "a/../../ws/src/main.rs", "a\\b", "a\0b"]
    {
        fixture.refused("read_file", json!({"path": path}), "INVALID_PATH");
        fixture.refused("create_new_file", json!({"path": path}), "INVALID_PATH");
        fixture.refused("list_dir", json!({"path": path}), "INVALID_PATH");
        fixture.refused("search_text", json!({"path": path, "text": "x"}), "INVALID_PATH");
    }
    for path in ["x.tsk/goals.md", "X.TSK/goals.md", ".tsk/x", "alias/goals.md", "a.tsk/x", "src/../x.tsk"] {
        fixture.refused("read_file", json!({"path": path}), "ACCESS_DENIED");
        fixture.refused("list_dir", json!({"path": path}), "ACCESS_DENIED");
        fixture.refused("rm_file", json!({"path": path}), "ACCESS_DENIED");
        fixture.refused("rm_dir", json!({"path": path, "recursive": true}), "ACCESS_DENIED");
        fixture.refused("search_text", json!({"path": path, "text": "g"}), "ACCESS_DENIED");
    }
    for path in ["", ".", "src/..", "./"] {
        for (tool, args) in [
            ("rm_dir", json!({"path": path, "recursive": true})),
            ("move_dir", json!({"from": path, "to": "new"})),
            ("move_dir", json!({"from": "src", "to": path})),
            ("create_new_file", json!({"path": path})),
        ] {
            let code = if path.is_empty() { "PATH_REQUIRED" } else { "INVALID_PATH" };
            fixture.refused(tool, args, code);
        }
        assert_eq!(fixture.ok("list_dir", json!({"path": path}))["path"], ".");
    }
}

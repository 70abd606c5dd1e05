//! Making files and directories.

use std::fs;
use std::os::unix::net::UnixListener;

use minds_document::ContentHash;
use serde_json::json;

use crate::house::House;

#[test]
fn what_was_written_is_told() {
    for (content, stored, lines, is_ended) in [
        ("x", "x\n", 1, true),
        ("x\n", "x\n", 1, false),
        ("", "", 0, false),
        ("\n", "\n", 1, false),
        ("a\r\nb", "a\r\nb\r\n", 2, true),
        ("a\r\nb\r\n", "a\r\nb\r\n", 2, false),
        ("a\n\nb", "a\n\nb\n", 3, true),
        ("``` é\u{0}", "``` é\u{0}\n", 1, true),
    ] {
        let house = House::new(&[]);
        for (tool, path) in [("team_mgmt_create_new_file", ".minds/a/b.md"), ("create_new_file", "a/b.md")] {
            let answer = house.ok(tool, json!({"path": path, "content": content}));
            assert_eq!(house.text(path), stored);
            assert_eq!(answer["path"], path);
            assert_eq!(answer["new_total_lines"], lines, "{content:?}");
            assert_eq!(answer["new_total_bytes"], stored.len());
            assert_eq!(answer["normalized_trailing_newline_added"], is_ended, "{content:?}");
            assert_eq!(answer["sha256"], ContentHash::of(stored.as_bytes()).to_string());
        }
    }
    let house = House::new(&[]);
    house.ok("create_new_file", json!({"path": "empty"}));
    assert_eq!(house.text("empty"), "");
}

#[test]
fn nothing_is_overwritten() {
    let house = House::new(&[("file", "old\n"), ("dir/x", "")]);
    house.link("dangling", "nowhere");
    house.link("out", "../outside/new");
    drop(UnixListener::bind(house.place("socket")).unwrap());
    for (path, code) in [
        ("file", "FILE_EXISTS"),
        ("dangling", "FILE_EXISTS"),
        ("out", "FILE_EXISTS"),
        ("dir", "NOT_A_FILE"),
        ("socket", "NOT_A_FILE"),
        ("file/x", "NOT_A_DIR"),
        ("file/x/y", "NOT_A_DIR"),
        ("dangling/x", "NOT_A_DIR"),
    ] {
        house.refused("create_new_file", json!({"path": path, "content": "new"}), code);
    }
}

#[test]
fn a_name_that_some_system_refuses_makes_nothing_not_even_directories() {
    let house = House::new(&[]);
    let long = "n".repeat(256);
    for path in [
        "new/CON.txt",
        "new/a?",
        "new/x.",
        "CON",
        "aux/x/y",
        ".x.minds-new",
        "new/.x.minds-lock",
        &long,
        &format!("new/{long}"),
    ] {
        house.refused("create_new_file", json!({"path": path}), "INVALID_PATH");
        house.refused("mk_dir", json!({"path": path}), "INVALID_PATH");
    }
    let deep = vec!["d"; 65].join("/");
    house.refused("create_new_file", json!({"path": deep}), "INVALID_PATH");
    assert_eq!(fs::read_dir(house.place("")).unwrap().count(), 0);
}

#[test]
fn directories() {
    let house = House::new(&[("file", "")]);
    house.link("in", "a");
    for (path, created) in [
        ("a", true),
        ("a", false),
        ("b/c/d", true),
        ("b/c", false),
        ("in", false),
        (".", false),
        ("in/x", true),
    ] {
        assert_eq!(house.ok("mk_dir", json!({"path": path}))["created"], created, "{path}");
    }
    assert!(house.has("b/c/d") && house.has("a/x"));
    house.refused("mk_dir", json!({"path": "file"}), "PATH_EXISTS_NOT_DIR");
    house.refused("mk_dir", json!({"path": "file/x"}), "NOT_A_DIR");
    house.refused("mk_dir", json!({"path": "e/f", "parents": false}), "DIR_NOT_FOUND");
    house.ok("mk_dir", json!({"path": "e", "parents": false}));
    house.ok("mk_dir", json!({"path": "e/f", "parents": false}));
    house.link("dangling", "nowhere");
    house.refused("mk_dir", json!({"path": "dangling"}), "PATH_EXISTS_NOT_DIR");
    assert_eq!(house.ok("team_mgmt_mk_dir", json!({"path": ".minds/team/a"}))["created"], true);
    assert_eq!(house.ok("team_mgmt_mk_dir", json!({"path": ".minds"}))["created"], false);
}

/// What is above a new file need only be the caller's to change where it is new as well.
#[test]
fn only_what_is_made_is_judged() {
    let house = House::with_member("    write_dirs: [src/gen]\n", &[("src/x", "")]);
    house.ok("create_new_file", json!({"path": "src/gen/a/b"}));
    house.refused("create_new_file", json!({"path": "src/other"}), "ACCESS_DENIED");
    let house = House::with_member("    write_dirs: [src/gen]\n", &[]);
    house.refused("create_new_file", json!({"path": "src/gen/a"}), "ACCESS_DENIED");
    house.refused("mk_dir", json!({"path": "src/gen"}), "ACCESS_DENIED");
}

/// Where a link leads to what is closed, that is only seen on the way; what was made until then goes again.
#[test]
fn what_is_refused_leaves_no_directory() {
    let lists = "    no_write_dirs: [real/a/deny, real/b/f]\n    no_write_file_ext_names: ['2']\n";
    let house = House::with_member(lists, &[("real/x", "")]);
    house.link("link", "real");
    for (tool, path) in [
        ("create_new_file", "link/b/f"),
        ("mk_dir", "link/b/f"),
        ("create_new_file", "link/a/deny/f"),
        ("mk_dir", "link/a/deny/d"),
        ("mk_dir", "link/a/deny"),
    ] {
        house.refused(tool, json!({"path": path}), "ACCESS_DENIED");
    }
    // What can be judged before is, so nothing is made at all.
    let changed = || fs::metadata(house.place("")).unwrap().modified().unwrap();
    let before = changed();
    house.refused("create_new_file", json!({"path": "n/v1.2/f"}), "ACCESS_DENIED");
    assert_eq!(changed(), before);
}

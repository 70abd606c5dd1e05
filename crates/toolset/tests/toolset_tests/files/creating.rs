//! Making files and directories.

use std::fs;
use std::os::unix::net::UnixListener;

use minds_vfs::ContentHash;
use serde_json::json;

use crate::files::fixture::Fixture;

#[test]
fn the_written_file_is_described() {
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
        let fixture = Fixture::new(&[]);
        for (tool, path) in [("team_mgmt_create_new_file", ".minds/a/b.md"), ("create_new_file", "a/b.md")] {
            let answer = fixture.ok(tool, json!({"path": path, "content": content}));
            assert_eq!(fixture.text(path), stored);
            assert_eq!(answer["path"], path);
            assert_eq!(answer["new_total_lines"], lines, "{content:?}");
            assert_eq!(answer["new_total_bytes"], stored.len());
            assert_eq!(answer["normalized_trailing_newline_added"], is_ended, "{content:?}");
            assert_eq!(answer["sha256"], ContentHash::of(stored.as_bytes()).to_string());
        }
    }
    let fixture = Fixture::new(&[]);
    fixture.ok("create_new_file", json!({"path": "empty"}));
    assert_eq!(fixture.text("empty"), "");
}

#[test]
fn nothing_is_overwritten() {
    let fixture = Fixture::new(&[("file", "old\n"), ("dir/x", "")]);
    fixture.link("dangling", "nowhere");
    fixture.link("out", "../outside/new");
    drop(UnixListener::bind(fixture.place("socket")).unwrap());
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
        fixture.refused("create_new_file", json!({"path": path, "content": "new"}), code);
    }
}

#[test]
fn an_unportable_name_creates_neither_a_file_nor_directories() {
    let fixture = Fixture::new(&[]);
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
        fixture.refused("create_new_file", json!({"path": path}), "INVALID_PATH");
        fixture.refused("mk_dir", json!({"path": path}), "INVALID_PATH");
    }
    let deep = vec!["d"; 65].join("/");
    fixture.refused("create_new_file", json!({"path": deep}), "INVALID_PATH");
    assert_eq!(fs::read_dir(fixture.place("")).unwrap().count(), 0);
}

#[test]
fn directories() {
    let fixture = Fixture::new(&[("file", "")]);
    fixture.link("in", "a");
    for (path, created) in [
        ("a", true),
        ("a", false),
        ("b/c/d", true),
        ("b/c", false),
        ("in", false),
        (".", false),
        ("in/x", true),
    ] {
        assert_eq!(fixture.ok("mk_dir", json!({"path": path}))["created"], created, "{path}");
    }
    assert!(fixture.has("b/c/d") && fixture.has("a/x"));
    fixture.refused("mk_dir", json!({"path": "file"}), "PATH_EXISTS_NOT_DIR");
    fixture.refused("mk_dir", json!({"path": "file/x"}), "NOT_A_DIR");
    fixture.refused("mk_dir", json!({"path": "e/f", "parents": false}), "DIR_NOT_FOUND");
    fixture.ok("mk_dir", json!({"path": "e", "parents": false}));
    fixture.ok("mk_dir", json!({"path": "e/f", "parents": false}));
    fixture.link("dangling", "nowhere");
    fixture.refused("mk_dir", json!({"path": "dangling"}), "PATH_EXISTS_NOT_DIR");
    assert_eq!(fixture.ok("team_mgmt_mk_dir", json!({"path": ".minds/team/a"}))["created"], true);
    assert_eq!(fixture.ok("team_mgmt_mk_dir", json!({"path": ".minds"}))["created"], false);
}

/// What is above a new file need only be the caller's to change where it is new as well.
#[test]
fn only_access_to_created_entries_is_checked() {
    let fixture = Fixture::with_member("    write_dirs: [src/gen]\n", &[("src/x", "")]);
    fixture.ok("create_new_file", json!({"path": "src/gen/a/b"}));
    fixture.refused("create_new_file", json!({"path": "src/other"}), "ACCESS_DENIED");
    let fixture = Fixture::with_member("    write_dirs: [src/gen]\n", &[]);
    fixture.refused("create_new_file", json!({"path": "src/gen/a"}), "ACCESS_DENIED");
    fixture.refused("mk_dir", json!({"path": "src/gen"}), "ACCESS_DENIED");
}

/// Where a link leads to what is closed, that is only seen on the way; what was made until then goes again.
#[test]
fn a_refused_creation_leaves_no_directory() {
    let lists = "    no_write_dirs: [real/a/deny, real/b/f]\n    no_write_file_ext_names: ['2']\n";
    let fixture = Fixture::with_member(lists, &[("real/x", "")]);
    fixture.link("link", "real");
    for (tool, path) in [
        ("create_new_file", "link/b/f"),
        ("mk_dir", "link/b/f"),
        ("create_new_file", "link/a/deny/f"),
        ("mk_dir", "link/a/deny/d"),
        ("mk_dir", "link/a/deny"),
    ] {
        fixture.refused(tool, json!({"path": path}), "ACCESS_DENIED");
    }
    // What can be checked before is, so nothing is made at all.
    let changed = || fs::metadata(fixture.place("")).unwrap().modified().unwrap();
    let before = changed();
    fixture.refused("create_new_file", json!({"path": "n/v1.2/f"}), "ACCESS_DENIED");
    assert_eq!(changed(), before);
}

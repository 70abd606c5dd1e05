//! Replacing a whole file.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Barrier;

use minds_vfs::ContentHash;
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

const OLD: &str = "a\nb\n";

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn args(content: &str, known: Value) -> Value {
    let mut args = json!({"path": ".minds/f", "content": content, "known_old_sha256": hash(OLD)});
    for (name, value) in known.as_object().unwrap() {
        args[name] = value.clone();
    }
    args
}

fn fixture() -> Fixture {
    Fixture::new(&[(".minds/f", OLD), ("f", OLD)])
}

const TOOL: &str = "team_mgmt_overwrite_entire_file";

#[test]
fn the_expected_state_of_the_old_file_must_match() {
    let digits = hash(OLD).replace("sha256:", "").to_uppercase();
    for known in [
        json!({}),
        json!({"known_old_total_lines": 2, "known_old_total_bytes": 4}),
        json!({"known_old_total_lines": 2}),
        json!({"known_old_sha256": digits}),
    ] {
        let fixture = fixture();
        let answer = fixture.ok(TOOL, args("new", known));
        assert_eq!(fixture.text(".minds/f"), "new\n");
        assert_eq!(answer["new_total_lines"], 1);
        assert_eq!(answer["new_total_bytes"], 4);
        assert_eq!(answer["normalized_trailing_newline_added"], true);
        assert_eq!(answer["sha256"], hash("new\n"));
        assert_eq!(answer["content_format"], "text");
    }
    for known in [
        json!({"known_old_total_lines": 1}),
        json!({"known_old_total_bytes": 5}),
        json!({"known_old_sha256": hash("A\nB\n"), "known_old_total_lines": 2, "known_old_total_bytes": 4}),
        json!({"known_old_sha256": hash("new\n")}),
    ] {
        let fixture = fixture();
        let answer = fixture.refused(TOOL, args("new", known), "STATS_MISMATCH");
        let details = &answer["details"];
        assert_eq!(details["actual_total_lines"], 2);
        assert_eq!(details["actual_total_bytes"], 4);
        assert_eq!(details["actual_sha256"], hash(OLD));
    }
}

/// The size alone tells nothing: another file of the same size is not overwritten.
#[test]
fn a_different_file_of_equal_size_does_not_pass() {
    let fixture = fixture();
    fixture.write(".minds/f", b"A\nB\n");
    let known = json!({"known_old_total_lines": 2, "known_old_total_bytes": 4});
    fixture.refused(TOOL, args("new", known.clone()), "STATS_MISMATCH");
    let mut without = args("new", known);
    without.as_object_mut().unwrap().remove("known_old_sha256");
    fixture.refused(TOOL, without, "INVALID_ARGS");
    assert_eq!(fixture.text(".minds/f"), "A\nB\n");
}

#[test]
fn invalid_arguments_are_reported() {
    for known in [
        json!({"known_old_sha256": "abc"}),
        json!({"known_old_sha256": ""}),
        json!({"known_old_total_lines": -1}),
        json!({"known_old_total_bytes": 1.5}),
        json!({"content_format": "yaml"}),
        json!({"content": null}),
        json!({"other": 1}),
    ] {
        fixture().refused(TOOL, args("new", known), "INVALID_ARGS");
    }
    fixture().refused(TOOL, args("x", json!({"path": ".minds/none"})), "FILE_NOT_FOUND");
    fixture().refused(TOOL, args("x", json!({"path": ".minds"})), "INVALID_PATH");
    let fixture = Fixture::new(&[(".minds/f/g", "")]);
    fixture.refused(TOOL, args("x", json!({})), "NOT_A_FILE");
}

#[test]
fn a_diff_must_be_declared() {
    let diff = "--- a/x\n+++ b/x\n";
    for format in ["", "text", "markdown", "json"] {
        fixture().refused(TOOL, args(diff, json!({"content_format": format})), "SUSPICIOUS_DIFF");
    }
    for format in ["diff", "patch"] {
        let fixture = fixture();
        assert_eq!(fixture.ok(TOOL, args(diff, json!({"content_format": format})))["content_format"], format);
        assert_eq!(fixture.text(".minds/f"), diff);
    }
    let answer = fixture().refused(TOOL, args(diff, json!({"known_old_total_lines": 9})), "STATS_MISMATCH");
    assert!(answer["next"].is_string());
}

#[test]
fn line_endings_and_permissions_stay_and_a_file_may_become_empty() {
    let fixture = fixture();
    fs::set_permissions(fixture.place(".minds/f"), fs::Permissions::from_mode(0o750)).unwrap();
    fixture.ok(TOOL, args("a\r\nb", json!({})));
    assert_eq!(fixture.text(".minds/f"), "a\r\nb\r\n");
    let mode = fs::metadata(fixture.place(".minds/f")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    let answer = fixture.ok(TOOL, args("", json!({"known_old_sha256": hash("a\r\nb\r\n")})));
    assert_eq!((&answer["new_total_lines"], &answer["new_total_bytes"]), (&json!(0), &json!(0)));
    assert_eq!(fixture.text(".minds/f"), "");
}

#[test]
fn binary_files_can_be_replaced_and_read_only_files_cannot() {
    let fixture = fixture();
    fixture.write(".minds/f", b"\xff\n");
    let known = ContentHash::of(b"\xff\n").to_string();
    fs::set_permissions(fixture.place(".minds/f"), fs::Permissions::from_mode(0o444)).unwrap();
    fixture.refused(TOOL, args("x", json!({"known_old_sha256": known})), "ACCESS_DENIED");
    fs::set_permissions(fixture.place(".minds/f"), fs::Permissions::from_mode(0o644)).unwrap();
    fixture.ok(TOOL, args("x", json!({"known_old_sha256": known})));
}

/// A link that stays inside is followed in the workspace, and stays a link.
#[test]
fn replacing_through_a_link_replaces_its_target() {
    let fixture = fixture();
    fixture.link("in", "f");
    fixture.link("out", "../outside/secret");
    fixture.link("minds", ".minds/f");
    let args =
        |path: &str, old: &str| json!({"path": path, "content": "new\n", "known_old_sha256": hash(old)});
    fixture.ok("overwrite_entire_file", args("in", OLD));
    assert_eq!(fixture.text("f"), "new\n");
    assert!(fs::symlink_metadata(fixture.place("in")).unwrap().is_symlink());
    fixture.refused("overwrite_entire_file", args("out", "outside secret\n"), "INVALID_PATH");
    fixture.refused("overwrite_entire_file", args("minds", OLD), "ACCESS_DENIED");
    fixture.refused("overwrite_entire_file", args(".minds/f", OLD), "ACCESS_DENIED");
}

/// Of those who know the same old file one replaces it, however many try at once.
#[test]
fn one_of_several_concurrent_writes_succeeds() {
    for _ in 0..40 {
        let fixture = fixture();
        let start = Barrier::new(8);
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|number| {
                    let (fixture, start, args) =
                        (&fixture, &start, args(&format!("writer {number}\n"), json!({})));
                    scope.spawn(move || {
                        start.wait();
                        fixture.toolbox.call(&fixture.context, TOOL, &args, &fixture.caller).to_json()
                    })
                })
                .collect();
            tries.into_iter().map(|tried| tried.join().unwrap()).collect()
        });
        let (done, refused): (Vec<&Value>, Vec<&Value>) =
            answers.iter().partition(|answer| answer["status"] == "ok");
        assert_eq!(done.len(), 1, "{answers:?}");
        assert_eq!(done[0]["sha256"], hash(&fixture.text(".minds/f")));
        assert!(refused.iter().all(|answer| answer["code"] == "STATS_MISMATCH"), "{answers:?}");
    }
}

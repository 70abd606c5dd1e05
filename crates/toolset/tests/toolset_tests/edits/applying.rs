//! What becomes of planned changes when they are applied.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::edits::site::{Site, outcome};

/// Plans a change of lines, changes the file, and applies the plan.
#[track_caller]
fn check(text: &str, (range, content): (&str, &str), now: &str, expected: &str, result: &str) {
    let site = Site::with(text);
    let id = site.range(range, content);
    site.write(".minds/a.md", now);
    let applied = site.apply(&id);
    assert_eq!(outcome(&applied), expected, "{text:?} {range} {now:?}: {applied}");
    assert_eq!(site.text(), result, "{text:?} {range} {now:?}");
    let again = if applied["status"] == "ok" { "HUNK_NOT_FOUND" } else { expected };
    assert_eq!(outcome(&site.apply(&id)), again, "used once, and kept where it was refused");
}

#[test]
fn a_planned_line_is_found_again_or_left_alone() {
    check("a\nb\nc\n", ("2", "B"), "a\nb\nc\n", "exact", "a\nB\nc\n");
    check("a\nb\nc\n", ("2", "B"), "0\na\nb\nc\n", "fuzz", "0\na\nB\nc\n");
    check("a\nb\nc\n", ("2", "B"), "a\nX\nc\n", "CONTENT_CHANGED", "a\nX\nc\n");
    check("a\nb\nc\nd\n", ("2", "B"), "a\nb\nc\nD\n", "exact", "a\nB\nc\nD\n");
    // The three lines are kept together, so the second of them is known.
    check("x\nx\nx\n", ("2", "X"), "0\nx\nx\nx\n", "fuzz", "0\nx\nX\nx\n");
    check("a\n\nb\n\nc\n", ("2", "X"), "b\n\nc\n", "CONTENT_CHANGED", "b\n\nc\n");
    check("a\n", ("2~", "z"), "a\nb\n", "fuzz", "a\nb\nz\n");
    check("a\r\nb\r\nc", ("2", "B"), "0\r\na\r\nb\r\nc", "fuzz", "0\r\na\r\nB\r\nc");
}

#[test]
fn blocks_are_searched_again() {
    let text = "p\n<\n1\n>\nq\n";
    let check = |now: &str, expected: &str, result: &str| {
        let site = Site::with(text);
        let args = json!({"start_anchor": "<", "end_anchor": ">", "content": "X"});
        let id = site.plan("block_replace", args);
        site.write(".minds/a.md", now);
        let applied = site.apply(&id);
        assert_eq!((outcome(&applied), site.text().as_str()), (expected, result), "{now:?}: {applied}");
    };
    check("0\np\n<\n1\n>\nq\n", "fuzz", "0\np\n<\nX\n>\nq\n");
    check("p\n<\n2\n>\nq\n", "APPLY_REJECTED_CONTENT_CHANGED", "p\n<\n2\n>\nq\n");
    check("p\n<\n1\nq\n", "APPLY_REJECTED_ANCHOR_NOT_FOUND", "p\n<\n1\nq\n");
    let twice = "p\n<\n1\n>\nq\n<\n1\n>\n";
    check(twice, "APPLY_REJECTED_ANCHOR_AMBIGUOUS", twice);
    let nested = "p\n<\n1\n<\n>\nq\n";
    check(nested, "APPLY_REJECTED_ANCHOR_AMBIGUOUS", nested);
    let site = Site::with("<\n1\n>\n<\n2\n>\n");
    let args = json!({"start_anchor": "<", "end_anchor": ">", "content": "X", "occurrence": 2});
    let id = site.plan("block_replace", args);
    site.write(".minds/a.md", "<\n1\n>\n");
    assert_eq!(outcome(&site.apply(&id)), "APPLY_REJECTED_OCCURRENCE_OUT_OF_RANGE");
}

#[test]
fn several_changes_that_were_planned_together_all_happen() {
    let site = Site::with("1\n2\n3\n4\n5\n6\n7\n");
    let ids = [
        site.range("1", "one\nmore"),
        site.range("4", ""),
        site.plan("insert_after", json!({"anchor": "6", "content": "x"})),
        site.plan("file_append", json!({"content": "end"})),
    ];
    let found: Vec<String> = ids.iter().map(|id| outcome(&site.apply(id)).to_owned()).collect();
    assert_eq!(found, ["exact", "fuzz", "exact", "fuzz"]);
    assert_eq!(site.text(), "one\nmore\n2\n3\n5\n6\nx\n7\nend\n");
}

#[test]
fn an_answer_shows_the_change_and_the_replaced_text() {
    let site = Site::with("a\nb\nc\n");
    let id = site.range("3", "C");
    site.write(".minds/a.md", "0\na\nb\nc\n");
    let said = site.apply(&format!("!{id}"));
    assert_eq!(said["mode"], "apply_file_modification");
    assert_eq!((&said["hunk_id"], &said["action"]), (&json!(id), &json!("replace")));
    assert_eq!(said["range"], json!({"applied": {"start": 4, "end": 4}}));
    assert_eq!(said["lines"], json!({"old": 1, "new": 1, "delta": 0}));
    assert_eq!(said["file_changed_since_preview"], true);
    assert_ne!(said["planned_file_digest_sha256"], said["current_file_digest_sha256"]);
    assert_eq!(said["apply_evidence"], json!({"before": ["a", "b"], "applied": ["C"], "after": []}));
    assert_eq!(said["diff"], "--- a/.minds/a.md\n+++ b/.minds/a.md\n@@ -1,4 +1,4 @@\n 0\n a\n b\n-c\n+C\n");
}

#[test]
fn a_new_file_is_created_with_its_directories() {
    let site = Site::new(&[]);
    let args =
        |create: Value| json!({"path": ".minds/team/a/persona.md", "content": "I\n", "create": create});
    let refused = site.call("team_mgmt_preview_file_append", args(json!(false)));
    assert_eq!(outcome(&refused), "FILE_NOT_FOUND");
    let planned = site.call("team_mgmt_preview_file_append", args(json!(true)));
    assert_eq!((outcome(&planned), &planned["created"]), ("ok", &json!(true)));
    assert!(planned["diff"].as_str().unwrap().starts_with("--- /dev/null\n"));
    assert!(!site.path(".minds").exists());
    let second = site.call("team_mgmt_preview_file_append", args(json!(true)));
    assert_eq!(outcome(&site.apply(planned["hunk_id"].as_str().unwrap())), "exact");
    assert_eq!(site.read(".minds/team/a/persona.md"), "I\n");
    assert_eq!(outcome(&site.apply(second["hunk_id"].as_str().unwrap())), "fuzz");
    assert_eq!(site.read(".minds/team/a/persona.md"), "I\nI\n");
}

#[test]
fn a_removed_file_is_not_created_again() {
    let site = Site::with("a\n");
    let ids = [site.range("1", "b"), site.plan("file_append", json!({"content": "b"}))];
    std::fs::remove_file(site.path(".minds/a.md")).unwrap();
    for id in ids {
        assert_eq!(outcome(&site.apply(&id)), "FILE_NOT_FOUND");
    }
    assert!(!site.path(".minds/a.md").exists());
}

#[test]
fn permissions_and_invalid_utf8_are_preserved() {
    let site = Site::with("a\n");
    let (first, second) = (site.range("1", "b"), site.plan("file_append", json!({"content": "c"})));
    std::fs::set_permissions(site.path(".minds/a.md"), PermissionsExt::from_mode(0o640)).unwrap();
    assert_eq!(outcome(&site.apply(&first)), "exact");
    assert_eq!(std::fs::metadata(site.path(".minds/a.md")).unwrap().permissions().mode() & 0o777, 0o640);
    site.write(".minds/a.md", b"\xff\n");
    assert_eq!(outcome(&site.apply(&second)), "INVALID_UTF8");
    assert_eq!(std::fs::read(site.path(".minds/a.md")).unwrap(), b"\xff\n");
}

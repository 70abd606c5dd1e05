//! Accepted and refused previews, and their answers.

use serde_json::{Value, json};

use crate::edits::site::{START, Site, outcome};

const FIVE: &str = "1\n2\n3\n4\n5\n";

/// Plans a change, and expects the result or a refusal.
#[track_caller]
fn check(text: &str, tool: &str, args: Value, expected: Result<&str, &str>) {
    let site = Site::with(text);
    let planned = site.preview(tool, args.clone());
    assert_eq!(site.text(), text, "a preview changed the file");
    match expected {
        Err(code) => assert_eq!(outcome(&planned), code, "{tool} {args} on {text:?}: {planned}"),
        Ok(result) => {
            assert_eq!(outcome(&planned), "ok", "{tool} {args} on {text:?}: {planned}");
            let applied = site.apply(planned["hunk_id"].as_str().unwrap());
            assert_eq!(outcome(&applied), "exact", "{tool} {args} on {text:?}: {applied}");
            assert_eq!(site.text(), result, "{tool} {args} on {text:?}");
            assert_eq!(applied["diff"], planned["diff"]);
            assert_eq!(
                applied["lines"]["new"],
                planned.get("lines").map_or(applied["lines"]["new"].clone(), |lines| lines["new"].clone())
            );
        }
    }
}

#[track_caller]
fn range(text: &str, range: &str, content: &str, expected: Result<&str, &str>) {
    check(text, "file_modification", json!({"range": range, "content": content}), expected);
}

#[test]
fn lines_are_exchanged_by_number() {
    range(FIVE, "2~4", "x\n", Ok("1\nx\n5\n"));
    range(FIVE, "6~", "6", Ok("1\n2\n3\n4\n5\n6\n"));
    range(FIVE, "~", "", Ok(""));
    range("", "1", "x", Ok("x\n"));
    range("a\r\nb\r\nc\r\n", "2", "X", Ok("a\r\nX\r\nc\r\n"));
    range("a\nb", "1", "A", Ok("A\nb"));
    check(FIVE, "file_modification", json!({"range": "1"}), Ok("2\n3\n4\n5\n"));
}

#[test]
fn invalid_ranges_are_refused() {
    for text in ["0", "5~4", "2-3", "a", ""] {
        range(FIVE, text, "x", Err("INVALID_RANGE"));
    }
    for text in ["6", "1~9", "7~"] {
        range(FIVE, text, "x", Err("RANGE_OUT_OF_BOUNDS"));
    }
    range(FIVE, "6~", "", Err("CONTENT_REQUIRED"));
}

#[test]
fn lines_are_appended() {
    let append = |text: &str, content: &str, expected| {
        check(text, "file_append", json!({"content": content}), expected);
    };
    append("\n", "b", Ok("\nb\n"));
    append("a", "b", Ok("a\nb\n"));
    append("a\r\n", "b\n", Ok("a\r\nb\r\n"));
    append("", "b", Ok("b\n"));
    append("a\n", "", Err("CONTENT_REQUIRED"));
}

#[test]
fn lines_are_inserted_at_an_anchor() {
    let insert = |side: &str, args: Value, expected| {
        let mut all = json!({"content": "X"});
        all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        check("a1\nb\na2\na1\n", &format!("insert_{side}"), all, expected);
    };
    insert("after", json!({"anchor": "b"}), Ok("a1\nb\nX\na2\na1\n"));
    insert("before", json!({"anchor": "b"}), Ok("a1\nX\nb\na2\na1\n"));
    insert("after", json!({"anchor": "a"}), Err("ANCHOR_AMBIGUOUS"));
    insert("after", json!({"anchor": "a", "occurrence": 0}), Err("ANCHOR_AMBIGUOUS"));
    insert("after", json!({"anchor": "a", "occurrence": ""}), Err("ANCHOR_AMBIGUOUS"));
    insert("after", json!({"anchor": "a", "occurrence": 2}), Ok("a1\nb\na2\nX\na1\n"));
    insert("after", json!({"anchor": "a", "occurrence": "2"}), Ok("a1\nb\na2\nX\na1\n"));
    insert("before", json!({"anchor": "a1", "occurrence": "last"}), Ok("a1\nb\na2\nX\na1\n"));
    insert("before", json!({"anchor": "a", "occurrence": 4}), Err("OCCURRENCE_OUT_OF_RANGE"));
    insert("before", json!({"anchor": "a", "match": "equals"}), Err("ANCHOR_NOT_FOUND"));
    insert("before", json!({"anchor": "a2", "match": "equals"}), Ok("a1\nb\nX\na2\na1\n"));
    insert("before", json!({"anchor": "B"}), Err("ANCHOR_NOT_FOUND"));
    insert("before", json!({"anchor": "z", "occurrence": 3}), Err("ANCHOR_NOT_FOUND"));
    insert("before", json!({"anchor": ""}), Err("INVALID_ARGS"));
    insert("before", json!({"anchor": "b", "occurrence": -1}), Err("INVALID_ARGS"));
    insert("before", json!({"anchor": "b", "content": ""}), Err("CONTENT_REQUIRED"));
}

#[test]
fn blocks_are_replaced_between_their_anchors() {
    let block = |text: &str, args: Value, expected| {
        let mut all = json!({"start_anchor": "<a>", "end_anchor": "</a>", "content": "X"});
        all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        check(text, "block_replace", all, expected);
    };
    let one = "<a>\n1\n</a>\n";
    let two = "<a>\n1\n</a>\n<a>\n2\n</a>\n";
    block(one, json!({}), Ok("<a>\nX\n</a>\n"));
    block(one, json!({"include_anchors": false}), Ok("X\n"));
    block(one, json!({"end_anchor": "<b>"}), Err("ANCHOR_NOT_FOUND"));
    block(one, json!({"content": ""}), Err("CONTENT_REQUIRED"));
    block(two, json!({}), Err("ANCHOR_AMBIGUOUS"));
    block(two, json!({"occurrence": 2}), Ok("<a>\n1\n</a>\n<a>\nX\n</a>\n"));
    block(two, json!({"occurrence": "last"}), Ok("<a>\n1\n</a>\n<a>\nX\n</a>\n"));
    block(two, json!({"occurrence": 3}), Err("OCCURRENCE_OUT_OF_RANGE"));
    block("<a>\n<a>\n</a>\n</a>\n", json!({}), Err("ANCHOR_AMBIGUOUS"));
    block("<a>\n<a>\n</a>\n</a>\n", json!({"occurrence": 1}), Err("ANCHOR_AMBIGUOUS"));
}

/// What a preview accepts with these flags, apply does.
#[test]
fn a_lenient_preview_uses_the_first_block() {
    for flag in ["strict", "require_unique"] {
        let args = json!({"start_anchor": "<", "end_anchor": ">", "content": "X", flag: false});
        check("<\n1\n>\n<\n2\n>\n", "block_replace", args, Ok("<\nX\n>\n<\n2\n>\n"));
    }
}

#[test]
fn paths_that_are_not_text_files_are_refused() {
    let site = Site::with("a\n");
    let of = |path: &str| {
        let args = json!({"path": path, "range": "1", "content": "x"});
        site.call("team_mgmt_preview_file_modification", args)["code"].clone()
    };
    std::fs::create_dir(site.path(".minds/dir")).unwrap();
    site.write(".minds/bad.md", b"a\xff\n");
    std::os::unix::fs::symlink("a.md", site.path(".minds/link.md")).unwrap();
    assert_eq!(of(""), "PATH_REQUIRED");
    assert_eq!(of(".minds/none.md"), "FILE_NOT_FOUND");
    assert_eq!(of(".minds/no/ne.md"), "FILE_NOT_FOUND");
    assert_eq!(of(".minds/dir"), "NOT_A_FILE");
    assert_eq!(of(".minds/bad.md"), "INVALID_UTF8");
    assert_eq!(of(".minds/link.md"), "INVALID_PATH");
    for path in ["a.md", "/etc/passwd", ".minds/../a", ".minds/x.tsk/goals.md", ".minds"] {
        assert_ne!(of(path), Value::Null, "{path}");
    }
    assert_eq!(std::fs::read(site.path(".minds/bad.md")).unwrap(), b"a\xff\n");
    assert!(!site.state().exists(), "a refused call leaves no state");
}

#[test]
fn results_that_are_too_large_are_refused() {
    let site = Site::with(&"x".repeat(4 * 1024 * 1024 - 3));
    assert_eq!(outcome(&site.preview("file_append", json!({"content": "a"}))), "ok");
    assert_eq!(outcome(&site.preview("file_append", json!({"content": "abc"}))), "TOO_LARGE");
    site.write(".minds/a.md", "x".repeat(4 * 1024 * 1024 + 1));
    assert_eq!(outcome(&site.preview("file_append", json!({"content": "a"}))), "TOO_LARGE");
}

#[test]
fn a_preview_reports_its_effect() {
    let site = Site::with("a\n\nb\nc");
    let said = site.preview("file_modification", json!({"range": " 2~3 ", "content": "x"}));
    assert_eq!(said["mode"], "preview_file_modification");
    assert_eq!(said["expires_at_ms"], START + 3_600_000);
    assert_eq!(said["action"], "replace");
    assert_eq!(said["range"], json!({"input": " 2~3 ", "resolved": {"start": 2, "end": 3}}));
    assert_eq!(said["file_line_count"], 4);
    assert_eq!(said["lines"], json!({"old": 2, "new": 1, "delta": -1}));
    assert_eq!(said["match"], "exact");
    assert_eq!(said["evidence"], json!({"before": ["a"], "range": ["", "b"], "after": ["c"]}));
    assert_eq!(
        said["normalized"],
        json!({
            "file_eof_has_newline": false,
            "content_eof_has_newline": false,
            "normalized_file_eof_newline_added": false,
            "normalized_content_eof_newline_added": true,
        })
    );
    assert_eq!(
        said["diff"],
        "--- a/.minds/a.md\n+++ b/.minds/a.md\n@@ -1,4 +1,3 @@\n a\n-\n-b\n+x\n c\n\\ No newline at end of file\n"
    );
    assert_eq!(said["hunk_id"].as_str().unwrap().len(), 8);
}

#[test]
fn appending_reports_added_line_breaks() {
    let site = Site::with("a");
    let said = site.preview("file_append", json!({"content": "b"}));
    assert_eq!(said["normalized"]["normalized_file_eof_newline_added"], true);
    assert_eq!(said["normalized"]["normalized_content_eof_newline_added"], true);
    assert_eq!(said["file_line_count_before"], 1);
    assert_eq!(said["file_line_count_after"], 2);
    assert_eq!(said["appended_line_count"], 1);
    assert_eq!(
        said["evidence_preview"],
        json!({"before_tail": ["a"], "append_preview": ["b"], "after_tail": ["a", "b"]})
    );
    assert_eq!(said.get("style_warning"), None);
    site.write(".minds/a.md", "a\n\n");
    let said = site.preview("file_append", json!({"content": "\nb"}));
    assert_eq!(
        said["blankline_style"],
        json!({"file_trailing_blank_line_count": 1, "content_leading_blank_line_count": 1})
    );
    assert!(said["style_warning"].is_string());
}

#[test]
fn previews_of_insertions_and_blocks_report_the_place() {
    let site = Site::with("a\nb\n<\n1\n2\n>\n");
    let said = site.preview("insert_before", json!({"anchor": "b", "content": "x\ny\n"}));
    assert_eq!(
        (&said["position"], &said["anchor"], &said["match"]),
        (&json!("before"), &json!("b"), &json!("contains"))
    );
    assert_eq!((&said["candidates_count"], &said["occurrence_resolved"]), (&json!(1), &json!("1")));
    assert_eq!((&said["inserted_at_line"], &said["inserted_line_count"]), (&json!(2), &json!(2)));
    let args = json!({"start_anchor": "<", "end_anchor": ">", "content": "x"});
    let said = site.preview("block_replace", args);
    assert_eq!(said["block_range"], json!({"start_line": 3, "end_line": 6}));
    assert_eq!(said["replace_slice"], json!({"start_line": 4, "delete_count": 2}));
    assert_eq!(said["reused_hunk_id"], false);
    let said = site.preview("insert_after", json!({"anchor": "z", "content": "x"}));
    assert_eq!(said["code"], "ANCHOR_NOT_FOUND");
    site.write(".minds/a.md", "q\nq\n");
    let said = site.preview("insert_after", json!({"anchor": "q", "content": "x"}));
    assert_eq!(said["details"]["candidates_count"], 2);
}

#[test]
fn lines_with_any_characters_are_shown_as_json() {
    let site = Site::with("  - \"x\": 'y'\n\t```\n\u{1}\u{2028}\n");
    let said = site.preview("file_modification", json!({"range": "2", "content": "```yaml"}));
    assert_eq!(said["evidence"]["before"], json!(["  - \"x\": 'y'"]));
    assert_eq!(said["evidence"]["range"], json!(["\t```"]));
}

#[test]
fn previews_report_the_line_endings() {
    for (text, content, expected) in
        [("a\n", "b\r\n", "lf"), ("a\r\n", "b\n", "crlf"), ("a", "b\r\n", "crlf"), ("a", "b", "lf")]
    {
        let said = Site::with(text).preview("file_modification", json!({"range": "1", "content": content}));
        assert_eq!(said["line_endings"], expected, "{text:?} {content:?}");
    }
}

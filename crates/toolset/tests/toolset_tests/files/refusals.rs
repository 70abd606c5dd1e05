//! How long refusals are, and that nothing in them is of the machine.

use serde_json::{Value, json};

use crate::files::fixture::Fixture;

/// A token has about four bytes.
const BYTES: usize = 4;

#[track_caller]
fn check(fixture: &Fixture, tool: &str, args: Value, tokens: usize) {
    let asked = args.to_string();
    let answer = fixture.answer(tool, args);
    assert!(answer.is_refused(), "{tool} {asked}");
    let text = answer.to_text();
    assert!(text.len() <= tokens * BYTES, "{tool} {asked}: {} bytes: {text}", text.len());
    let json = answer.to_json();
    assert!(json["next"].as_str().is_some_and(|next| !next.is_empty()), "{json}");
    assert!(!text.contains("/dev/shm") && !text.contains("/tmp"), "{text}");
}

#[test]
fn refusals_with_one_problem_are_within_120_tokens() {
    let lists = "    no_read_dirs: [denied]\n    no_write_dirs: [denied]\n    write_dirs: ['*']\n";
    let name = "n".repeat(64 - "denied/".len());
    let fixture = Fixture::with_member(lists, &[("dir/x", ""), ("file", "x\n"), ("fixed.tsk/goals.md", "")]);
    let (long, denied) = ("p".repeat(64), format!("denied/{name}"));
    let hidden = "\u{202e}".repeat(21);
    let unseen = "\u{1}".repeat(64);
    for path in [
        long.as_str(),
        &denied,
        &format!(".minds/{}", "m".repeat(57)),
        &format!("../{}", "x".repeat(61)),
        &hidden,
        &unseen,
        "",
        "dir",
        "fixed.tsk",
        &"é".repeat(32),
        &"a\\".repeat(32),
        "CON",
    ] {
        check(&fixture, "read_file", json!({"path": path}), 120);
        check(&fixture, "team_mgmt_read_file", json!({"path": path}), 120);
        check(&fixture, "rm_dir", json!({"path": format!("{path}/x")}), 120);
        check(&fixture, "move_file", json!({"from": path, "to": path}), 120);
        check(&fixture, "team_mgmt_move_dir", json!({"from": path, "to": path}), 120);
        check(&fixture, "search_text", json!({"path": format!("{path}/none"), "text": "x"}), 120);
        let known = json!({"path": path, "content": "x", "known_old_sha256": "0".repeat(64)});
        check(&fixture, "overwrite_entire_file", known, 120);
    }
    let stale = json!({"path": "file", "content": "x", "known_old_sha256": "0".repeat(64)});
    check(&fixture, "overwrite_entire_file", stale, 120);
    let answer = fixture.refused(
        "overwrite_entire_file",
        json!({"path": "file", "content": "x", "known_old_sha256": "0".repeat(64)}),
        "STATS_MISMATCH",
    );
    assert!(answer.to_string().len() <= 120 * BYTES, "{answer}");
    check(&fixture, "read_file", json!({"path": "file", "range": "9".repeat(1_000)}), 120);
    check(&fixture, "search_text", json!({"text": "x", "glob": "a**".repeat(1_000)}), 120);
    check(&fixture, "read_file", json!({}), 120);
    check(&fixture, "read_file", json!({"path": 1}), 120);
    check(&fixture, "read_file", json!({"path": "file", "x".repeat(64): 1}), 120);
}

#[test]
fn refusals_with_several_problems_are_within_240_tokens_and_all_within_400() {
    let fixture = Fixture::new(&[]);
    let many: serde_json::Map<String, Value> =
        (0..100).map(|number| (format!("{}{number}", "\u{202e}".repeat(40)), json!(1))).collect();
    check(&fixture, "overwrite_entire_file", Value::Object(many), 240);
    let near: serde_json::Map<String, Value> =
        (0..20).map(|number| (format!("known_old_total_line{number}"), json!(1))).collect();
    check(&fixture, "overwrite_entire_file", Value::Object(near), 240);
    let wrong = json!({"path": 1, "content": [], "known_old_sha256": 1, "known_old_total_lines": "x",
        "known_old_total_bytes": -1, "content_format": "yaml"});
    check(&fixture, "team_mgmt_overwrite_entire_file", wrong, 240);
    for text in ["x".repeat(100_000), "\u{1}".repeat(100_000), "/".repeat(100_000), "é/".repeat(10_000)] {
        check(&fixture, "read_file", json!({"path": text}), 240);
        check(&fixture, "team_mgmt_read_file", json!({"path": text}), 240);
        check(&fixture, "team_mgmt_create_new_file", json!({"path": format!(".minds/{text}")}), 240);
    }
}

/// A long entry of a list is shortened.
#[test]
fn long_entries_are_shortened() {
    let entry = "e".repeat(500);
    let fixture = Fixture::with_member(&format!("    no_read_dirs: ['{entry}']\n"), &[]);
    check(&fixture, "read_file", json!({"path": format!("{entry}/x")}), 120);
}

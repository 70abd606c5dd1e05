//! Callers who may not change tasks, and reach no change by any command.

use std::fs;

use super::Place;

/// Every command that changes a package.
const CHANGING: [&[&str]; 8] = [
    &["new", "other"],
    &["set", "goals", "--from", "text.md"],
    &["append", "goals", "more"],
    &["rm", "list", "--category", "ux"],
    &["edit", "goals"],
    &["undo", "CHANGE"],
    &["migrate", "text.md"],
    &["migrate", "text.md", "--remove"],
];

/// Calls each command as `caller`, and expects this exit code, this code of the refusal, and that nothing changed.
#[track_caller]
fn check(place: &Place, change: &str, caller: &str, expected: (i32, &str)) {
    let before = place.disk();
    for command in CHANGING {
        let command: Vec<&str> =
            command.iter().map(|word| if *word == "CHANGE" { change } else { *word }).collect();
        let args = [&command[..], &["--as", caller, "--format", "json"]].concat();
        let editor = ("EDITOR", "sh -c 'echo edited > \"$0\"'");
        let (code, out, err) = place.with(&[editor], &args, b"");
        let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
        assert_eq!((code, answer["code"].as_str().unwrap_or_default()), expected, "{command:?}: {out}{err}");
        assert!(place.disk() == before, "{command:?} changed files");
    }
}

#[test]
fn no_command_allows_a_refused_caller_to_change_a_task() {
    let place = Place::new();
    let change = place.set("ux/list", "one\n");
    place.set("ux/list", "two\n");
    fs::write(place.root().join("text.md"), "# Goals\nship\n").unwrap();
    check(&place, &change, "codr", (2, "UNKNOWN_MEMBER"));
    check(&place, &change, "user:ann", (2, "UNKNOWN_MEMBER"));
    fs::write(place.root().join(".minds/minds.toml"), "task_maintainers = ['lead']\n").unwrap();
    check(&place, &change, "coder", (1, "NOT_MAINTAINER"));
    // The commands themselves are correct.
    let (code, out, err) = place.minds(&["undo", &change, "--task", "demo"]);
    assert_eq!(code, 0, "{out}{err}");
}

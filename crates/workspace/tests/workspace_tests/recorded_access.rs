//! Decisions agree with the program that introduced access lists, except for a table of deliberate differences.
//!
//! Each row of the table names the ruling that causes the difference:
//!
//! | ruling | content |
//! |---|---|
//! | 3 | paths are normalized lexically; absolute paths and paths that escape the workspace are outside, and a backslash is invalid |
//! | 4 | `**` is any number of segments, including none; `.` is ignored; a blank entry, `..` and `**` within a segment are invalid |
//! | 5 | a list with an invalid entry denies |
//! | 7 | task packages are reserved in any letter case |
//! | 8 | general tools never write `.minds`, regardless of a flag of the first program |
//! | 50 | general tools never write at or below `.git` |

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minds_workspace::decide::Decider;
use serde_json::{Value, json};

fn rows(name: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/access").join(name);
    let text = std::fs::read_to_string(file).expect("the fixture exists");
    serde_json::from_str::<Value>(&text).expect("it is JSON").as_array().expect("it is a list").clone()
}

/// Decides a recorded row, which may contain the absolute path of the workspace.
fn answer(question: &Value) -> Value {
    let line = question.to_string().replace("<RTWS>", "/workspace").replace("@ROOT@", "/workspace");
    let mut answer = String::new();
    Decider::default().answer(line.as_bytes(), &mut answer);
    serde_json::from_str(&answer).expect("every answer is JSON")
}

/// Returns the key of a row as one string.
fn key(table: &str, row: &Value) -> String {
    let names = ["member", "op", "pattern", "path"];
    let parts: Vec<String> = names.iter().map(|name| row[name].to_string()).collect();
    format!("{table} {}", parts.join(" "))
}

/// Returns the differing rows, each with the recorded and the actual decision.
fn differences() -> BTreeMap<String, (Value, Value)> {
    let mut found = BTreeMap::new();
    for row in rows("decisions.json") {
        let mut dirs = row["dirs"].clone();
        // A flag of the first program, not a list.
        dirs.as_object_mut().unwrap().remove("internal_allow_minds");
        let ours = answer(&json!({"dirs": dirs, "op": row["op"], "path": row["path"]}));
        let recorded = if row["allowed"].is_null() { &row["allowed_head"] } else { &row["allowed"] };
        assert!(recorded.is_boolean() && ours["allowed"].is_boolean(), "{row}: {ours}");
        if ours["allowed"] != *recorded {
            found.insert(key("decisions", &row), (recorded.clone(), ours["reason"].clone()));
        }
    }
    for row in rows("pairs.json") {
        let ours = answer(&json!({"pattern": row["pattern"], "path": row["path"]}));
        if ours["match"] != row["match"] {
            let said = if ours["error"].is_null() { &ours["match"] } else { &ours["error"] };
            found.insert(key("pairs", &row), (row["match"].clone(), said.clone()));
        }
    }
    found
}

#[test]
fn the_table_contains_exactly_the_differences() {
    let mut found = differences();
    let mut rulings = BTreeSet::new();
    for row in rows("deliberate-differences.json") {
        let key = key(row["in"].as_str().unwrap(), &row);
        let difference = found.remove(&key).unwrap_or_else(|| panic!("{key} is listed and is none"));
        assert_eq!(difference, (row["recorded"].clone(), row["ours"].clone()), "{key}");
        assert!(row["why"].as_str().is_some_and(|why| !why.is_empty()), "{key}");
        rulings.insert(row["ruling"].as_u64().unwrap());
    }
    assert_eq!(found, BTreeMap::new(), "these differ and are not listed");
    assert_eq!(rulings, BTreeSet::from([3, 4, 5, 7, 8, 50]));
}

#[test]
fn all_recorded_rows_are_present() {
    assert_eq!((rows("decisions.json").len(), rows("pairs.json").len()), (1_083, 771));
}

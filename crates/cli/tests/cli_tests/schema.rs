//! `minds schema`

use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;

use support::minds;

fn read_committed(draft: &str, kind: &str) -> String {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in the repository");
    fs::read_to_string(root.join(format!("schemas/draft-{draft}/{kind}.schema.json")))
        .expect("the file exists")
}

#[test]
fn the_kinds_are_listed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (code, stdout, stderr) = minds(folder.path(), &["schema"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    insta::assert_snapshot!(stdout);
}

#[test]
fn printed_schemas_equal_the_committed_ones() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for kind in minds_workspace::schemas().iter().map(|kind| kind.name) {
        let (code, stdout, _) = minds(folder.path(), &["schema", kind]);
        assert_eq!(code, 0);
        assert!(stdout == read_committed("07", kind), "{kind}");
        let (_, stdout, _) = minds(folder.path(), &["schema", kind, "--draft", "2020-12"]);
        assert!(stdout == read_committed("2020-12", kind), "{kind}");
    }
}

/// Some keywords are rejected by editors, and some are not part of the standard.
#[test]
fn each_draft_has_its_own_keywords() {
    fn words(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.keys().cloned());
                map.values().for_each(|value| words(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| words(value, found)),
            _ => {}
        }
    }
    for kind in ["team", "llm", "mcp", "settings"] {
        for (draft, absent) in [
            ("07", ["$dynamicRef", "deprecationMessage", "$defs", "suggestions"]),
            ("2020-12", ["defaultSnippets", "enumDescriptions", "patternErrorMessage", "suggestions"]),
        ] {
            let schema = serde_json::from_str(&read_committed(draft, kind)).expect("a schema is JSON");
            let mut found = Vec::new();
            words(&schema, &mut found);
            for word in absent {
                assert!(!found.iter().any(|found| found == word), "{draft} {kind}: {word}");
            }
        }
    }
}

#[test]
fn schemas_are_written_once() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let kinds = minds_workspace::schemas();
    let written: String = kinds.iter().map(|kind| format!("wrote a/b/{}.schema.json\n", kind.name)).collect();
    let (code, stdout, stderr) = minds(folder.path(), &["schema", "--write", "a/b"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, written.as_str(), ""));
    let team = folder.path().join("a/b/team.schema.json");
    assert!(fs::read_to_string(&team).expect("the file exists") == read_committed("07", "team"));
    fs::write(&team, "old").expect("the file can be written");
    let (_, stdout, _) = minds(folder.path(), &["schema", "--write", "a/b"]);
    assert_eq!(stdout.lines().next(), Some("wrote a/b/team.schema.json"));
    assert_eq!(stdout.matches("unchanged").count(), kinds.len() - 1);
    let (_, stdout, _) = minds(folder.path(), &["schema", "llm", "--write", "."]);
    assert_eq!(stdout, "wrote ./llm.schema.json\n");
}

#[test]
fn impossible_changes_are_reported() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("file"), "").expect("the file can be written");
    let (code, stdout, stderr) = minds(folder.path(), &["schema", "--write", "file"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert_eq!(stderr, "error[unusable-path]: cannot create the directory `file`\n");
    let (code, _, stderr) = minds(folder.path(), &["schema", "--write", "none/../x"]);
    assert_eq!(
        (code, stderr.as_str()),
        (2, "error[unusable-path]: cannot create the directory `none/../x`\n")
    );
    let (code, _, stderr) = minds(folder.path(), &["schema", "taem"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("team"), "{stderr}");
}

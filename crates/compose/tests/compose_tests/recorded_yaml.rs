//! Recorded results of the reference implementation for files that YAML parsers read differently.

use std::fs;
use std::path::Path;

use minds_compose::{ComposeFamily, check};
use minds_diagnostics::{Problems, Severity};
use minds_vfs::{Snapshot, WorkspacePath};
use serde_json::Value;

/// Why input that the reference implementation accepts is rejected here, by rule code.
const REASONS: &[(&str, &str)] = &[
    ("compose/blank-role-prompt", "a path without a file name is a directory"),
    ("compose/control-character", "line breaks and tabs change the lines of rendered files"),
    ("compose/incompatible-yaml", "YAML 1.2 reads it differently, or a key is empty"),
    ("compose/invalid-pattern", "a blank pattern matches every line"),
    ("compose/unknown-hook", "an unknown hook does nothing"),
    ("compose/unsafe-id", "such ids are not safe in all file names"),
    ("compose/unusable-role-prompt", "the path cannot refer to a file"),
    ("schema/type", "other YAML parsers read another type"),
    ("schema/unknown-key", "misspelled keys and merge keys were silently ignored"),
    ("schema/value", "a string in `members` meant all agents; other parsers read another number"),
    ("yaml/complex-key", "a key that is not a scalar has no meaning"),
    ("yaml/duplicate-key", "the last of two values was silently used"),
    ("yaml/line-break", "YAML 1.1 and 1.2 split its lines differently"),
    ("yaml/limit", "64 levels are enough for every file"),
    ("yaml/recursive-alias", "a value that contains itself is infinite"),
    ("yaml/syntax", "it is not valid YAML 1.2, so other programs cannot read it"),
    ("yaml/tab", "it is not valid YAML 1.2, so other programs cannot read it"),
    ("yaml/tag", "the tag was silently ignored"),
    ("yaml/unknown-alias", "the anchor does not exist"),
];

/// Returns the distinct codes of the errors in a compose root.
fn errors(snapshot: &Snapshot) -> Vec<&'static str> {
    let mut problems = Problems::new();
    let family = ComposeFamily::load(snapshot).take(&mut problems);
    problems.append(check(&family));
    let found = problems.into_sorted();
    let errors = found.iter().filter(|found| found.severity == Severity::Error);
    let mut codes: Vec<&str> = errors.map(|found| found.rule.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn rejected_input_stays_rejected_and_stricter_results_have_a_reason() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/compose/yaml.json");
    let recorded: Value = serde_json::from_slice(&fs::read(recorded).unwrap()).unwrap();
    let mut base = Snapshot::new();
    for (file, text) in recorded["files"].as_object().unwrap() {
        base = base.with_file(WorkspacePath::parse(file).unwrap(), text.as_str().unwrap());
    }
    assert_eq!(errors(&base), Vec::<&str>::new());
    let (mut accepted, mut refused, mut stricter) = (0, 0, 0);
    for case in recorded["cases"].as_array().unwrap() {
        let (file, text) = (case["file"].as_str().unwrap(), case["text"].as_str().unwrap());
        let mut snapshot = Snapshot::new();
        for (name, other) in recorded["files"].as_object().unwrap() {
            let other = if name == file { text } else { other.as_str().unwrap() };
            snapshot = snapshot.with_file(WorkspacePath::parse(name).unwrap(), other);
        }
        let found = errors(&snapshot);
        match (case["accepted"].as_bool().unwrap(), case["refused_here"].as_array()) {
            (false, _) => {
                assert_ne!(found, Vec::<&str>::new(), "{file}: {text:?}");
                refused += 1;
            }
            (true, None) => {
                assert_eq!(found, Vec::<&str>::new(), "{file}: {text:?}");
                accepted += 1;
            }
            (true, Some(expected)) => {
                let expected: Vec<&str> = expected.iter().filter_map(Value::as_str).collect();
                assert_eq!(found, expected, "{file}: {text:?}");
                let has_reason = |code: &&str| REASONS.iter().any(|(known, _)| known == code);
                assert!(found.iter().all(has_reason), "{found:?} of {text:?}");
                stricter += 1;
            }
        }
    }
    assert_eq!((accepted, refused, stricter), (215, 200, 90));
}

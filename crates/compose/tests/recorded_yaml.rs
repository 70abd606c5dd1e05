//! What the program that first had compose roots said of texts that not every reader of YAML takes for the same.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::fs;
use std::path::Path;

use minds_compose::{ComposeFamily, check};
use minds_diagnostics::{Problems, Severity};
use minds_document::Snapshot;
use minds_paths::WorkspacePath;
use serde_json::Value;

/// Why what that program accepts is refused here, by the code of what is found.
const REASONS: &[(&str, &str)] = &[
    ("compose/blank-role-prompt", "a path without a name leads to a directory"),
    ("compose/control-character", "line breaks and tabs make other lines of what is rendered"),
    ("compose/incompatible-yaml", "YAML 1.2 takes it for something else, or an empty key names nothing"),
    ("compose/invalid-pattern", "a blank pattern takes every line for a limit"),
    ("compose/unknown-hook", "a hook that is not there does nothing"),
    ("compose/unsafe-id", "such ids cannot be parts of names everywhere"),
    ("compose/unusable-role-prompt", "the path cannot name a file"),
    ("schema/missing-key", "what is needed was misspelt, and is missing"),
    ("schema/type", "other readers of YAML give it another type"),
    ("schema/unknown-key", "misspelt and merge keys were dropped in silence"),
    ("schema/value", "a text in the place of members made everybody one; other readers see another number"),
    ("yaml/complex-key", "a key that is no text names nothing"),
    ("yaml/duplicate-key", "of two values the last one counted in silence"),
    ("yaml/line-break", "readers of YAML 1.1 and 1.2 make other lines of it"),
    ("yaml/limit", "64 levels are enough for every file"),
    ("yaml/recursive-alias", "what contains itself has no end"),
    ("yaml/syntax", "it is no YAML 1.2, so other programs cannot read it"),
    ("yaml/tab", "it is no YAML 1.2, so other programs cannot read it"),
    ("yaml/tag", "the tag was dropped in silence"),
    ("yaml/unknown-alias", "what it stands for is not there"),
];

/// Returns the codes of the errors that are found in a compose root, each once.
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
fn no_text_is_taken_that_was_refused_and_each_that_was_taken_has_a_reason_to_be_refused() {
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

//! Every field with a value of every type has exactly the findings that the tables predict.

mod compose;
mod llm;
mod mcp;
mod settings;
mod team;

use minds_diagnostics::Diagnostic;
use minds_vfs::{Snapshot, WorkspacePath};

/// A value of each type, as YAML.
const VALUES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "true"),
    ("integer", "7"),
    ("float", "1.5"),
    ("string", "text"),
    ("list", "[text]"),
    ("mapping", "{text: text}"),
];

/// A field, the types that it accepts, and the findings in a value of an accepted type.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, &'static [&'static str])]);

/// Returns the findings in a workspace with one file.
fn check(path: &str, text: &str) -> Vec<Diagnostic> {
    let path = WorkspacePath::parse(path).unwrap();
    minds_workspace::check(&Snapshot::new().with_file(path, text)).diagnostics
}

/// Returns the codes of the findings in a workspace with one file.
fn codes(path: &str, text: &str) -> Vec<&'static str> {
    check(path, text).iter().map(|found| found.rule.code).collect()
}

/// Returns the text at the place of a finding.
fn primary_text(found: &Diagnostic) -> &str {
    let label = found.primary.as_ref().unwrap();
    label.source.slice(label.span)
}

/// Returns whether the place of a finding is exactly the last `value` of the text.
fn is_at_last(found: &Diagnostic, text: &str, value: &str) -> bool {
    let span = found.primary.as_ref().unwrap().span;
    let start = u32::try_from(text.rfind(value).unwrap()).unwrap();
    (span.start(), span.end()) == (start, start + u32::try_from(value.len()).unwrap())
}

/// Expects the findings of a row for every type. `file` builds the text from a field and its value, which is last.
#[track_caller]
fn expect(path: &str, rows: &[Row], file: impl Fn(&str, &str) -> String) {
    let cases = rows.iter().flat_map(|row| VALUES.map(|value| (row, value)));
    for ((field, takes, more), (kind, value)) in cases {
        let text = file(field, value);
        let found = check(path, &text);
        let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
        if takes.contains(&kind) {
            let expected = more.iter().find(|(known, _)| *known == kind).map_or(&[][..], |(_, codes)| codes);
            assert_eq!(codes, expected, "{text}\n{found:?}");
            // In a value of a valid type, the finding is about a part of it, or about its value.
            for found in found.iter().filter(|found| found.rule.area() == "schema") {
                assert!(
                    found.rule.code == "schema/value" || !is_at_last(found, &text, value),
                    "{text}\n{found:?}"
                );
            }
        } else {
            assert_eq!(codes, ["schema/type"], "{text}\n{found:?}");
            assert!(is_at_last(&found[0], &text, value), "{text}\n{found:?}");
        }
    }
}

/// Returns the lines `key: value` except that of `field`, which is last with its own value.
fn lines(indent: &str, others: &[(&str, &str)], field: &str, value: &str) -> String {
    let others = others.iter().filter(|(key, _)| *key != field).copied();
    others.chain([(field, value)]).map(|(key, value)| format!("{indent}{key}: {value}\n")).collect()
}

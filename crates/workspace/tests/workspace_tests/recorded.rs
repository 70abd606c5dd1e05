//! The problems that the original program of this format reports are reported with the same kind and exact places.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use minds_diagnostics::{Report, emit};
use minds_vfs::{Snapshot, WorkspacePath};
use serde_json::Value;

/// Recorded problems that are deliberately not reported, with the reason. Each row must be needed.
const DELIBERATE: &[(&str, &str, &str)] = &[
    (
        "dr_broken_member",
        "default_responder/unknown",
        "the member exists; that one field of it is wrong is reported, and nothing is derived from it",
    ),
    (
        "fuxi_override",
        "members/pangu/toolsets/team-mgmt/missing",
        "both spellings of the toolset are known; that the entry has no effect is reported instead",
    ),
    (
        "mp",
        "members/c/model_params/openai/unknown_fields",
        "parameters of the specification's version are known, though later versions dropped them",
    ),
    (
        "mp",
        "members/e/model_params/unknown_fields",
        "`max_tokens` at this level is valid in the version of the specification; the wrong type is reported",
    ),
];

/// Returns the codes of which one must be reported for a recorded problem `id`.
fn codes(id: &str) -> &'static [&'static str] {
    let last = id.rsplit('/').next().unwrap_or_default();
    match last {
        "parse" => &["yaml/syntax", "yaml/duplicate-key", "yaml/several-documents", "yaml/tab"],
        "unknown_fields" => &["schema/unknown-key"],
        "missing" => &["team/unknown-toolset"],
        "not_assignable" => &["team/unassignable-toolset"],
        "alias_conflict_ignored" => &["schema/conflicting-keys"],
        "unknown" if id.starts_with("default_responder") => &["team/unknown-member"],
        "unknown" => &["team/unknown-provider", "team/unknown-model"],
        _ if id.starts_with("shell_specialists/unknown_member") => &["team/unknown-member"],
        _ if id.starts_with("shell_specialists/forbidden_member") => {
            &["team/shell-specialist-forbidden-member"]
        }
        _ if id.starts_with("shell_specialists/missing") => &["team/shell-specialist-missing-shell-tools"],
        _ if id.starts_with("shell_specialists/non_specialist") => &["team/shell-specialist-non-specialist"],
        _ => &["schema/type", "schema/value", "schema/conflicting-keys"],
    }
}

/// Returns the JSON pointer below which the finding must be located.
fn place(id: &str) -> String {
    let mut steps = Vec::new();
    for step in id.split('/') {
        match step {
            "root"
            | "parse"
            | "type"
            | "unknown"
            | "unknown_fields"
            | "null_ignored"
            | "invalid_ignored"
            | "not_assignable"
            | "missing"
            | "alias_conflict_ignored" => break,
            _ => steps.push(step),
        }
    }
    // The rest of these ids is a member, not a place.
    if steps.first() == Some(&"shell_specialists") {
        return String::new();
    }
    match steps.get(2) {
        Some(&"toolsets") => steps.truncate(3),
        // The finding is at the second spelling.
        Some(&"diligence-push-max") => steps.truncate(2),
        _ => {}
    }
    steps.iter().flat_map(|step| ["/", step]).collect()
}

#[test]
fn recorded_problems_are_found() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/team-validator.json");
    let cases: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut picture = String::new();
    let mut differences = BTreeSet::new();
    for case in cases.as_array().unwrap() {
        let name = case["case"].as_str().unwrap();
        let team = case["yaml"].as_str().unwrap();
        let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").unwrap(), team);
        let found = minds_workspace::check(&snapshot).diagnostics;
        for problem in case["recorded"].as_array().unwrap() {
            let id = problem["id"].as_str().unwrap();
            let place = place(id);
            let matching = found.iter().any(|found| {
                let pointer = found.pointer.as_deref().unwrap_or_default();
                codes(id).contains(&found.rule.code) && pointer.starts_with(&place)
            });
            if !matching {
                differences.insert((name.to_owned(), id.to_owned()));
            }
        }
        let report = Report { root: ".".into(), files: vec![], diagnostics: found, ..Report::default() };
        let _ = writeln!(picture, "── {name}\n{team}{}", emit::concise(&report));
    }
    let expected: BTreeSet<_> =
        DELIBERATE.iter().map(|(case, id, _)| ((*case).to_owned(), (*id).to_owned())).collect();
    assert_eq!(differences, expected, "unlisted differences, or listed ones that no longer exist");
    // The snapshot verifies the exact findings and places.
    insta::assert_snapshot!(picture.replace('\u{feff}', "<BOM>"));
}

//! What the program that first had the formats wrote and said.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use minds_diagnostics::Severity;
use minds_operations::{CheckRequest, RenderRequest, check, render};
use serde_json::Value;

use crate::render::tree::{copy, files};

/// The recorded inputs that are refused here, with what is found in them, and why.
const REFUSED: &[(&str, &[&str], &str)] = &[
    ("17", &["schema/value"], "a string as the members of a channel meant all agents"),
    ("21", &["compose/unknown-hook"], "an unknown hook does nothing"),
    ("24", &["compose/unsafe-id"], "such ids cannot be parts of names everywhere"),
    ("31", &["schema/unknown-key"], "merge keys were dropped in silence"),
    ("32", &["schema/unknown-key"], "misspelled keys were silently ignored"),
    ("39", &["compose/blank-role-prompt", "compose/unusable-role-prompt"], "rendering failed half-way"),
    ("41", &["compose/duplicate-agent"], "refused there as well"),
    ("42", &["compose/unsafe-id"], "two agents had one session"),
];

/// The recorded inputs that were accepted and are refused here, with what is found in them, and why.
const STRICTER: &[(&str, &[&str], &str)] = &[
    ("15", &["compose/unsafe-id"], "an empty id names nothing"),
    ("46", &["yaml/duplicate-key"], "of two agents with one id the last one counted in silence"),
    ("65", &["compose/unsafe-id"], "control characters in ids end up in commands"),
    ("74", &["compose/unsafe-id"], "`~` is not a useful file name"),
    ("94", &["file/unreadable"], "what is in the place of the runtimes turned a check off"),
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/compose")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns the codes of the errors among findings, each once.
pub(crate) fn errors(found: &[minds_diagnostics::Diagnostic]) -> Vec<&'static str> {
    let errors = found.iter().filter(|found| found.severity == Severity::Error);
    let mut codes: Vec<&str> = errors.map(|found| found.rule.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn recorded_artifacts_are_rendered_byte_for_byte() {
    let (mut equal, mut refused) = (0, 0);
    let mut cases: Vec<PathBuf> =
        fs::read_dir(fixtures().join("valid")).unwrap().map(|case| case.unwrap().path()).collect();
    cases.sort();
    for case in cases {
        let number = case.file_name().unwrap().to_str().unwrap().to_owned();
        let about = json(&case.join("case.json"));
        let context = format!("{number}: {}", about["desc"].as_str().unwrap());
        let folder = tempfile::tempdir().unwrap();
        copy(&case, folder.path());
        let mut expected = files(&case.join("expected/state"));
        let place = folder.path().canonicalize().unwrap();
        // This one reads a file of the machine on which it was recorded.
        if number == "06" {
            let host = place.join("hostname");
            let recorded = String::from_utf8(expected["role_prompts/lab-second.md"].clone()).unwrap();
            fs::write(&host, recorded.split("\n\n\u{2014}\n\n").next().unwrap()).unwrap();
            let host = host.to_str().unwrap();
            let project = place.join("root/projects/lab.yaml");
            let text = fs::read_to_string(&project).unwrap();
            fs::write(project, text.replace("/etc/hostname", host)).unwrap();
            let env = String::from_utf8(expected["envs/lab-chief.env"].clone()).unwrap();
            expected.insert("envs/lab-chief.env".to_owned(), env.replace("/etc/hostname", host).into_bytes());
        }
        let root = place.join(about["root"].as_str().unwrap());
        let request = RenderRequest {
            root: Some(&root),
            mcp_command: Some("/usr/local/bin/team-mcp"),
            write: true,
            ..RenderRequest::new(Path::new("."))
        };
        let outcome = render(&request).unwrap();
        let found = errors(&outcome.report.diagnostics);
        if let Some((_, codes, why)) = REFUSED.iter().find(|(refused, _, _)| *refused == number) {
            assert_eq!(found, *codes, "{context}: {why}");
            assert!(!root.join("state").exists(), "{context}");
            refused += 1;
            continue;
        }
        assert_eq!(found, Vec::<&str>::new(), "{context}: {:#?}", outcome.report.diagnostics);
        let mut written = files(&root.join("state"));
        let manifest = written.remove("minds-manifest.json");
        assert_eq!(manifest.is_some(), !expected.is_empty(), "{context}");
        let root = root.to_str().unwrap();
        let expected: BTreeMap<String, String> = expected
            .into_iter()
            .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).replace("@ROOT@", root)))
            .collect();
        let written: BTreeMap<String, String> = written
            .into_iter()
            .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        assert_eq!(written, expected, "{context}");
        equal += 1;
    }
    assert_eq!((equal, refused), (17, REFUSED.len()));
}

#[test]
fn rejected_input_stays_rejected_and_stricter_results_have_a_reason() {
    let verdicts = json(&fixtures().join("verdicts.json"));
    let mut seen = 0;
    for (number, verdict) in verdicts.as_object().unwrap() {
        let context = format!("{number}: {}", verdict["about"].as_str().unwrap());
        let folder = tempfile::tempdir().unwrap();
        copy(&fixtures().join("verdicts").join(number), folder.path());
        fs::create_dir_all(folder.path().join("root")).unwrap();
        let root = folder.path().join(verdict["root"].as_str().unwrap());
        let found = check(&CheckRequest { root: Some(&root), ..CheckRequest::new(Path::new(".")) });
        let codes = match &found {
            Ok(outcome) => errors(&outcome.report.diagnostics),
            Err(_) => vec!["no compose root"],
        };
        let is_accepted = verdict["accepted"].as_bool().unwrap();
        match STRICTER.iter().find(|(stricter, _, _)| stricter == number) {
            Some((_, expected, why)) => {
                assert!(is_accepted, "{context}");
                assert_eq!(codes, *expected, "{context}: {why}");
            }
            None => assert_eq!(codes.is_empty(), is_accepted, "{context}: {codes:?}"),
        }
        seen += 1;
    }
    assert_eq!(seen, 58);
}

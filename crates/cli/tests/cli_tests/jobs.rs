//! The jobs of `cargo xtask jobs` produce the expected results in few bytes.

#[path = "../../../xtask/src/jobs/replay.rs"]
mod replay;

use std::path::Path;

use replay::{Replayed, replay, report};
use serde_json::{Value, json};

fn document() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/jobs/jobs.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn run(document: &Value) -> Result<Vec<Replayed>, String> {
    let folder = tempfile::tempdir().unwrap();
    replay(Path::new(env!("CARGO_BIN_EXE_minds")), folder.path(), document)
}

#[test]
fn twenty_jobs_are_done_with_few_calls_and_bytes() {
    let jobs = run(&document()).unwrap();
    let report = report(&jobs);
    assert_eq!(jobs.len(), 20, "{report}");
    assert!(jobs.iter().map(Replayed::bytes).sum::<usize>() <= 20 * 12 * 1024, "{report}");
    assert!(jobs.iter().map(|job| job.calls).sum::<usize>() <= 20 * 3, "{report}");
}

/// Each kind of wrong result is reported: files, removed files, read files, and answers.
#[test]
fn a_job_that_fails_is_reported() {
    let call = json!({"tool": "list_dir", "arguments": {}});
    let job = |more: Value| {
        let mut job = json!({"name": "wrong", "args": [], "files": {"a.txt": "a"}, "calls": [call]});
        job.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        run(&json!({"files": {}, "jobs": [job]})).map(|jobs| jobs.len())
    };
    assert_eq!(job(json!({"then": {"a.txt": "a"}, "gone": ["b.txt"], "read": ["a.txt"]})), Ok(1));
    for wrong in [
        json!({"then": {"a.txt": "b"}}),
        json!({"then": {"b.txt": ""}}),
        json!({"gone": ["a.txt"]}),
        json!({"read": ["zebra"]}),
        json!({"calls": [{"tool": "read_file", "arguments": {"path": "none"}}]}),
        json!({"calls": [{"tool": "list_dir", "arguments": {}, "code": "FILE_NOT_FOUND"}]}),
        json!({"calls": [{"tool": "list_dir", "arguments": {"path": "$hunk_id"}}]}),
    ] {
        assert!(job(wrong.clone()).is_err_and(|reason| reason.starts_with("wrong: ")), "{wrong}");
    }
}

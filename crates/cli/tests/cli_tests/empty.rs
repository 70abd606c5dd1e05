//! Empty results: stdout is empty, and stderr explains why, and what to do next.

use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn minds(folder: &TempDir, args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_minds"))
        .args(args.split_whitespace())
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("MINDS_HOME", folder.path().join("none"))
        .env_remove("MIND_AGENT_HOMES")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

const NO_SOURCE: &str = "no source is registered; `minds source add REPO` adds one";
const NO_FILES: &str = "no `.minds/`, `.team/team-compose.yaml`, `.ateam/`, `mind.toml`, task package in `tasks/` or file of a \
                        client at or above `.`";
const NO_WORKSPACE: &str = "no `.minds/`, `.team/team-compose.yaml`, `.ateam/`, `mind.toml` or task package in `tasks/` at or \
                        above `.`";

#[test]
fn empty_results_are_explained_on_stderr() {
    let cases = [
        ("task ls", "no task packages in `tasks`; `minds task new NAME` creates one"),
        ("recall", NO_SOURCE),
        ("recall --kind skill", NO_SOURCE),
        ("recall --sources", NO_SOURCE),
        ("recall --tree", "no item is installed; `minds source install ITEM` installs one"),
        ("probe", NO_SOURCE),
        ("problems", "no validation or gateway has recorded a problem; `minds check` checks the files now"),
        ("files ls", "the directory is empty"),
        ("fleet show", "the fleet has no agents; `minds init --fleet` creates one"),
        ("check", &format!("nothing to check: {NO_FILES}")),
        ("fmt", &format!("nothing to format: {NO_WORKSPACE}")),
    ];
    for (args, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let output = minds(&folder, args);
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert_eq!(output.status.code(), Some(0), "`{args}`: {stderr}");
        assert_eq!((stdout.as_str(), stderr), ("", format!("minds: {expected}\n")), "`{args}`");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "`{args}` writes something");
    }
}

#[test]
fn a_missing_item_is_reported() {
    let output = minds(&tempfile::tempdir().unwrap(), "learn x");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), stderr),
        (Some(1), format!("error[not-found]: no item matches `x`: {NO_SOURCE}\n"))
    );
}

#[test]
fn a_program_reads_a_document_and_no_remark() {
    let lists = [
        ("task ls --format json", "{\"version\":1,\"tasks\":[]}\n"),
        ("recall --json", "{\"version\":1,\"sources\":[]}\n"),
        ("recall --sources --json", "{\"version\":1,\"sources\":[]}\n"),
        ("probe --json", "{\"version\":1,\"items\":[]}\n"),
        ("problems --format json", "{\"version\":1,\"problems\":[]}\n"),
        ("fleet show --format json", "{\"version\":1,\"agents\":[]}\n"),
    ];
    for (args, expected) in lists {
        let output = minds(&tempfile::tempdir().unwrap(), args);
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert_eq!((stdout.as_str(), stderr.as_str()), (expected, ""), "`{args}`");
    }
}

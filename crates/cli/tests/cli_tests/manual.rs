//! `minds manual`: pages as text, and the JSON of the tool.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use support::{command, exit_and_output};

use crate::support;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    // Stops the search for a workspace in parent directories.
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn manual(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = ["manual"].iter().chain(args).copied().collect();
    let mut command = command(folder.path(), &args);
    command.env("MINDS_HOME", folder.path().join("home"));
    exit_and_output(&command.output().expect("the command ends"))
}

#[test]
fn a_page_is_printed_unchanged() {
    let folder = folder(&[]);
    let (code, out, error) = manual(&folder, &["member-properties", "team"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(
        out.starts_with("# Properties of members\n") && out.contains("| `no_write_dirs` | list of strings |"),
        "{out}"
    );
    let (code, out, _) = manual(&folder, &["--lang", "zh"]);
    assert!(code == 0 && out.starts_with("# 管理团队\n"), "{out}");
}

#[test]
fn manual_pages_describe_the_current_workspace() {
    let llm = "providers: {acme: {apiType: codex, baseUrl: 'https://e.org', models: {a: {}}}}\n";
    let folder = folder(&[(".minds/llm.yaml", llm), ("src/lib.rs", "")]);
    let (code, out, _) = manual(&folder, &["-C", "src", "llm", "builtin-defaults"]);
    assert!(code == 0 && out.contains("| `acme` | added in `.minds/llm.yaml` |"), "{out}");
    assert!(!folder.path().join("home").exists(), "nothing is remembered");
}

#[test]
fn the_json_is_the_answer_of_the_tool() {
    let folder = folder(&[]);
    let (code, out, _) = manual(&folder, &["mcp", "troubleshooting", "--format", "json"]);
    let answer: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((code, &answer["status"], &answer["tool"]), (0, &json!("ok"), &json!("team_mgmt_manual")));
    assert_eq!(answer["topics"], json!(["mcp", "troubleshooting"]));
    let (code, out, _) = manual(&folder, &["nope", "--format", "json"]);
    let answer: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((code, &answer["code"]), (2, &json!("UNKNOWN_TOPIC")));
}

#[test]
fn an_unknown_topic_is_refused_with_the_nearest() {
    let (code, out, error) = manual(&folder(&[]), &["permision"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        error,
        "error[UNKNOWN_TOPIC]: the manual has no topic `permision`; similar: `permissions`\nhelp: `minds manual topics` lists all topics\n"
    );
    assert_eq!(manual(&folder(&[]), &["team", "--lang", "fr"]).0, 2);
}

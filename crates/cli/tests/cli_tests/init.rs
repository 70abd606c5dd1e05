//! `minds init` with `--editor` and `--dry-run`.

use crate::support;

use std::fs;

use tempfile::TempDir;

use support::minds;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

#[test]
fn editor_settings_are_added_once() {
    let folder = folder();
    let (code, stdout, stderr) =
        minds(folder.path(), &["init", "--editor", "vscode,zed", "--editor", "nvim"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for line in [
        "wrote .minds/team.yaml\n",
        "wrote .nvim.lua\n",
        "wrote .vscode/extensions.json\n",
        "next: edit `.minds/team.yaml`, then run `minds check`\n",
    ] {
        assert!(stdout.contains(line), "{stdout}");
    }
    assert_eq!(minds(folder.path(), &["check", "--strict"]).0, 0);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--editor", "nvim,vscode,zed"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("unchanged .nvim.lua\n"), "{stdout}");
    assert!(stdout.lines().all(|line| line.starts_with("unchanged ")), "{stdout}");
}

#[test]
fn an_existing_configuration_is_not_changed() {
    let folder = folder();
    fs::create_dir(folder.path().join(".minds")).expect("a folder can be made");
    let (code, stdout, _) = minds(folder.path(), &["init", "--editor", "vscode"]);
    assert_eq!(code, 0);
    assert!(!stdout.contains("team.yaml\n"), "{stdout}");
    assert!(!folder.path().join(".minds/team.yaml").exists());
    assert!(folder.path().join(".vscode/extensions.json").exists());
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let folder = folder();
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--dry-run", "--editor", "vscode"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("--- /dev/null\n+++ b/.minds/team.yaml\n@@ -0,0 +1,"), "{stdout}");
    assert!(
        stdout.contains("--- /dev/null\n+++ b/.vscode/extensions.json\n@@ -0,0 +1,3 @@\n+{\n"),
        "{stdout}"
    );
    assert!(
        stderr.starts_with("minds: dry run, nothing was written; files to write: ")
            && stderr.ends_with(", unchanged: 0\n"),
        "{stderr}"
    );
    assert_eq!(fs::read_dir(folder.path()).expect("it exists").count(), 0);
    // A refusal is the same with `--dry-run`.
    minds(folder.path(), &["init"]);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--dry-run"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(stderr, "error[exists]: `.minds/team.yaml` already exists; nothing was written\n");
}

#[test]
fn settings_that_cannot_be_merged_prevent_all_changes() {
    let folder = folder();
    fs::create_dir(folder.path().join(".vscode")).expect("a folder can be made");
    fs::write(folder.path().join(".vscode/extensions.json"), "{,}").expect("a file can be written");
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--editor", "vscode,nvim"]);
    assert_eq!(code, 1);
    assert_eq!(
        stderr,
        "error[unmergeable]: `.vscode/extensions.json` cannot be merged: line 1 is not valid JSON with comments; nothing was written\n"
    );
    assert_eq!(
        stdout,
        "add this to .vscode/extensions.json:\n\n{\n  \"recommendations\": [\"redhat.vscode-yaml\"]\n}\n\n"
    );
    assert!(!folder.path().join(".minds").exists() && !folder.path().join(".nvim.lua").exists());
}

#[test]
fn an_unknown_editor_is_wrong_usage() {
    let (code, _, stderr) = minds(folder().path(), &["init", "--editor", "ed"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("[possible values: vscode, helix, nvim, zed]"), "{stderr}");
}

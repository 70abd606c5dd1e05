//! Workspaces on disk.

use std::fs;

use minds::{Access, OperationError, Team, check_directory};

#[test]
fn a_workspace_on_disk_is_checked_and_its_team_decides() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path().join(".minds");
    fs::create_dir(&folder).expect("the directory is created");
    fs::write(folder.join("team.yaml"), "members: {coder: {write_dirs: [src], nam: Ada}}\n").expect("a file");

    let outcome = check_directory(directory.path()).expect("the workspace is read");
    assert_eq!(outcome.report.files, [".minds/team.yaml"]);
    assert!(outcome.report.to_string().contains("error[schema/unknown-key]: unknown key `nam`"));

    let team = Team::open(directory.path()).expect("the team is read");
    let decision = team.may("coder", Access::Write, "docs/a.md").expect("a member");
    assert_eq!(decision.to_string(), "denied: no entry allows it");
}

#[test]
fn a_missing_workspace_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let outcome = check_directory(directory.path()).expect("the directory is read");
    assert!(outcome.nothing.is_some());
    assert!(matches!(Team::open(directory.path()), Err(OperationError::NoTeam { .. })));
    let missing = directory.path().join("missing");
    assert!(matches!(check_directory(&missing), Err(OperationError::NotFound(_))));
}

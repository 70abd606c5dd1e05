//! Teams made from the files of clients have no errors, are in canonical form, and contain no secret.

use crate::support::import::copy;

use std::fs;
use std::path::Path;

use minds_diagnostics::Severity;
use minds_operations::{
    CheckRequest, FmtRequest, ImportedFiles, InitFromOutcome, InitFromRequest, OperationError, check, fmt,
    init_from,
};
use tempfile::TempDir;

fn import(workspace: &Path, client: Option<&str>) -> ImportedFiles {
    match init_from(&InitFromRequest { base: workspace, client, write: true }) {
        Ok(InitFromOutcome::Done(imported)) => imported,
        other => panic!("{other:?}"),
    }
}

/// Returns what an import of a fixture makes; `None` if it is refused.
fn import_fixture(case: &Path) -> Option<(TempDir, ImportedFiles)> {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    copy(case, workspace.path());
    let request = InitFromRequest { base: workspace.path(), client: None, write: true };
    match init_from(&request).expect("the fixture can be read") {
        InitFromOutcome::Done(imported) => Some((workspace, imported)),
        InitFromOutcome::Refused(_) => {
            assert!(!workspace.path().join(".minds").exists(), "{}", case.display());
            None
        }
        InitFromOutcome::Exists(path) => panic!("{path} exists"),
    }
}

#[test]
fn imported_teams_have_no_errors_and_are_formatted() {
    let mut count = 0;
    insta::glob!("../../../../fixtures/client-import", "*/*/*", |case| {
        let Some((workspace, imported)) = import_fixture(case) else { return };
        count += 1;
        let outcome = check(&CheckRequest::new(workspace.path())).expect("the workspace can be read");
        let errors: Vec<String> = outcome
            .report
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
            // The files of the client keep their mistakes.
            .filter(|found| {
                found.primary.as_ref().is_some_and(|label| label.source.name().starts_with(".minds/"))
            })
            .map(ToString::to_string)
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", case.display());
        let formatted = fmt(&FmtRequest::new(workspace.path())).expect("the workspace can be read");
        assert_eq!(formatted.diff, "", "{}", case.display());
        for file in &imported.written {
            let text = fs::read_to_string(workspace.path().join(file)).expect("the file was written");
            assert!(!text.contains("q8Zr4mLw2x"), "{}: {file}", case.display());
        }
    });
    assert!(count > 10, "{count} teams were imported");
}

#[test]
fn one_client_is_imported_alone() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    copy(Path::new("../../fixtures/client-import/import/teams/several-clients"), workspace.path());
    let imported = import(workspace.path(), Some("gemini"));
    assert_eq!(imported.clients, ["Gemini CLI"]);
    let ids: Vec<&str> = imported.members.iter().map(|member| member.id.as_str()).collect();
    assert_eq!(ids, ["writer"]);
    assert!(workspace.path().join(".minds/team/writer/persona.md").exists());
}

#[test]
fn a_configuration_is_never_overwritten() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    copy(Path::new("../../fixtures/client-import/import/teams/claude-code"), workspace.path());
    fs::create_dir(workspace.path().join(".minds")).expect("a folder can be made");
    let request = InitFromRequest { base: workspace.path(), client: None, write: true };
    assert!(matches!(init_from(&request), Ok(InitFromOutcome::Exists(path)) if path == ".minds"));
    assert!(!workspace.path().join(".minds/team.yaml").exists());
}

#[test]
fn an_empty_workspace_has_nothing_to_import() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let request = InitFromRequest { base: workspace.path(), client: Some("codex"), write: true };
    let error = init_from(&request).expect_err("there is nothing");
    assert!(matches!(error, OperationError::NothingToImport { .. }) && error.is_nothing_to_do());
    assert!(!workspace.path().join(".minds").exists());
}

/// An absolute pattern of the client that names the workspace limits the member in it.
#[test]
fn absolute_patterns_are_compared_with_the_workspace() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let real = workspace.path().canonicalize().expect("the folder exists");
    fs::create_dir_all(real.join(".claude/agents")).expect("a folder can be made");
    let settings = format!("{{\"permissions\": {{\"deny\": [\"Read(/{}/keys/**)\"]}}}}", real.display());
    fs::write(real.join(".claude/settings.json"), settings).expect("a file can be written");
    let agent = "---\nname: a\ndescription: b\n---\nText.\n";
    fs::write(real.join(".claude/agents/a.md"), agent).expect("a file can be written");
    import(&real, None);
    let team = fs::read_to_string(real.join(".minds/team.yaml")).expect("the file was written");
    assert!(team.contains("no_read_dirs:\n    - keys\n"), "{team}");
}

/// Settings have an effect in the client even if the repository ignores them.
#[test]
fn ignored_settings_limit_members() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    copy(Path::new("../../fixtures/client-import/import/teams/claude-code"), workspace.path());
    fs::write(workspace.path().join(".ignore"), ".claude/settings.json\n.cursorignore\n")
        .expect("a file can be written");
    import(workspace.path(), None);
    let team = fs::read_to_string(workspace.path().join(".minds/team.yaml")).expect("the file was written");
    assert!(team.contains("- secrets\n"), "{team}");
}

#[cfg(unix)]
#[test]
fn settings_that_are_links_refuse_the_import() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    copy(Path::new("../../fixtures/client-import/import/teams/claude-code"), workspace.path());
    let settings = workspace.path().join(".claude/settings.json");
    fs::rename(&settings, workspace.path().join("settings.json")).expect("a file can be moved");
    std::os::unix::fs::symlink("../settings.json", &settings).expect("a link can be made");
    let request = InitFromRequest { base: workspace.path(), client: None, write: true };
    let Ok(InitFromOutcome::Refused(report)) = init_from(&request) else { panic!("it is imported") };
    assert_eq!(report.diagnostics[0].rule.code, "import/unreadable");
    assert!(!workspace.path().join(".minds").exists());
    // Other clients do not read the file.
    let request = InitFromRequest { client: Some("codex"), ..request };
    assert!(matches!(init_from(&request), Err(OperationError::NothingToImport { .. })));
}

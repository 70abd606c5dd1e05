//! Files of clients in a repository without a configuration of `minds`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use minds_operations::{CheckOutcome, CheckRequest, UnsavedText, check};
use tempfile::TempDir;

const AGENT: &str = "---\nname: a\ndescription: b\ntools: Raed\n---\nText.\n";

struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(repository.path("repo/.git")).unwrap();
        repository
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn check(&self, base: &str, paths: &[PathBuf]) -> CheckOutcome {
        check(&CheckRequest { paths, ..CheckRequest::new(&self.path(base)) }).unwrap()
    }
}

/// Returns the files with findings.
fn files(outcome: &CheckOutcome) -> Vec<&str> {
    let name = |found: &minds_diagnostics::Diagnostic| {
        found.primary.as_ref().map(|label| label.source.name().to_owned())
    };
    let mut names: Vec<String> = outcome.report.diagnostics.iter().filter_map(name).collect();
    names.dedup();
    outcome
        .report
        .files
        .iter()
        .map(String::as_str)
        .filter(|file| names.iter().any(|name| name == file))
        .collect()
}

#[test]
fn files_are_found_everywhere_but_in_ignored_directories() {
    let repository = Repository::new();
    for folder in ["", "apps/web/", "build/", "node_modules/x/", "tasks/x.tsk/", "deep/.venv/"] {
        repository.write(&format!("repo/{folder}.claude/agents/a.md"), AGENT);
    }
    repository.write("repo/.gitignore", "build/\nsettings.local.json\n");
    repository.write("repo/.claude/settings.local.json", "{\"permissions\": {\"deny\": [\"Write(/x)\"]}}");
    repository.write("outside/agents/a.md", AGENT);
    symlink(repository.path("outside"), repository.path("repo/.cursor")).unwrap();
    symlink(repository.path("outside/agents/a.md"), repository.path("repo/.claude/agents/link.md")).unwrap();
    let outcome = repository.check("repo", &[]);
    assert_eq!(outcome.nothing, None);
    assert_eq!(
        files(&outcome),
        [".claude/agents/a.md", ".claude/settings.local.json", "apps/web/.claude/agents/a.md"]
    );
    assert_eq!(outcome.report.files.len(), 3, "{:?}", outcome.report.files);
    // From a directory below, the whole repository is checked, as a workspace is.
    assert_eq!(files(&repository.check("repo/apps/web", &[])).len(), 3);
    let one = repository.check("repo", &[Path::new("apps/web/.claude/agents/a.md").to_owned()]);
    assert_eq!(files(&one), ["apps/web/.claude/agents/a.md"]);
}

#[test]
fn a_repository_without_such_files_has_nothing_to_check() {
    let repository = Repository::new();
    repository.write("repo/package.json", "{}");
    assert!(repository.check("repo", &[]).nothing.is_some());
    fs::remove_dir(repository.path("repo/.git")).unwrap();
    assert!(repository.check("repo", &[]).nothing.is_some());
    // Outside of a repository, a file at the top is enough.
    repository.write("repo/CLAUDE.md", "See @docs/a.md and @docs/b.md.\n");
    repository.write("repo/docs/b.md", "Text.\n");
    let outcome = repository.check("repo", &[]);
    assert_eq!((outcome.nothing, outcome.report.diagnostics.len()), (None, 1));
    // A search upwards would find the files of the user in the home.
    assert!(repository.check("repo/docs", &[]).nothing.is_some());
    repository.write("repo/.claude/agents/a.md", AGENT);
    let one = repository.check("repo", &[Path::new(".claude/agents/a.md").to_owned()]);
    assert_eq!(files(&one), [".claude/agents/a.md"]);
}

#[test]
fn a_team_and_files_of_clients_are_checked_together() {
    let repository = Repository::new();
    repository.write("repo/.minds/team.yaml", "members: {}\n");
    repository.write("repo/.claude/agents/a.md", AGENT);
    let outcome = repository.check("repo", &[]);
    assert!(files(&outcome).contains(&".claude/agents/a.md"));
    assert!(outcome.report.files.iter().any(|file| file == ".minds/team.yaml"));
}

#[test]
fn large_and_unsaved_files() {
    let repository = Repository::new();
    repository.write("repo/.claude/agents/a.md", &"x".repeat((1 << 20) + 1));
    let codes = |outcome: &CheckOutcome| -> Vec<&str> {
        outcome.report.diagnostics.iter().map(|found| found.rule.code).collect()
    };
    assert_eq!(codes(&repository.check("repo", &[])), ["file/unreadable"]);
    let name = Path::new(".claude/agents/a.md");
    let text = Some(UnsavedText { name, bytes: AGENT.as_bytes() });
    let outcome = check(&CheckRequest { text, ..CheckRequest::new(&repository.path("repo")) }).unwrap();
    assert_eq!(codes(&outcome), ["client/unknown-tool"]);
}

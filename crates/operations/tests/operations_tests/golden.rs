//! The findings in each fixture that needs several families, the disk or a whole command; the crates show their own.

use crate::support;
use crate::support::render;

use std::fs;
use std::path::Path;

use minds_diagnostics::{Report, emit};
use minds_operations::CheckRequest;

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("fixtures have plain names")
}

/// Returns whether a fixture is about what a source offers, which only a review looks at.
fn is_of_review(case: &Path) -> bool {
    let area = case.parent().and_then(Path::parent).map(name).unwrap_or_default();
    let rule = name(case).split("--").next().unwrap_or_default();
    let code = format!("{area}/{rule}");
    let rules = minds_workspace::rules();
    let rule = rules.iter().find(|rule| rule.code == code);
    rule.is_some_and(|rule| minds_sources::review::is_found_by_review(rule))
}

fn check(workspace: &Path) -> Report {
    if let Ok(request) = fs::read_to_string(workspace.join("render.txt")) {
        return render::rendered(workspace, &request);
    }
    if name(workspace).starts_with("journal-") {
        return verify(workspace);
    }
    if workspace.parent().and_then(Path::parent).is_some_and(|area| name(area) == "render") {
        let report = render::rendered_for_clients(workspace);
        return Report { root: ".".into(), ..report };
    }
    let made = fs::read_to_string(workspace.join("recipe.txt")).ok().map(|recipe| support::make(&recipe));
    let case = workspace;
    let workspace = made.as_ref().map_or(workspace, tempfile::TempDir::path);
    if is_of_review(case) {
        let reviewed = minds_installer::review(workspace, Path::new("."), None);
        return reviewed.expect("the fixture can be read").report;
    }
    let outcome = minds_operations::check(&CheckRequest::new(workspace));
    let mut report = outcome.expect("the fixture can be read").report;
    // Where the repository lies is not part of the picture.
    report.root = ".".into();
    report
}

/// Compares the only task package with its journal, which no check of a workspace does.
fn verify(workspace: &Path) -> Report {
    let root =
        minds_fs::Root::open(workspace, minds_vfs::MountId::WORKSPACE).expect("the fixture can be opened");
    let tasks = minds_task_store::Tasks::open(&root).expect("the fixture says where tasks lie");
    tasks.find(None).and_then(|package| package.verify()).expect("the package can be read")
}

/// The information about toolsets that only another runtime provides, which valid teams may grant.
const WITHOUT_TOOLS: &str = "team/toolset-without-tools";

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/operations", "*/invalid/*", |case| {
        let report = check(case);
        let mut picture = emit::human(&report, emit::Human::default());
        if report.diagnostics.len() > 20 {
            // Of very many findings the beginning and the end are enough.
            let lines: Vec<&str> = picture.lines().collect();
            picture = [&lines[..20], &["…"], &lines[lines.len() - 10..]].concat().join("\n");
        }
        insta::assert_snapshot!(picture);
    });
}

#[test]
fn valid_workspaces_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/operations", "*/valid/*", |case| {
        found += &without_findings(case);
    });
    assert_eq!(found, "");
}

#[test]
fn example_workspaces() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/workspaces", "newsroom*", |case| {
        if name(case).ends_with("-with-mistakes") {
            insta::assert_snapshot!(emit::human(&check(case), emit::Human::default()));
        } else {
            found += &without_findings(case);
        }
    });
    assert_eq!(found, "");
}

/// Returns the unexpected findings in a valid workspace.
fn without_findings(case: &Path) -> String {
    let mut report = check(case);
    assert!(!report.files.is_empty(), "{}: nothing was checked", case.display());
    report.diagnostics.retain(|found| found.rule.code != WITHOUT_TOOLS);
    emit::concise(&report)
}

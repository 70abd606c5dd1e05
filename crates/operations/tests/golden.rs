//! Every fixture: what is invalid gives the picture that was seen and accepted, what is valid gives nothing.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

#[path = "support/render.rs"]
mod render;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use minds_diagnostics::{Report, emit};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

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
        || name(case).starts_with("review-")
        || name(case).ends_with("--discovered")
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
    // What depends on the machine is asked for where it is what a fixture is about.
    let nothing_is_set = minds_workspace::Host::default();
    let host = name(workspace).starts_with("unset-variable").then_some(&nothing_is_set);
    let made = fs::read_to_string(workspace.join("recipe.txt")).ok().map(|recipe| support::make(&recipe));
    let case = workspace;
    let workspace = made.as_ref().map_or(workspace, tempfile::TempDir::path);
    if is_of_review(case) {
        let reviewed = minds_operations::source::review(workspace, Path::new("."), None);
        return reviewed.expect("the fixture can be read").report;
    }
    let outcome = minds_operations::check_on(host, workspace, &[]);
    let mut report = outcome.expect("the fixture can be read").report;
    // Where the repository lies is not part of the picture.
    report.root = ".".into();
    report
}

/// Asks whether the only task package is what its journal says, which no check of a workspace asks.
fn verify(workspace: &Path) -> Report {
    let root = minds_system::Root::open(workspace, minds_paths::MountId::WORKSPACE)
        .expect("the fixture can be opened");
    let tasks = minds_operations::task::Tasks::open(&root).expect("the fixture says where tasks lie");
    tasks.find(None).and_then(|package| package.verify()).expect("the package can be read")
}

/// The information about toolsets that only another runtime provides, which valid teams may grant.
const WITHOUT_TOOLS: &str = "team/toolset-without-tools";

#[test]
fn invalid_workspaces() {
    let mut seen = 0;
    for area in folders(&fixtures()) {
        for case in folders(&area.join("invalid")) {
            let report = check(&case);
            let rule = name(&case).split("--").next().unwrap_or_default();
            let code = format!("{}/{rule}", name(&area));
            let codes: Vec<&str> = report.diagnostics.iter().map(|found| found.rule.code).collect();
            assert!(codes.contains(&code.as_str()), "{}: {code} is not among {codes:?}", case.display());
            let mut picture = emit::human(&report, emit::Human::default());
            if report.diagnostics.len() > 20 {
                // Of very many findings the beginning and the end say enough.
                let lines: Vec<&str> = picture.lines().collect();
                picture = [&lines[..20], &["…"], &lines[lines.len() - 10..]].concat().join("\n");
            }
            insta::assert_snapshot!(format!("{}__{}", name(&area), name(&case)), picture);
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} fixtures were found");
}

#[test]
fn every_finding_has_a_help() {
    let mut without_help = BTreeMap::<&str, String>::new();
    for area in folders(&fixtures()) {
        let examples = folders(&fixtures().join("workspaces"));
        let cases = if name(&area) == "workspaces" { examples } else { folders(&area.join("invalid")) };
        for case in cases {
            for found in check(&case).diagnostics.into_iter().filter(|found| found.help.is_none()) {
                let first = || format!("{}: {}", case.display(), found.message);
                without_help.entry(found.rule.code).or_insert_with(first);
            }
        }
    }
    assert!(without_help.is_empty(), "add a help to these findings: {without_help:#?}");
}

#[test]
fn valid_workspaces() {
    let mut seen = 0;
    for area in folders(&fixtures()) {
        for case in folders(&area.join("valid")) {
            let mut report = check(&case);
            assert!(!report.files.is_empty(), "{}: nothing was checked", case.display());
            report.diagnostics.retain(|found| found.rule.code != WITHOUT_TOOLS);
            let found = emit::concise(&report);
            assert!(found.is_empty(), "{}:\n{found}", case.display());
            seen += 1;
        }
    }
    assert!(seen > 5, "only {seen} fixtures were found");
}

#[test]
fn example_workspaces() {
    for case in folders(&fixtures().join("workspaces")) {
        let mut report = check(&case);
        if name(&case).ends_with("-with-mistakes") {
            insta::assert_snapshot!(name(&case), emit::human(&report, emit::Human::default()));
        } else {
            report.diagnostics.retain(|found| found.rule.code != WITHOUT_TOOLS);
            assert_eq!(emit::concise(&report), "", "{}", case.display());
        }
    }
}

//! Incomplete input does not cause follow-up findings, and the limits of what is read.

use minds_compose::{ComposeFamily, Reader, check};
use minds_diagnostics::Problems;
use minds_vfs::{Snapshot, WorkspacePath};

const COMPOSE: &str = "version: 2\nprojects: [{file: a.yaml}]\n";

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path).unwrap()
}

/// Returns the codes and messages of all findings.
fn find_all(snapshot: &Snapshot) -> Vec<(&'static str, String)> {
    let mut problems = Problems::new();
    let family = ComposeFamily::load(snapshot).take(&mut problems);
    problems.append(check(&family));
    problems.into_sorted().into_iter().map(|found| (found.rule.code, found.message)).collect()
}

fn codes(project: &str) -> Vec<&'static str> {
    let text = format!("version: 2\nproject: {{id: a, name: A, cwd: .}}\n{project}");
    let snapshot =
        Snapshot::new().with_file(path("team-compose.yaml"), COMPOSE).with_file(path("a.yaml"), text);
    find_all(&snapshot).into_iter().map(|(code, _)| code).collect()
}

/// An agent that seems to be missing may be in the part that could not be read.
#[test]
fn agents_are_not_unknown_while_some_agents_cannot_be_read() {
    let workers = "workers: {w: {can_dm: [m], reports_to: m}}\n";
    assert_eq!(codes(workers), ["compose/unknown-agent", "compose/unknown-manager"]);
    for managers in ["managers: 5\n", "managers: [m]\n", "manager: {m: {}}\n"] {
        let found = codes(&format!("{managers}{workers}"));
        assert_eq!(found.len(), 1, "{managers}: {found:?}");
        assert!(found[0].starts_with("schema/"), "{managers}: {found:?}");
    }
}

#[test]
fn ten_thousand_project_files_are_the_limit() {
    let named = |count: usize| -> String {
        let entries: String = (0..count).map(|at| format!("- file: p/{at}.yaml\n")).collect();
        format!("version: 2\nprojects:\n{entries}")
    };
    for (count, expected) in [(10_000, 0), (10_001, 1), (10_003, 3)] {
        let snapshot = Snapshot::new().with_file(path("team-compose.yaml"), named(count));
        let mut reader = Reader::start(&snapshot);
        assert_eq!(reader.pending().len(), 10_000);
        while !reader.pending().is_empty() {
            reader.advance(&snapshot);
        }
        let family = reader.finish().value;
        let over_limit = family.projects.iter().filter(|file| {
            file.reason.as_deref().is_some_and(|reason| reason.starts_with("more than 10,000 files"))
        });
        assert_eq!(over_limit.count(), expected);
    }
}

/// A short list can refer to a large file several times.
#[test]
fn a_role_prompt_is_limited_to_sixteen_mebibytes() {
    let half = 8 << 20;
    for (more, expected) in [(0, &[][..]), (1, &["compose/unusable-role-prompt"])] {
        let project = "version: 2\nproject: {id: a, name: A, cwd: .}\nworkers: {w: {role_prompt: [r.md, r.md, s.md]}}\n";
        let snapshot = Snapshot::new()
            .with_file(path("team-compose.yaml"), COMPOSE)
            .with_file(path("a.yaml"), project)
            .with_file(path("r.md"), "r".repeat(half))
            .with_file(path("s.md"), "s".repeat(more));
        let found = find_all(&snapshot);
        assert_eq!(found.iter().map(|(code, _)| *code).collect::<Vec<_>>(), expected, "{found:?}");
    }
}

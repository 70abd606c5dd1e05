//! Suppressions: where they apply, what they suppress, and the findings about them.

mod fixes;
mod fixtures;
mod places;
mod very_many;

use minds_vfs::{Snapshot, WorkspacePath};
use minds_workspace::Checked;

/// A team with one member, whose fields follow.
const HEAD: &str = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers:\n  a:\n";

/// A comment that suppresses the findings of `toolsets: [nope]`.
const ALLOW: &str = "# minds: allow(team/unknown-toolset) an app brings it";

fn path(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path).expect("the path is valid")
}

fn team(text: impl AsRef<[u8]>) -> Snapshot {
    Snapshot::new().with_file(path(".minds/team.yaml"), text)
}

/// Returns the findings as `line:column code`, and the number of suppressed findings.
fn summarize(checked: &Checked) -> (Vec<String>, usize) {
    let found = checked.diagnostics.iter().map(|found| {
        let label = found.primary.as_ref().expect("it has a place");
        let start = label.source.range(label.span).start;
        format!("{}:{} {}", start.line, start.column, found.rule.code)
    });
    (found.collect(), checked.allowed.values().sum())
}

#[track_caller]
fn check_team(text: &str, expected: &[&str], allowed: usize) {
    let (found, count) = summarize(&minds_workspace::check(&team(text)));
    assert_eq!(found, expected, "{text}");
    assert_eq!(count, allowed, "{text}");
}

/// Checks the fields of the member, whose first line counts as the first.
#[track_caller]
fn check(fields: &str, expected: &[&str], allowed: usize) {
    let (found, count) = summarize(&minds_workspace::check(&team(format!("{HEAD}{fields}"))));
    let above = HEAD.lines().count();
    let moved: Vec<String> = found
        .iter()
        .map(|found| {
            let (line, rest) = found.split_once(':').unwrap();
            format!("{}:{rest}", line.parse::<usize>().unwrap() - above)
        })
        .collect();
    assert_eq!(moved, expected, "{fields}");
    assert_eq!(count, allowed, "{fields}");
}

//! What is found in access lists does not depend on how long they are.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use minds_core::{TEAM_FILE, TeamFamily, check};
use minds_document::Snapshot;
use minds_paths::WorkspacePath;

/// Returns what the rule about unguarded minds says of a team.
fn unguarded(team: &str) -> Vec<String> {
    let path = WorkspacePath::parse(TEAM_FILE).expect("the path is valid");
    let parsed = TeamFamily::load(&Snapshot::new().with_file(path, team));
    let found = check(&parsed.value).into_sorted();
    let of_rule = found.into_iter().filter(|found| found.rule.code == "access/unguarded-minds");
    of_rule.map(|found| found.message).collect()
}

#[test]
fn long_lists_guard_minds_like_short_ones() {
    for length in [1, 6, 7, 8, 9, 30] {
        let others: Vec<String> = (0..length).map(|at| format!("dir-{at}")).collect();
        let others = others.join(", ");
        let team = format!(
            "member_defaults: {{toolsets: [ws_mod], no_write_dirs: [{others}]}}
members:
  first: {{}}
  guarded: {{no_write_dirs: [{others}, .minds/**]}}
  second: {{}}
  elsewhere: {{write_dirs: [{others}]}}
  reaching: {{write_dirs: [{others}, .minds]}}
"
        );
        let expected = "`first`, `second`, `reaching` could change `.minds` with general tools";
        assert_eq!(unguarded(&team), [expected], "{length} entries");
    }
}

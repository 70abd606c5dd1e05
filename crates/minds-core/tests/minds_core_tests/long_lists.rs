//! The findings about access lists do not depend on their length.

use minds_core::{TEAM_FILE, TeamFamily, check};
use minds_vfs::{Snapshot, WorkspacePath};

/// Returns the findings about writable configuration of a team.
fn writable(team: &str) -> Vec<String> {
    let path = WorkspacePath::parse(TEAM_FILE).expect("the path is valid");
    let parsed = TeamFamily::load(&Snapshot::new().with_file(path, team));
    let found = check(&parsed.value).into_sorted();
    let of_rule = found.into_iter().filter(|found| found.rule.code == "access/writable-configuration");
    of_rule.map(|found| found.message).collect()
}

#[test]
fn long_lists_protect_configuration_like_short_ones() {
    for length in [1, 6, 7, 8, 9, 30] {
        let others: Vec<String> = (0..length).map(|at| format!("dir-{at}")).collect();
        let others = others.join(", ");
        let team = format!(
            "member_defaults: {{toolsets: [ws_mod], no_write_dirs: [{others}]}}
members:
  first: {{}}
  guarded: {{no_write_dirs: [{others}, '*']}}
  second: {{}}
  elsewhere: {{write_dirs: [{others}]}}
  reaching: {{write_dirs: [{others}, .claude]}}
"
        );
        let found = writable(&team);
        assert_eq!(found.len(), 1, "{length} entries: {found:?}");
        let expected =
            "`first`, `second`, `reaching` may write security-relevant configuration: `.mcp.json`, ";
        assert!(found[0].starts_with(expected), "{length} entries: {found:?}");
    }
}

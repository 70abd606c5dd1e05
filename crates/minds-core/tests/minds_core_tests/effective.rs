//! The effective team and the access matrix of each valid team.

use std::fmt::Write as _;

use minds_access_control::Access;
use minds_core::{MemberPolicies, TeamFamily};
use minds_fixture::read;
use minds_vfs::WorkspacePath;

/// Returns each member with its fields: the value, and the place that defines it.
fn effective_team(family: &TeamFamily) -> String {
    let mut view = String::new();
    let Some((team, document)) = family.readable_team() else { return view };
    for member in team.effective() {
        let _ = writeln!(view, "{}", member.id);
        for field in member.fields(document) {
            let origin = field.from.map_or("built in".to_owned(), |node| document.node(node).pointer());
            let _ = writeln!(view, "  {}: {} ({origin})", field.name, field.value);
        }
    }
    view
}

/// Returns what each member may do with each directory that an entry names, and with the workspace itself.
fn matrix(family: &TeamFamily) -> String {
    let mut view = String::new();
    let Some((team, document)) = family.readable_team() else { return view };
    let mut policies = MemberPolicies::new(team, document);
    let members: Vec<_> = team.effective().map(|member| (member.id, policies.policy(&member))).collect();
    let mut directories = vec![WorkspacePath::root()];
    for (_, policy) in &members {
        for access in Access::ALL {
            let lists = policy.policy.lists(access);
            let entries = lists.deny.entries().iter().chain(lists.allow.entries());
            // A path inside the scope of an entry: each wildcard stands for a name.
            let paths = entries.map(|entry| entry.to_string().replace('*', "x"));
            directories.extend(paths.filter_map(|path| WorkspacePath::normalize(&path).ok()));
        }
    }
    directories.sort();
    directories.dedup();
    for directory in &directories {
        let _ = writeln!(view, "{directory}");
        for (id, policy) in &members {
            let [read, write] = Access::ALL.map(|access| policy.policy.check(access, directory).to_string());
            let _ = writeln!(view, "  {id}: read {read}; write {write}");
        }
    }
    view
}

#[test]
fn effective_teams_and_their_access() {
    insta::glob!("../../../../fixtures/minds-core", "team/valid/*", |case| {
        let family = TeamFamily::load(&read(case)).value;
        insta::assert_snapshot!(format!("{}\n{}", effective_team(&family), matrix(&family)));
    });
}

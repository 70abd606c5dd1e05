//! The policies of members follow from their lists after inheritance, and fail closed.

use minds_access_control::{Access, ListKind};
use minds_core::{MemberPolicies, TeamFamily};
use minds_vfs::{Snapshot, WorkspacePath};

/// Returns the reason of a decision, the deciding entry as written, and the text of the file at its place.
fn decide(team: &str, member: &str, access: Access, path: &str) -> String {
    let file = WorkspacePath::parse(".minds/team.yaml").unwrap();
    let family = TeamFamily::load(&Snapshot::new().with_file(file, team)).value;
    let (team, document) = family.readable_team().expect("the file is a mapping");
    let member = team.effective().find(|found| found.id == member).expect("the member exists");
    let policy = MemberPolicies::new(team, document).policy(&member);
    let path = WorkspacePath::normalize(path).unwrap();
    let decision = policy.policy.check(access, &path);
    let reason = decision.reason().code();
    let Some(entry) = decision.entry() else { return reason.to_owned() };
    let place = policy.place(access, entry.list);
    let node = match entry.index {
        Some(index) => *place.entries.get(index).expect("every entry has a place"),
        None => place.unreadable_entry.or(place.node),
    };
    let at = node.map_or("built in".to_owned(), |node| document.node(node).pointer());
    format!("{reason} by {} at {at}", entry.text.unwrap_or("nothing"))
}

#[track_caller]
fn check(team: &str, member: &str, access: Access, path: &str, expected: &str) {
    assert_eq!(decide(team, member, access, path), expected, "{team}");
}

const TEAM: &str = "
member_defaults: {read_dirs: [src, docs], no_write_dirs: [src/gen, ../x]}
members:
  a: {}
  b: {read_dirs: [lib], no_write_dirs: [src]}
  c: {no_read_dirs: [src, 5]}
  d:
  e: {no_raed_dirs: [src]}
  pangu: {no_write_dirs: [a]}
";

#[test]
fn a_list_of_a_member_replaces_the_inherited_list() {
    check(TEAM, "a", Access::Read, "src/x", "allowed by src at /member_defaults/read_dirs/0");
    check(TEAM, "a", Access::Read, "lib", "not-in-allow-list");
    check(TEAM, "b", Access::Read, "lib", "allowed by lib at /members/b/read_dirs/0");
    check(TEAM, "b", Access::Read, "src", "not-in-allow-list");
}

#[test]
fn an_unreadable_list_denies_only_the_members_that_have_it() {
    check(TEAM, "a", Access::Write, "doc", "invalid-policy by ../x at /member_defaults/no_write_dirs/1");
    check(TEAM, "b", Access::Write, "doc", "allowed-by-default");
    check(TEAM, "b", Access::Write, "src", "denied by src at /members/b/no_write_dirs/0");
    check(TEAM, "c", Access::Read, "docs", "invalid-policy by 5 at /members/c/no_read_dirs/1");
    check(TEAM, "e", Access::Read, "docs", "invalid-policy by nothing at /members/e/no_raed_dirs");
}

#[test]
fn unreadable_members_and_defaults_deny() {
    check(TEAM, "d", Access::Read, "src", "invalid-policy by nothing at /members/d");
    let defaults = "member_defaults: 5\nmembers: {a: {read_dirs: [src]}}\n";
    check(defaults, "a", Access::Read, "src", "invalid-policy by nothing at /member_defaults");
}

#[test]
fn duplicate_keys_deny() {
    let twice = "members:\n  a: {no_read_dirs: [src], no_read_dirs: [doc]}\n  b: {}\n";
    check(twice, "a", Access::Read, "lib", "invalid-policy by nothing at /members/a");
    check(twice, "a", Access::Write, "lib", "allowed-by-default");
    check(twice, "b", Access::Read, "lib", "allowed-by-default");
    let member = "members:\n  a: {}\n  b: {}\n  a: {no_read_dirs: [src]}\n";
    check(member, "a", Access::Read, "lib", "invalid-policy by nothing at built in");
    check(member, "b", Access::Read, "lib", "allowed-by-default");
    let all = "members: {a: {}}\nmembers: {a: {no_read_dirs: [src]}}\n";
    check(all, "a", Access::Read, "lib", "invalid-policy by nothing at built in");
    let defaults = "member_defaults: {}\nmembers: {a: {}}\nmember_defaults: {no_read_dirs: [src]}\n";
    check(defaults, "a", Access::Read, "lib", "invalid-policy by nothing at built in");
}

#[test]
fn partially_parsed_files_deny_everything() {
    let partial = "members: {a: {}}\n---\nmembers: {a: {no_read_dirs: [src]}}\n";
    check(partial, "a", Access::Read, "lib", "invalid-policy by nothing at built in");
    check(partial, "a", Access::Write, "lib", "invalid-policy by nothing at built in");
    check("members: []\n", "fuxi", Access::Read, "lib", "invalid-policy by nothing at built in");
}

#[test]
fn built_in_entries_follow_those_of_the_file_and_hide_inherited_ones() {
    let pangu = |access, path, expected| check(TEAM, "pangu", access, path, expected);
    pangu(Access::Write, "a", "denied by a at /members/pangu/no_write_dirs/0");
    pangu(Access::Write, "src/gen", "allowed-by-default");
    pangu(Access::Read, ".minds/team.yaml", "denied by .minds/** at built in");
    pangu(Access::Read, "src", "allowed by src at /member_defaults/read_dirs/0");
    let bad = "member_defaults: {no_read_dirs: [..]}\nmembers: {}\n";
    check(bad, "pangu", Access::Read, ".minds/x", "denied by .minds/** at built in");
    check(bad, "pangu", Access::Read, "src", "allowed-by-default");
    let more = "members: {pangu: {no_read_dirs: [a, b]}}\n";
    check(more, "pangu", Access::Read, "b", "denied by b at /members/pangu/no_read_dirs/1");
    check(more, "pangu", Access::Read, ".minds/x", "denied by .minds/** at built in");
    let same = "members: {pangu: {no_read_dirs: [a, .minds/**]}}\n";
    check(same, "pangu", Access::Read, ".minds", "denied by .minds/** at /members/pangu/no_read_dirs/1");
    let own = "members: {pangu: {no_read_dirs: [..]}}\n";
    check(own, "pangu", Access::Read, "src", "invalid-policy by .. at /members/pangu/no_read_dirs/0");
}

#[test]
fn members_with_the_same_lists_share_one_policy() {
    let file = WorkspacePath::parse(".minds/team.yaml").unwrap();
    let text =
        "member_defaults: {read_dirs: [src]}\nmembers: {a: {}, b: {icon: x}, c: {write_dirs: [src]}}\n";
    let family = TeamFamily::load(&Snapshot::new().with_file(file, text)).value;
    let (team, document) = family.readable_team().unwrap();
    let mut policies = MemberPolicies::new(team, document);
    let [a, b, c] = ["a", "b", "c"].map(|id| {
        let member = team.effective().find(|member| member.id == id).unwrap();
        policies.policy(&member)
    });
    assert!(std::sync::Arc::ptr_eq(&a, &b) && !std::sync::Arc::ptr_eq(&a, &c));
    assert!(a.place(Access::Read, ListKind::Allow).is_inherited);
    assert!(!c.place(Access::Write, ListKind::Allow).is_inherited);
    assert!(!c.place(Access::Write, ListKind::Deny).is_inherited);
}

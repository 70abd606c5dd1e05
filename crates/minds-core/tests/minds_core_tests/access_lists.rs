//! An access list is absent, given or unreadable, and an unreadable list never becomes an empty one.

use minds_access_control::{EntryList, Pattern};
use minds_core::{AccessList, Effective, Team, TeamFamily};
use minds_vfs::{Snapshot, WorkspacePath};

/// Calls `check` with the team of a file.
fn with_team(text: &str, check: impl FnOnce(&Team)) {
    let path = WorkspacePath::parse(".minds/team.yaml").expect("the path is valid");
    let family = TeamFamily::load(&Snapshot::new().with_file(path, text)).value;
    let (team, _) = family.readable_team().expect("the file is a mapping");
    check(team);
}

fn member<'t>(team: &'t Team, id: &str) -> Effective<'t> {
    team.effective().find(|member| member.id == id).expect("the member exists")
}

/// Describes the effective list `no_write_dirs` of a member.
fn denied_entries(team: &Team, id: &str) -> String {
    let member = member(team, id);
    let list: EntryList<Pattern> =
        AccessList::entry_list(member.field(|fields| &fields.access.no_write_dirs));
    match list {
        EntryList::Absent => "absent".to_owned(),
        EntryList::Given(entries) => entries.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        EntryList::Unreadable { .. } => "unreadable".to_owned(),
    }
}

#[track_caller]
fn check(defaults: &str, own: &str, expected: &str) {
    let text = format!("member_defaults: {{{defaults}}}\nmembers: {{a: {{{own}}}}}\n");
    with_team(&text, |team| assert_eq!(denied_entries(team, "a"), expected, "{text}"));
}

#[test]
fn a_list_is_absent_given_or_unreadable() {
    check("", "", "absent");
    check("", "no_write_dirs: []", "");
    check("", "no_write_dirs: [src, ./docs/**]", "src docs");
    check("", "no_write_dirs: [src, ../x]", "unreadable");
    check("", "no_write_dirs: ['']", "unreadable");
    check("", "no_write_dirs: [src, 5]", "unreadable");
    check("", "no_write_dirs: src", "unreadable");
    check("", "no_write_dirs: null", "unreadable");
    check("", "no_write_dirs: {a: b}", "unreadable");
}

#[test]
fn a_list_of_a_member_replaces_the_inherited_list_even_if_unreadable() {
    check("no_write_dirs: [src]", "", "src");
    check("no_write_dirs: [src]", "no_write_dirs: [docs]", "docs");
    check("no_write_dirs: [src]", "no_write_dirs: []", "");
    check("no_write_dirs: [src]", "no_write_dirs: [../x]", "unreadable");
    check("no_write_dirs: [../x]", "", "unreadable");
    check("no_write_dirs: [../x]", "no_write_dirs: [docs]", "docs");
}

#[test]
fn an_invalid_field_of_the_defaults_does_not_affect_other_fields() {
    check("provider: 1, toolsets: os, no_write_dirs: [src]", "", "src");
    check("read_dirs: [../x], no_write_dirs: [src]", "", "src");
}

#[test]
fn a_misspelled_list_is_unreadable() {
    check("", "no_write_dir: [src]", "unreadable");
    check("no_write_dir: [src]", "", "unreadable");
    check("no_write_dirs: [src]", "no_wirte_dirs: [docs]", "unreadable");
    // A list that is given is not the intended one of another key.
    check("", "no_write_dirs: [src], no_write_dirss: [docs]", "src");
    check("", "colour: [src]", "absent");
}

#[test]
fn shadow_members_are_hidden_and_keep_built_in_values() {
    with_team("members: {fuxi: {hidden: false}, a: {hidden: false}, b: {hidden: true}}\n", |team| {
        let hidden: Vec<&str> =
            team.effective().filter(Effective::is_hidden).map(|member| member.id).collect();
        assert_eq!(hidden, ["fuxi", "b", "pangu"]);
    });
    let toolsets = |text: &str, id: &str| {
        let mut found = Vec::new();
        with_team(text, |team| {
            let entries = member(team, id).toolsets().expect("all can be read");
            found = entries.into_iter().map(str::to_owned).collect();
        });
        found
    };
    assert_eq!(toolsets("{}", "fuxi"), ["team-mgmt"]);
    assert_eq!(toolsets("{}", "pangu"), ["*", "!team-mgmt"]);
    assert_eq!(
        toolsets("members: {fuxi: {toolsets: ['!team-mgmt', ws_mod]}}", "fuxi"),
        ["team-mgmt", "ws_mod"]
    );
    assert_eq!(toolsets("members: {fuxi: {toolsets: ['!team_mgmt']}}", "fuxi"), ["team-mgmt"]);
    assert_eq!(toolsets("members: {pangu: {toolsets: [team_mgmt, os]}}", "pangu"), ["*", "!team-mgmt", "os"]);
    // Built-in values hide the defaults.
    assert_eq!(toolsets("member_defaults: {toolsets: [os]}", "fuxi"), ["team-mgmt"]);
}

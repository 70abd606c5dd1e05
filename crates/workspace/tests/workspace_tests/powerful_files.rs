//! Security-relevant files are recognized.

use minds_access_control::{Access, Policy};
use minds_core::POWERFUL_FILES;
use minds_render::clients::{CLIENTS_FILE, Client};
use minds_vfs::{Snapshot, WorkspacePath};
use minds_workspace::access::is_about_entries;
use minds_workspace::{check, find_rule};

const CODE: &str = "access/writable-configuration";

/// Returns the findings about writable configuration in a team: messages and helps.
fn findings(team: &str) -> Vec<(String, String)> {
    let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").unwrap(), team);
    let found = check(&snapshot).diagnostics.into_iter().filter(|found| found.rule.code == CODE);
    found.map(|found| (found.message, found.help.unwrap_or_default())).collect()
}

#[test]
fn rendered_files_are_recognized() {
    let mut policy = Policy::builder();
    for file in POWERFUL_FILES {
        policy = policy.deny(Access::Write, file.entry).unwrap();
    }
    let policy = policy.build();
    for path in Client::ALL.iter().map(|client| client.file()).chain([CLIENTS_FILE]) {
        let place = WorkspacePath::parse(path).unwrap();
        assert!(!policy.check(Access::Write, &place).is_allowed(), "{path} is not among the files");
    }
}

#[test]
fn the_entries_of_the_help_resolve_the_finding() {
    let team = |lists: &str| {
        format!(
            "member_defaults: {{provider: codex, model: gpt-5.2{lists}}}\nmembers: {{a: {{toolsets: [ws_mod]}}}}\n"
        )
    };
    let found = findings(&team(""));
    assert_eq!(found.len(), 1, "{found:?}");
    // The help contains the list as it is written in the file.
    let (_, list) = found[0].1.split_once("`[").unwrap();
    let entries: Vec<&str> = list.trim_end_matches("]`").split(", ").collect();
    assert_eq!(entries.len(), POWERFUL_FILES.len());
    assert_eq!(findings(&team(&format!(", no_write_dirs: [{}]", entries.join(", ")))), []);
    for left_out in &entries {
        let others: Vec<&str> = entries.iter().filter(|entry| entry != &left_out).copied().collect();
        let found = findings(&team(&format!(", no_write_dirs: [{}]", others.join(", "))));
        assert!(found.len() == 1 && found[0].1.contains(left_out), "{left_out}: {found:?}");
    }
}

#[test]
fn members_that_cannot_write_or_have_shell_tools_are_not_listed() {
    let team = |member: &str| {
        format!(
            "member_defaults: {{provider: codex, model: gpt-5.2}}\nshell_specialists: [a]\nmembers: {{a: {member}}}\n"
        )
    };
    for (member, expected) in [
        ("{toolsets: [ws_read]}", 0),
        ("{toolsets: [ws_mod]}", 1),
        ("{tools: [rm_file]}", 1),
        ("{tools: [rm_file], toolsets: ['!ws_mod', '!codex_style_tools']}", 0),
        ("{toolsets: [ws_mod, os]}", 0),
        ("{toolsets: ['*', '!os']}", 1),
        ("{toolsets: [ws_mod], write_dirs: [src]}", 0),
        ("{toolsets: [ws_mod], write_dirs: [src, AGENTS.md]}", 1),
        ("{toolsets: [ws_mod], no_write_dirs: [../x]}", 0),
        ("{toolsets: [ws_mod], write_file_ext_names: [rs]}", 1),
        ("{toolsets: [team-mgmt]}", 0),
    ] {
        assert_eq!(findings(&team(member)).len(), expected, "{member}");
    }
}

#[test]
fn protective_entries_are_not_moot() {
    let codes = |deny: &str| {
        let team = format!(
            "member_defaults: {{provider: codex, model: gpt-5.2}}\nmembers: {{a: {{toolsets: [ws_mod], write_dirs: [src], no_write_dirs: [{deny}]}}}}\n"
        );
        let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").unwrap(), team);
        check(&snapshot).diagnostics.iter().map(|found| found.rule.code).collect::<Vec<_>>()
    };
    for entry in [".minds", ".minds/**", ".claude", ".CLAUDE", "AGENTS.md", ".github"] {
        assert_eq!(codes(entry), Vec::<&str>::new(), "{entry}");
    }
    assert_eq!(codes("archive"), ["access/moot-entry"]);
}

#[test]
fn the_replaced_code_is_recognized() {
    let rule = find_rule("access/unguarded-minds").unwrap();
    assert_eq!(rule.code, CODE);
    assert!(is_about_entries(rule));
    let team = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers:\n  a: {toolsets: [ws_mod]} # minds: allow(access/unguarded-minds) known\n";
    let snapshot = Snapshot::new().with_file(WorkspacePath::parse(".minds/team.yaml").unwrap(), team);
    let found = check(&snapshot).diagnostics;
    let unknown = found.iter().find(|found| found.rule.code == "allow/unknown-code").unwrap();
    assert_eq!(unknown.help.as_deref(), Some("the rule was replaced by `access/writable-configuration`"));
}

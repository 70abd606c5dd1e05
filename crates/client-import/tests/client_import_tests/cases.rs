//! Single decisions about members.

use minds_client_import::ImportedMember;
use minds_core::catalog::Ability;

use crate::support::import_files;

const MODEL: (&str, &str) = (".claude/settings.json", "{\"model\": \"sonnet\"}");

#[track_caller]
fn member(files: &[(&str, &str)]) -> ImportedMember {
    let imported = import_files(files);
    let team = imported.team.unwrap_or_else(|| panic!("nothing was imported: {:?}", imported.problems));
    team.members.into_iter().next().expect("there is a member")
}

fn has(member: &ImportedMember, ability: Ability) -> bool {
    member.abilities.contains(&ability)
}

#[track_caller]
fn claude(front_matter: &str, settings: &str) -> ImportedMember {
    let agent = format!("---\nname: a\ndescription: b\n{front_matter}---\nText.\n");
    member(&[(".claude/agents/a.md", &agent), (".claude/settings.json", settings)])
}

#[test]
fn a_reviewer_cannot_write() {
    let reviewer = claude("tools: Read, Grep, Glob\n", "{}");
    assert_eq!(
        reviewer.abilities.into_iter().collect::<Vec<_>>(),
        [Ability::Read, Ability::Search, Ability::List]
    );
}

#[test]
fn an_empty_list_of_tools_gives_nothing() {
    for list in ["tools: []\n", "tools:\n", "tools: \"\"\n", "tools: Nothing\n"] {
        assert!(claude(list, "{}").abilities.is_empty(), "{list}");
    }
}

#[test]
fn the_shell_is_given_only_without_limits() {
    assert!(has(&claude("tools: Read, Bash\n", "{}"), Ability::Shell));
    for (front_matter, settings) in [
        ("", "{}"),
        ("tools: Read\n", "{}"),
        ("tools: Read, Bash(git:*)\n", "{}"),
        ("tools: Read, Bash\n", "{\"permissions\": {\"deny\": [\"Read(/x)\"]}}"),
        ("tools: Read, Bash\n", "{\"permissions\": {\"deny\": [\"Bash\"]}}"),
        ("tools: Read, Bash\n", "{\"permissions\": {\"deny\": [\"Bash(rm *)\"]}}"),
        ("tools: Read, Bash\n", "{\"permissions\": {\"ask\": [\"Bash\"]}}"),
        ("tools: Read, Bash\n", "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}}"),
        ("tools: Read, Bash\n", "{\"sandbox\": {\"enabled\": true}}"),
        ("tools: Read, Bash\ndisallowedTools: Bash\n", "{}"),
    ] {
        assert!(!has(&claude(front_matter, settings), Ability::Shell), "{front_matter} {settings}");
    }
}

#[test]
fn denying_one_tool_for_writing_denies_all() {
    for settings in [
        "{\"permissions\": {\"deny\": [\"Edit\"]}}",
        "{\"permissions\": {\"defaultMode\": \"plan\"}}",
        "{\"permissions\": {\"defaultMode\": \"dontAsk\"}}",
        "{\"permissions\": {\"deny\": [\"Read\"]}}",
    ] {
        let member = claude("", settings);
        assert!(!has(&member, Ability::Edit) && !has(&member, Ability::Create), "{settings}");
    }
    assert!(!has(&claude("disallowedTools: Write\n", "{}"), Ability::Edit));
    assert!(!has(&claude("permissionMode: plan\n", "{}"), Ability::Edit));
}

#[test]
fn a_server_tool_with_a_built_in_name_is_not_given() {
    let servers = "{\"mcpServers\": {\"files\": {\"command\": \"x\"}}}";
    let agent = "---\nname: a\ndescription: b\ntools: mcp__files__read_file, mcp__files__other\n---\n";
    let member = member(&[(".claude/agents/a.md", agent), (".mcp.json", servers), MODEL]);
    assert_eq!(member.server_tools.into_iter().collect::<Vec<_>>(), ["other"]);
}

#[test]
fn front_matter_with_hidden_limits_is_left_out() {
    let agent = "---\nname: a\ndescription: b: c\ndisallowedTools:\n  - Write\n---\n";
    let other = "---\nname: z\ndescription: y\n---\n";
    let imported = import_files(&[(".claude/agents/a.md", agent), (".claude/agents/z.md", other), MODEL]);
    let ids: Vec<String> = imported.team.unwrap().members.into_iter().map(|member| member.id).collect();
    assert_eq!(ids, ["z"]);
}

#[test]
fn settings_that_cannot_be_read_refuse_the_import() {
    let agent = (".claude/agents/a.md", "---\nname: a\ndescription: b\n---\n");
    let imported = import_files(&[agent, (".claude/settings.json", "{\"permissions\": [}")]);
    assert!(imported.is_refused && imported.files.is_empty());
}

#[test]
fn roles_of_codex_do_not_write_without_a_decision() {
    let role = "name = \"a\"\ndescription = \"b\"\ndeveloper_instructions = \"c\"\n";
    for (config, writes) in [
        ("", false),
        ("sandbox_mode = \"read-only\"\n", false),
        ("sandbox_mode = \"workspace-write\"\n", true),
        ("default_permissions = \":workspace\"\n", true),
        ("default_permissions = \":read-only\"\n", false),
        ("default_permissions = \"none\"\n", false),
    ] {
        let member = member(&[(".codex/agents/a.toml", role), (".codex/config.toml", config)]);
        assert_eq!(has(&member, Ability::Edit), writes, "{config}");
    }
    let narrow = format!("{role}sandbox_mode = \"read-only\"\n");
    let member = member(&[
        (".codex/agents/a.toml", &narrow),
        (".codex/config.toml", "sandbox_mode = \"workspace-write\"\n"),
    ]);
    assert!(!has(&member, Ability::Edit));
}

#[test]
fn policies_of_gemini_take_all_tools() {
    let agent = "---\nname: a\ndescription: b\n---\nText.\n";
    let settings = "{\"policyPaths\": [\".gemini/p.toml\"]}";
    let member = member(&[(".gemini/agents/a.md", agent), (".gemini/settings.json", settings)]);
    assert!(member.abilities.is_empty());
}

#[test]
fn a_server_of_two_files_keeps_the_narrower_tools() {
    let imported = import_files(&[
        (".codex/config.toml", "[mcp_servers.x]\ncommand = \"x\"\nenabled_tools = [\"a\", \"b\"]\n"),
        (
            ".gemini/settings.json",
            "{\"mcpServers\": {\"x\": {\"command\": \"x\", \"includeTools\": [\"b\"], \"excludeTools\": [\"c\"]}}}",
        ),
    ]);
    let servers = imported.team.unwrap().servers;
    assert_eq!(
        (servers.len(), &servers[0].whitelist, &servers[0].blacklist),
        (1, &vec!["b".to_owned()], &vec!["c".to_owned()])
    );
}

#[test]
fn a_workspace_without_agents_and_servers_gives_nothing() {
    let imported = import_files(&[("CLAUDE.md", "Text.\n"), MODEL]);
    assert!(imported.team.is_none() && !imported.is_refused);
}

#[test]
fn policies_of_gemini_become_access_lists() {
    const AGENT: &str =
        "---\nname: a\ndescription: b\ntools: [read_file, list_directory, write_file, replace]\n---\nText.\n";
    let import = |path: &str, rules: &str| {
        let settings = format!("{{\"policyPaths\": [\"~/.gemini/policies\", \"{path}\"]}}");
        let files = [
            (".gemini/agents/a.md", AGENT),
            (".gemini/settings.json", settings.as_str()),
            (".gemini/rules.toml", rules),
        ];
        member(&files)
    };
    let rule = |decision: &str, pattern: &str, rest: &str| {
        format!(
            "[[rule]]\ntoolName = ['write_file', 'replace']\ndecision = '{decision}'\n{}{rest}\n",
            if pattern.is_empty() { String::new() } else { format!("argsPattern = '{pattern}'\n") }
        )
    };
    let src = r#"_path":"src[/"]"#;
    let deny_all = rule("deny", "", "priority = 1");
    for (rules, allow, is_closed) in [
        (rule("allow", src, "priority = 9") + &deny_all, Some("src"), false),
        (rule("allow", src, "priority = 9\nsubagent = 'other'") + &deny_all, None, true),
        // What the client may drop, or what depends on more, allows nothing.
        (rule("allow", src, "priority = 1000") + &deny_all, None, true),
        (rule("allow", src, "priority = 9\nmodes = ['yolo']") + &deny_all, None, true),
        (rule("allow", "a+", "priority = 9") + &deny_all, None, true),
        // A denial that is not understood, or that the client may drop, denies everything.
        (rule("deny", "a+", "priority = 9"), None, true),
        (rule("ask_user", "", "priority = 2000"), None, true),
        (rule("allow", "", "priority = 9") + &deny_all, None, false),
    ] {
        let member = import(".gemini/rules.toml", &rules);
        let allowed = member.access.write.allow.as_ref().and_then(|entries| entries.first());
        assert_eq!(allowed.map(String::as_str), allow, "{rules}");
        assert_eq!(!has(&member, Ability::Edit), is_closed, "{rules}");
        assert!(has(&member, Ability::Read), "{rules}");
    }
    let denied = import(".gemini/rules.toml", &rule("deny", src, "priority = 9"));
    assert!(denied.access.write.deny.iter().any(|entry| entry == "src"));
    assert!(import("policies/elsewhere.toml", "").abilities.is_empty());
}

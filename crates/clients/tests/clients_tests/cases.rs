//! Single rules with their exact places.

use minds_clients::{ClientsFamily, check};
use minds_diagnostics::Severity;
use minds_vfs::{Snapshot, WorkspacePath};

/// Returns the findings in files: severity, code and the text at the place.
fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let mut snapshot = Snapshot::new();
    for (path, text) in files {
        snapshot = snapshot.with_file(WorkspacePath::parse(path).unwrap(), text);
    }
    let parsed = ClientsFamily::load(&snapshot);
    let mut found = parsed.problems.into_sorted();
    found.extend(check(&parsed.value).into_sorted());
    let show = |found: minds_diagnostics::Diagnostic| {
        let label = found.primary.unwrap();
        let severity = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let code = found.rule.code.trim_start_matches("client/");
        format!("{severity} {code} {}", label.source.slice(label.span).lines().next().unwrap_or_default())
    };
    found.into_iter().map(show).collect()
}

#[track_caller]
fn check_file(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(findings(&[(path, text)]), expected, "{path}: {text}");
}

#[track_caller]
fn check_agent(front_matter: &str, expected: &[&str]) {
    check_file(".claude/agents/a.md", &format!("---\n{front_matter}\n---\nText.\n"), expected);
}

#[test]
fn agents_of_claude_code() {
    const HEAD: &str = "name: a\ndescription: b\n";
    for (rest, expected) in [
        ("tools: []", &[][..]),
        ("tools:", &[]),
        ("tools: \"*\"", &[]),
        ("tools: [Read, 'mcp__x__*', Bash(git:*)]", &[]),
        ("tools: Read Grep", &[]),
        ("tools: Read, read, grep", &["warning unknown-tool read", "warning unknown-tool grep"]),
        ("tools: Read, MultiEdit", &["info unknown-tool MultiEdit"]),
        ("tools: [Read, Task]", &["warning unlimited-delegation Task"]),
        ("tools: [Edit, Task]", &[]),
        ("tools: Read, Agent", &["warning unlimited-delegation Agent"]),
        ("disallowedTools: Read(/secrets/**)", &["warning tool-specifier Read(/secrets/**)"]),
        ("tools: {Read: true}", &["warning wrong-type {Read: true}"]),
        ("model: Sonnet", &[]),
        ("model: gpt-5.2", &["warning unknown-model gpt-5.2"]),
        ("model: claude-opus-4-6-20260101", &[]),
        ("effort: minimal", &["warning invalid-value minimal"]),
        ("effort: 3", &[]),
        ("color: chartreuse", &["warning invalid-value chartreuse"]),
        ("background: yes please", &["warning wrong-type yes please"]),
        ("readonly: true", &["warning key-without-effect readonly"]),
        ("disalowedTools: Bash", &["warning unknown-key disalowedTools"]),
        ("category: quality", &[]),
        ("x-tols: 1", &[]),
    ] {
        check_agent(&format!("{HEAD}{rest}"), expected);
    }
    check_agent("name: a", &["error missing-key ---"]);
    check_agent("name: a\ndescription: ''", &["error missing-key ---"]);
    check_agent("name: 123\ndescription: b", &["error wrong-type 123"]);
    check_agent("name: -a\ndescription: b", &["error invalid-name -a"]);
    check_agent("name: '123'\ndescription: b", &[]);
    check_agent(
        "name: a\ndescription: b: c\ntools: Raed",
        &["warning broken-front-matter :", "warning unknown-tool Raed"],
    );
    check_agent("name: a\ndescription: b\ntools: [\n  'Read',\n]", &[]);
    check_agent("name: a\ndescription: b\ntools: [\n  Raed\n]", &["warning unknown-tool Raed"]);
    check_agent("name: a\ndescription: b\nhooks:\n  x: [\n    1,\n  ]", &[]);
    check_agent("name: a\ndescription: *b", &["warning broken-front-matter *b"]);
    check_agent("name: a\ndescription: b\ndescription: c", &["warning broken-front-matter description"]);
    check_file(".claude/agents/a.md", "Text only.\n", &["warning missing-key "]);
    check_file(".claude/agents/README.md", "Text only.\n", &[]);
}

#[test]
fn settings_of_claude_code() {
    for (list, rule, expected) in [
        ("deny", "Write(/x)", &["error dead-permission \"Write(/x)\""][..]),
        ("allow", "Write(/x)", &["warning dead-permission \"Write(/x)\""]),
        ("deny", "Read(.)", &["error dead-permission \"Read(.)\""]),
        ("deny", "Read(/)", &["error dead-permission \"Read(/)\""]),
        ("deny", "Read(!x)", &["error dead-permission \"Read(!x)\""]),
        ("deny", "Read( /x)", &["error dead-permission \"Read( /x)\""]),
        ("deny", "Read(../x)", &["error dead-permission \"Read(../x)\""]),
        ("deny", "Read(/a\\\\?)", &["error dead-permission \"Read(/a\\\\?)\""]),
        ("deny", "read(/x)", &["error dead-permission \"read(/x)\""]),
        ("deny", "Read(/x", &["error dead-permission \"Read(/x\""]),
        ("deny", "Read(/we ird)", &[]),
        ("deny", "Read(**/.env)", &[]),
        ("deny", "Read(//etc/**)", &[]),
        ("deny", "Frobnicate", &[]),
        ("deny", "Bash(rm *)", &[]),
        ("deny", "Edit", &["warning partial-deny \"Edit\""]),
        ("deny", "Write", &["warning partial-deny \"Write\""]),
        ("deny", "Read", &[]),
    ] {
        let text = format!("{{\"permissions\": {{\"{list}\": [\"{rule}\"]}}}}");
        check_file(".claude/settings.json", &text, expected);
    }
    for (text, expected) in [
        ("{\"env\": 5}", "error wrong-type 5"),
        ("{\"permissions\": {\"defaultMode\": \"accept\"}}", "error invalid-value \"accept\""),
        ("{\"permissions\": {\"allow\": [1]}}", "error wrong-type 1"),
        ("// x\n{}", "error invalid-json // x"),
        ("{\"a\": 1,}", "error invalid-json ,"),
        ("{\"a\": 1 \"b\": 2}", "error invalid-json \""),
        ("[]", "error wrong-type []"),
        ("{\"permisions\": {}}", "warning unknown-key \"permisions\""),
        ("{\"mcpServers\": {}}", "warning key-without-effect \"mcpServers\""),
    ] {
        check_file(".claude/settings.json", text, &[expected]);
    }
}

#[test]
fn settings_can_close_the_delegation() {
    let agent = (".claude/agents/a.md", "---\nname: a\ndescription: b\ntools: Read, Task\n---\n");
    let settings = "{\"permissions\": {\"deny\": [\"Agent(general-purpose)\"]}}";
    assert_eq!(findings(&[agent, (".claude/settings.json", settings)]), Vec::<String>::new());
    assert_eq!(findings(&[agent]), ["warning unlimited-delegation Task"]);
}

#[test]
fn settings_of_one_directory_are_merged() {
    let deny = "{\"permissions\": {\"deny\": [\"Read(/secrets/**)\", \"Edit(/src/**)\"]}}";
    let allow =
        "{\"permissions\": {\"allow\": [\"Bash(cat:*)\", \"Edit(/src/a.ts)\", \"Edit(/srcs/a.ts)\"]}}";
    let found = findings(&[(".claude/settings.json", deny), (".claude/settings.local.json", allow)]);
    assert_eq!(
        found,
        ["warning shell-bypass \"Bash(cat:*)\"", "warning shadowed-permission \"Edit(/src/a.ts)\""]
    );
    let sandbox = "{\"sandbox\": {\"enabled\": true}, \"permissions\": {\"allow\": [\"Bash(cat:*)\"]}}";
    assert_eq!(
        findings(&[(".claude/settings.json", deny), (".claude/settings.local.json", sandbox)]),
        Vec::<String>::new()
    );
    assert_eq!(
        findings(&[(".claude/settings.json", deny), ("x/.claude/settings.json", allow)]),
        Vec::<String>::new()
    );
}

#[test]
fn roles_of_codex() {
    const HEAD: &str = "name = \"a\"\ndescription = \"b\"\ndeveloper_instructions = \"c\"\n";
    let path = ".codex/agents/a.toml";
    check_file(path, HEAD, &[]);
    check_file(
        path,
        "name = \"a\"\ndescription = \" \"\ndeveloper_instructions = \"c\"\n",
        &["error missing-key "],
    );
    check_file(path, &format!("{HEAD}x-team = 1\n"), &["error unknown-key x-team"]);
    check_file(path, &format!("{HEAD}modell = \"x\"\n"), &["error unknown-key modell"]);
    check_file(
        path,
        &format!("{HEAD}sandbox_mode = \"read-only\"\n"),
        &["warning key-without-effect sandbox_mode"],
    );
    check_file(path, &format!("{HEAD}model = 5\n"), &["error wrong-type 5"]);
    check_file(".codex/config.toml", "approval_policy = \"always\"\n", &["error invalid-value \"always\""]);
}

#[test]
fn agents_of_gemini() {
    let agent = |rest: &str, body: &str| format!("---\nname: a\ndescription: b\n{rest}---\n{body}");
    let path = ".gemini/agents/a.md";
    check_file(path, &agent("tools: [read_file, '*', mcp_x_y]\n", "Text."), &[]);
    check_file(path, &agent("tools: read_file\n", "Text."), &["error wrong-type read_file"]);
    check_file(path, &agent("tools: [read_fil]\n", "Text."), &["error unknown-tool read_fil"]);
    check_file(path, &agent("mcpServers: {}\n", "Text."), &["error unknown-key mcpServers"]);
    check_file(path, &agent("temperature: 0.2\n", "Text."), &["warning key-without-effect temperature"]);
    check_file(path, &agent("", " \n"), &["error empty-body ---"]);
    check_file(
        path,
        &agent("", "${today} ${HOME} $HOME ${a b}"),
        &["info template-variable ${today}", "error template-variable ${HOME}"],
    );
    check_file(path, "---\nname: Rev\ndescription: b\n---\nText.", &["error invalid-name Rev"]);
    check_file(path, "---\nname: a\ndescription: b: c\n---\nText.", &["error broken-front-matter :"]);
}

#[test]
fn agents_of_opencode() {
    let agent = |front_matter: &str| format!("---\n{front_matter}\n---\nText.");
    let path = ".opencode/agents/a.md";
    for (front_matter, expected) in [
        ("mode: subagent", &[][..]),
        ("mode: sub", &["error invalid-value sub"]),
        ("model: sonnet", &["error invalid-value sonnet"]),
        ("permission: alow", &["error invalid-value alow"]),
        ("permission: {edit: never}", &["error invalid-value never"]),
        ("permission: {raed: deny}", &["warning unknown-key raed"]),
        ("permission: {my_tool: deny}", &[]),
        ("permission: {read: {'secrets/*': deny, '*': allow}}", &["error overridden-deny 'secrets/*'"]),
        ("permission: {read: {'*': allow, '2024': deny}}", &["error overridden-deny '2024'"]),
        ("permission: {read: {'*': allow, 'x': deny}}", &[]),
        ("permission: {'*': deny, read: allow}", &[]),
        ("permission: {read: deny, '*': allow}", &["error overridden-deny read"]),
        ("permission: {read: {'*': deny, 'a*': allow}}", &[]),
        ("description: [d", &["error broken-front-matter"]),
    ] {
        let found = findings(&[(path, &agent(front_matter))]);
        assert_eq!(found.len(), expected.len(), "{front_matter}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{front_matter}: {found}");
        }
    }
}

#[test]
fn agents_of_cursor_and_copilot() {
    check_file(
        ".cursor/agents/a.md",
        "---\nname: a\nreadonly: yes\n---\nText.",
        &["warning invalid-value yes"],
    );
    check_file(
        ".cursor/agents/a.md",
        "---\nname: a\ntools: x\n---\nText.",
        &["warning key-without-effect tools"],
    );
    check_file(".cursor/agents/a.md", "---\nname: a\n---\n", &["error empty-body ---"]);
    check_file(".github/agents/a.agent.md", "---\nname: a\n---\nText.", &["error missing-key ---"]);
    check_file(
        ".github/agents/a.agent.md",
        "---\ndescription: a\ntools: [serach]\n---\nText.",
        &["warning unknown-tool serach"],
    );
    check_file(".vscode/mcp.json", "{\"mcpServers\": {}}", &["warning key-without-effect \"mcpServers\""]);
    check_file(".mcp.json", "{\"servers\": {}}", &["warning key-without-effect \"servers\""]);
}

#[test]
fn references_between_files() {
    let agent =
        "---\nname: a\ndescription: b\nskills: [helo, other]\nmcpServers: [tracker, trakker, mine]\n---\n";
    let skill = "---\nname: hello\ndescription: b\n---\n";
    let servers = "{\"mcpServers\": {\"tracker\": {\"url\": \"https://x.example\"}}}";
    let found = findings(&[
        (".claude/agents/a.md", agent),
        (".claude/skills/hello/SKILL.md", skill),
        (".mcp.json", servers),
    ]);
    assert_eq!(
        found,
        [
            "warning unknown-skill helo",
            "info unknown-skill other",
            "warning unknown-server trakker",
            "info unknown-server mine"
        ]
    );
    let settings = "{\"enabledMcpjsonServers\": [\"tracker\", \"none\"]}";
    let found = findings(&[(".claude/settings.json", settings), (".mcp.json", servers)]);
    assert_eq!(found, ["warning unknown-server \"none\""]);
}

#[test]
fn comments_suppress_findings_in_front_matter_and_toml() {
    let comment = |code: &str| format!("# minds: allow(client/{code}) for a reason");
    let agent =
        |comment: &str| format!("---\nname: a\ndescription: b\n{comment}\nmodel: gpt-5.2\n---\nText.\n");
    let path = ".claude/agents/a.md";
    check_file(path, &agent(&comment("unknown-model")), &[]);
    check_file(path, &agent(&comment("unknown-tool")), &["warning unknown-model gpt-5.2"]);
    let role = format!(
        "name = \"a\"\ndescription = \"b\"\ndeveloper_instructions = \"c\"\n{}\nsandbox_mode = \"read-only\"\n",
        comment("key-without-effect")
    );
    check_file(".codex/agents/a.toml", &role, &[]);
}

#[test]
fn secrets_in_variables_of_servers() {
    let servers = |value: &str| {
        format!(
            "{{\"mcpServers\": {{\"t\": {{\"command\": \"x\", \"env\": {{\"API_PASSWORD\": \"{value}\"}}}}}}}}"
        )
    };
    check_file(".mcp.json", &servers("q8Zr4mLw2x"), &["warning literal-secret \"q8Zr4mLw2x\""]);
    for value in ["", "${PASSWORD}", "<your password>", "YOUR_PASSWORD", "your-api-key-here", "xxxx"] {
        check_file(".mcp.json", &servers(value), &[]);
    }
}

#[test]
fn permissions_of_cursor() {
    for (permissions, expected) in [
        (r#""deny": ["Read(**/secrets/**)", "Shell(rm:*)", "Mcp(x:*)", "WebFetch(*)"]"#, &[][..]),
        (r#""deny": ["Read(secrets/**)"]"#, &[r#"warning dead-permission "Read(secrets/**)""#]),
        (r#""deny": ["Read(secrets/**)", "Read(**/secrets/**)"]"#, &[]),
        (r#""allow": ["Read(src/**)"]"#, &[]),
        (r#""deny": ["Bash(rm)"]"#, &[r#"error dead-permission "Bash(rm)""#]),
        (r#""allow": ["shell(ls)"]"#, &[r#"warning dead-permission "shell(ls)""#]),
        (r#""allow": ["Mcp(x)"]"#, &[r#"warning dead-permission "Mcp(x)""#]),
        (r#""allow": ["Write(./src)"]"#, &[r#"warning dead-permission "Write(./src)""#]),
        (r#""allow": ["Write(src"]"#, &[r#"warning dead-permission "Write(src""#]),
        (r#""allow": ["Read()", "Future(x)"]"#, &[r#"warning dead-permission "Read()""#]),
        (
            r#""allow": ["Shell(git:push)", "Shell(gitk)"], "deny": ["Shell(git)"]"#,
            &[r#"warning shadowed-permission "Shell(git:push)""#],
        ),
        (
            r#""allow": ["Write(**/src/gen/a)"], "deny": ["Write(**/src/**)"]"#,
            &[r#"warning shadowed-permission "Write(**/src/gen/a)""#],
        ),
    ] {
        check_file(".cursor/cli.json", &format!("{{\"permissions\": {{{permissions}}}}}"), expected);
    }
}

#[test]
fn policies_of_gemini() {
    const DENY: &str = "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\n";
    for (text, expected) in [
        ("priority = 1\n", &[][..]),
        ("priority = 999\nargsPattern = '_path\":\"src[/\"]'\n", &[]),
        ("priority = 1\nargsPattern = '(a+)+'\n", &["error dead-permission '(a+)+'"]),
        ("priority = 1\nprioriti = 3\n", &["warning unknown-key prioriti"]),
        // With these the client uses no rule of the file.
        ("priority = 1000\n", &["error dead-permission 1000"]),
        ("priority = -1\n", &["error dead-permission -1"]),
        ("priority = 1.5\n", &["error wrong-type 1.5"]),
        ("priority = 1\ninteractive = 1\n", &["error wrong-type 1"]),
        (
            "priority = 1\n[[rule]]\ntoolName = '*'\ndecision = 'block'\npriority = 2\n",
            &["error invalid-value 'block'"],
        ),
        // The first of equal priorities wins.
        (
            "priority = 1\n[[rule]]\ntoolName = ['write_file', 'replace']\ndecision = 'allow'\npriority = 2\n",
            &["error overridden-deny \"deny\""],
        ),
        (
            "priority = 2\n[[rule]]\ntoolName = 'write_file'\ndecision = 'allow'\npriority = 2\n",
            &["warning shadowed-permission 'allow'"],
        ),
        (
            "priority = 2\n[[rule]]\ntoolName = 'write_file'\nargsPattern = 'a'\ndecision = 'allow'\npriority = 1\n",
            &["warning shadowed-permission 'allow'"],
        ),
        (
            "subagent = 'a'\npriority = 2\n[[rule]]\ntoolName = 'write_file'\ndecision = 'allow'\npriority = 1\n",
            &[],
        ),
        (
            "priority = 2\n[[rule]]\ntoolName = 'Write'\ndecision = 'deny'\npriority = 1\n",
            &["error dead-permission 'Write'"],
        ),
        (
            "priority = 2\n[[rule]]\ntoolName = 'run_shel_command'\ndecision = 'allow'\npriority = 1\n",
            &["warning dead-permission 'run_shel_command'"],
        ),
    ] {
        check_file(".gemini/minds.toml", &format!("{DENY}{text}"), expected);
    }
    for key in ["toolName", "decision", "priority"] {
        let lines = ["toolName = '*'", "decision = 'allow'", "priority = 1"];
        let rest: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with(key)).collect();
        let found = findings(&[(
            ".gemini/minds.toml",
            &format!("{DENY}priority = 2\n[[rule]]\n{}\n", rest.join("\n")),
        )]);
        assert!(found.iter().any(|found| found.starts_with("error dead-permission")), "{key}: {found:?}");
    }
    let deny = format!("{DENY}priority = 1\n");
    check_file("a/.gemini/policies/x.toml", &deny, &["error dead-permission \"deny\""]);
    let settings = r#"{"policyPaths": ["~/.gemini/policies", ".gemini/policies/x.toml"]}"#;
    assert_eq!(
        findings(&[(".gemini/policies/x.toml", &deny), (".gemini/settings.json", settings)]),
        <[&str; 0]>::default()
    );
}

//! A team that is made of the files of a client, rendered for the same client and imported again, has the same meaning.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{copy_directory, minds};
use serde_json::Value;
use tempfile::TempDir;

/// Files that no client and no team reserves.
const PATHS: [&str; 12] = [
    "README.md",
    "Makefile",
    "src/main.rs",
    "src/gen/api.rs",
    "build/out",
    "build/deep/out",
    "docs/guide.md",
    "secrets/key",
    "secrets/deep/key",
    "certs/site.pem",
    "site.pem",
    "notes/secrets",
];

fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn run(directory: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = minds(directory, args);
    assert_eq!(code, 0, "{args:?}: {stdout}{stderr}");
    stdout
}

/// Returns what each member may do with each path, and its instructions.
fn meaning(directory: &Path) -> BTreeMap<String, String> {
    let team: Value = serde_json::from_str(&run(directory, &["team", "show", "--json"])).unwrap();
    let mut meaning = BTreeMap::new();
    for member in team["members"].as_array().unwrap() {
        let id = member["id"].as_str().unwrap();
        let persona = fs::read_to_string(directory.join(format!(".minds/team/{id}/persona.md")));
        let Ok(persona) = persona else { continue };
        let mut answers = persona;
        for op in ["read", "write"] {
            let query = ["access", "check", "--member", id, "--op", op, "--format", "json"];
            let (_, stdout, _) = minds(directory, &[&query[..], &PATHS[..]].concat());
            let found: Value = serde_json::from_str(&stdout).unwrap();
            let decisions = found["paths"].as_array().unwrap_or_else(|| panic!("{stdout}"));
            for decision in decisions {
                answers += &format!("{op} {} {}\n", decision["path"], decision["allowed"]);
            }
        }
        meaning.insert(id.to_owned(), answers);
    }
    assert!(!meaning.is_empty());
    meaning
}

#[track_caller]
fn check(client: &str, files: &[(&str, &str)]) {
    let original = repository(files);
    run(original.path(), &["init", "--from", client]);
    let before = meaning(original.path());
    assert!(before.values().any(|answers| answers.contains("false")), "{before:?}");

    // Only the team goes to the second repository, and only the files of the client to the third.
    let rendered = repository(&[]);
    let team = fs::read_dir(original.path().join(".minds")).unwrap();
    copy_directory(&original.path().join(".minds"), &rendered.path().join(".minds"));
    assert!(team.count() > 0);
    run(rendered.path(), &["render", "--target", &format!("agents:{client}"), "--write"]);
    fs::rename(rendered.path().join(".minds"), original.path().join("first")).unwrap();
    run(rendered.path(), &["init", "--from", client]);
    assert_eq!(meaning(rendered.path()), before);
}

#[test]
fn agents_of_opencode_keep_their_permissions() {
    let reviewer = "---\ndescription: Reviews changes\nmode: subagent\nmodel: anthropic/claude-sonnet-4-5\npermission:\n  \
                    \"*\": deny\n  read:\n    \"*\": allow\n    \"secrets/*\": deny\n    \"secrets\": deny\n---\nYou review.\n";
    let builder = "---\ndescription: Builds\nmode: subagent\nmodel: anthropic/claude-sonnet-4-5\npermission:\n  \"*\": deny\n  \
                   read: allow\n  edit:\n    \"*\": deny\n    \"build/*\": allow\n    \"build\": allow\n---\nYou build.\n";
    check(
        "opencode",
        &[(".opencode/agents/reviewer.md", reviewer), (".opencode/agents/builder.md", builder)],
    );
}

#[test]
fn agents_of_claude_code_keep_the_denials_that_all_share() {
    let agent = |name: &str| {
        format!(
            "---\nname: {name}\ndescription: Reads\ntools: Read, Grep, Glob\nmodel: sonnet\n---\nYou are {name}.\n"
        )
    };
    check(
        "claude-code",
        &[
            (".claude/agents/reader.md", &agent("reader")),
            (".claude/agents/checker.md", &agent("checker")),
            (
                ".claude/settings.json",
                "{\"permissions\": {\"deny\": [\"Read(/secrets/**)\", \"Read(**/*.pem)\"]}}\n",
            ),
        ],
    );
}

#[test]
fn agents_of_gemini_keep_their_policies() {
    let agent = |name: &str, tools: &str| {
        format!(
            "---\nname: {name}\ndescription: Works\ntools: [{tools}]\nmodel: gemini-2.5-pro\n---\nYou are {name}.\n"
        )
    };
    let policy = r#"
[[rule]]
toolName = ["read_file", "list_directory"]
argsPattern = '_path":"secrets[/"]'
decision = "deny"
priority = 700

[[rule]]
toolName = ["write_file", "replace"]
subagent = "builder"
argsPattern = '_path":"build[/"]'
decision = "allow"
priority = 500

[[rule]]
toolName = ["write_file", "replace"]
subagent = "builder"
decision = "deny"
priority = 100
"#;
    check(
        "gemini",
        &[
            (".gemini/agents/reader.md", &agent("reader", "read_file, list_directory")),
            (
                ".gemini/agents/builder.md",
                &agent("builder", "read_file, list_directory, write_file, replace"),
            ),
            (".gemini/team.toml", policy),
            (".gemini/settings.json", "{\"policyPaths\": [\"~/.gemini/policies\", \".gemini/team.toml\"]}\n"),
        ],
    );
}

/// Without limits of paths, tools are all that an agent has.
#[test]
fn agents_of_copilot_keep_their_tools() {
    let folder = repository(&[(
        ".github/agents/reader.agent.md",
        "---\nname: reader\ndescription: Reads\ntools: [read, search]\n---\nYou read.\n",
    )]);
    run(folder.path(), &["init", "--from", "copilot"]);
    let toolsets = |directory: &Path| {
        let team: Value =
            serde_json::from_str(&run(directory, &["team", "show", "reader", "--json"])).unwrap();
        let fields = &team["members"][0]["fields"];
        (fields["toolsets"]["value"].clone(), fields["tools"]["value"].clone())
    };
    let before = toolsets(folder.path());
    let rendered = repository(&[]);
    copy_directory(&folder.path().join(".minds"), &rendered.path().join(".minds"));
    let (code, _, stderr) = minds(
        rendered.path(),
        &["render", "--target", "agents:copilot", "--target", "hooks:copilot", "--write"],
    );
    assert_eq!(code, 0, "{stderr}");
    let agent = fs::read_to_string(rendered.path().join(".github/agents/reader.agent.md")).unwrap();
    assert!(agent.contains("tools: [\"read\", \"search\"]"), "{agent}");
    fs::rename(rendered.path().join(".minds"), folder.path().join("first")).unwrap();
    run(rendered.path(), &["init", "--from", "copilot"]);
    assert_eq!(toolsets(rendered.path()), before);
}

/// Makes a team of the servers of a client, renders them for it, and makes a team of that again.
#[track_caller]
fn check_servers(client: &str, path: &str, text: &str) {
    let original = repository(&[(path, text)]);
    run(original.path(), &["init", "--from", client]);
    let servers = |directory: &Path| fs::read_to_string(directory.join(".minds/mcp.yaml")).unwrap();
    let before = servers(original.path());
    assert!(before.contains("tickets") && before.contains("notes"), "{before}");
    let rendered = repository(&[]);
    copy_directory(&original.path().join(".minds"), &rendered.path().join(".minds"));
    run(rendered.path(), &["render", "--target", &format!("mcp:{client}"), "--write"]);
    fs::rename(rendered.path().join(".minds"), original.path().join("first")).unwrap();
    run(rendered.path(), &["init", "--from", client]);
    assert_eq!(servers(rendered.path()), before);
}

#[test]
fn servers_keep_their_meaning() {
    check_servers(
        "codex",
        ".codex/config.toml",
        "[mcp_servers.tickets]\ncommand = \"tickets-mcp\"\nargs = [\"--quiet\", \"a b\"]\nenabled_tools = [\"open\", \"list\"]\n\
         [mcp_servers.notes]\nurl = \"https://notes.example.org/mcp\"\nbearer_token_env_var = \"NOTES_TOKEN\"\n",
    );
    check_servers(
        "cursor",
        ".cursor/mcp.json",
        r#"{"mcpServers": {"tickets": {"command": "tickets-mcp", "args": ["--quiet", "a b"], "env": {"T": "${env:TICKETS}"}},
            "notes": {"url": "https://notes.example.org/mcp", "headers": {"Authorization": "Bearer ${env:NOTES_TOKEN}"}}}}"#,
    );
    check_servers(
        "copilot",
        ".github/mcp.json",
        r#"{"mcpServers": {"tickets": {"type": "local", "command": "tickets-mcp", "args": ["--quiet"], "tools": ["open", "list"]},
            "notes": {"type": "http", "url": "https://notes.example.org/mcp", "tools": ["*"]}}}"#,
    );
}

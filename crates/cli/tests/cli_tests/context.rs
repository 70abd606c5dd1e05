//! `minds context`: totals, parts, JSON, and mistakes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::shell_server::shell_server;
use crate::support::{command, exit_and_output};

const TEAM: &str = "\
member_defaults: {provider: anthropic, model: claude-sonnet-4.5}
members:
  coder: {toolsets: [ws_read, files, web], gofor: [writing code]}
  lead: {toolsets: [team-mgmt], gofor: [managing the team]}
";
const SERVERS: &str = concat!(
    "version: 1\nservers:\n",
    shell_server!("files", "list_files"),
    "  web: {transport: stdio, command: no-such-program-for-this-test}\n"
);
const AGENT: &str = "---\nname: reviewer\ndescription: Reviews changes\n---\nReview the changes.\n";
const FILES: &[(&str, &str)] = &[
    (".minds/team.yaml", TEAM),
    (".minds/mcp.yaml", SERVERS),
    (".minds/team/coder/persona.md", "You write code.\n"),
    (".minds/team/coder/knowledge.md", "The code is in `src`.\n"),
    (
        "CLAUDE.md",
        "# Project\n\nSee @docs/style.md and @docs/missing.md.\n\n<!-- minds: begin (rendered from .minds/; edit there) -->\n## Team\n<!-- minds: end -->\n",
    ),
    ("docs/style.md", "Use tabs.\n"),
    ("AGENTS.md", "# Agents\n\nRun the tests.\n"),
    ("apps/web/AGENTS.md", "# Web\n"),
    ("GEMINI.md", "# Gemini\n"),
    (".claude/agents/reviewer.md", AGENT),
    (
        ".claude/skills/review/SKILL.md",
        "---\nname: review\ndescription: How to review\n---\nRead it twice.\n",
    ),
    (".codex/config.toml", "[mcp_servers.other]\ncommand = \"other-mcp\"\n"),
    (".cursor/rules/style.mdc", "---\nalwaysApply: true\n---\nUse tabs.\n"),
    (".github/copilot-instructions.md", "Be brief.\n"),
    ("tasks/ship-it.tsk/goals.md", "Ship it.\n"),
    ("tasks/ship-it.tsk/constraints.md", ""),
    ("tasks/ship-it.tsk/progress.md", ""),
];

/// A workspace with a home directory of its own.
struct World(TempDir);

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Stops the search for a workspace in parent directories.
        fs::create_dir_all(folder.path().join("app/.git")).unwrap();
        for (path, text) in files {
            let path = folder.path().join("app").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn root(&self) -> std::path::PathBuf {
        self.0.path().join("app")
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.root().join(path), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let home = self.0.path().join("home");
        let mut command = command(&self.root(), args);
        command.env("HOME", &home).env("MINDS_HOME", home.join("minds"));
        exit_and_output(&command.output().unwrap())
    }

    #[track_caller]
    fn show(&self, args: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(&[&["context"], args].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{args:?}: {stdout}");
        stdout
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.show(&[&["--json"], args].concat())).unwrap()
    }
}

#[test]
fn totals_and_parts() {
    let world = World::new(FILES);
    insta::assert_snapshot!("totals", world.show(&[]));
    insta::assert_snapshot!("parts", world.show(&["coder"]));
    insta::assert_snapshot!("manager", world.show(&["lead", "--client", "minds-mcp", "--client", "codex"]));
    insta::assert_snapshot!("below", world.show(&["lead", "--client", "codex", "-C", "apps/web"]));
    insta::assert_snapshot!("task", world.show(&["coder", "--task", "ship-it", "--client", "gemini"]));
    let document = world.json(&["coder", "--client", "claude-code", "--client", "codex"]);
    insta::assert_snapshot!("document", serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn every_line_fits_and_the_output_is_stable() {
    let world = World::new(FILES);
    for args in [&[][..], &["coder"], &["lead"], &["--task", "ship-it"]] {
        let text = world.show(args);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
            assert_eq!(line, line.trim_end(), "{args:?}");
        }
        assert_eq!(world.show(args), text, "{args:?}");
    }
}

#[test]
fn totals_are_the_sums_of_the_parts() {
    let world = World::new(FILES);
    let document = world.json(&["--task", "ship-it"]);
    let mut clients = BTreeSet::new();
    for member in document["members"].as_array().unwrap() {
        for client in member["clients"].as_array().unwrap() {
            clients.insert(client["client"].as_str().unwrap());
            let parts = client["parts"].as_array().unwrap();
            for key in ["tokens", "bytes"] {
                let sum: u64 = parts.iter().filter_map(|part| part[key].as_u64()).sum();
                assert_eq!(client[key], sum, "{member} {key}");
            }
            let is_complete = parts.iter().all(|part| part["tokens"].is_u64());
            assert_eq!(client["complete"], is_complete, "{client}");
        }
    }
    assert_eq!(clients.len(), 7, "{clients:?}");
}

#[test]
fn recorded_tools_of_servers_are_counted() {
    let world = World::new(FILES);
    let server = |world: &World, id: &str| {
        let document = world.json(&["coder", "--client", "minds-mcp"]);
        let parts = document["members"][0]["clients"][0]["parts"].as_array().unwrap().clone();
        parts.into_iter().find(|part| part["source"] == "server" && part["place"] == id).unwrap()
    };
    assert_eq!(server(&world, "files")["tokens"], Value::Null);
    // The other server does not start.
    let (_, listed, _) = world.run(&["gateway", "tools", "files"]);
    assert!(listed.contains("list_files"), "{listed}");
    let files = server(&world, "files");
    assert!(files["tokens"].as_u64() > Some(0) && files["tools"] == 1, "{files}");
    assert_eq!(server(&world, "web")["tokens"], Value::Null);
    let text = world.show(&["coder", "--client", "claude-code"]);
    assert!(text.contains("files (1 tool)") && text.contains("at least"), "{text}");
    // A changed configuration is another server.
    world.write(".minds/mcp.yaml", &SERVERS.replace("command: sh", "command: bash"));
    assert_eq!(server(&world, "files")["tokens"], Value::Null);
}

#[test]
fn unknown_members_clients_and_tasks_are_refused() {
    let world = World::new(FILES);
    for (args, expected) in [
        (&["context", "codr"][..], "the team has no member `codr`; did you mean `coder`?"),
        (&["context", "--client", "claude"], "invalid value 'claude' for '--client <CLIENT>'"),
        (&["context", "--task", "nope"], "there is no task package `nope`"),
        (&["context", "-C", "nope"], "nope"),
    ] {
        let (code, stdout, stderr) = world.run(args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
    }
    let (code, stdout, _) = world.run(&["context", "codr", "--json"]);
    let error: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &error["error"]["kind"]), (2, &Value::from("unknown-member")), "{error}");
}

#[test]
fn a_workspace_without_a_team_says_what_to_do() {
    for files in [&[][..], &[("CLAUDE.md", "# Project\n")]] {
        let world = World::new(files);
        let (code, stdout, stderr) = world.run(&["context"]);
        assert_eq!((code, stdout.as_str()), (0, ""));
        assert!(stderr.contains("`minds init` writes one"), "{stderr}");
        assert_eq!(world.json(&[])["members"], serde_json::json!([]));
        assert_eq!(world.run(&["context", "coder"]).0, 2, "a member that is given must exist");
    }
}

#[test]
fn files_with_errors_are_reported_as_by_other_commands() {
    let world = World::new(FILES);
    for (path, text, shown) in [
        (".minds/team.yaml", "members: [\n", ""),
        (".minds/team.yaml", "members:\n  coder: {toolsets: 5}\n", "coder"),
        (".minds/mcp.yaml", "servers: 5\n", "coder"),
    ] {
        let world = World::new(FILES);
        world.write(path, text);
        let (code, stdout, stderr) = world.run(&["context"]);
        assert_eq!(code, 1, "{text}: {stdout}{stderr}");
        assert!(stderr.contains("so values may be missing; see `minds check`"), "{text}: {stderr}");
        assert!(stdout.contains(shown), "{text}: {stdout}");
    }
    world.write(".minds/team.yaml", "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {}\n");
    let (code, stdout, stderr) = world.run(&["context"]);
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    assert!(stderr.contains("defines no members"), "{stderr}");
}

#[test]
fn files_outside_of_the_workspace_are_not_read() {
    let world = World::new(FILES);
    fs::write(world.0.path().join("secret.md"), "secret\n").unwrap();
    std::os::unix::fs::symlink(Path::new("../secret.md"), world.root().join("link.md")).unwrap();
    world.write("CLAUDE.md", "@../secret.md @link.md\n");
    let text = world.show(&["coder", "--client", "claude-code"]);
    assert!(!text.contains("secret.md"), "{text}");
    assert!(text.contains("link.md"), "a link is named, but its size is unknown: {text}");
}

//! A real Claude Code as the engine of an agent, with the program of npm that speaks the protocol for it.

use serde_json::{Value, json};

use super::Programs;
use super::member::TEAM;
use super::model::{call, reply};
use super::place::{Place, Setup};
use super::policy::CANARY;
use crate::files::root;
use crate::mcp::node::Node;

/// The package that speaks the protocol.
pub(super) const PACKAGE: (&str, &str) = ("@agentclientprotocol/claude-agent-acp", "0.49.0");
/// Settings of a workspace that allow everything, in every way that Claude Code has.
const WIDE: &str =
    r#"{"permissions": {"defaultMode": "acceptEdits", "allow": ["Bash", "Bash(*)", "Edit", "Write"]}}"#;
/// A program that is not known by its name, so that its settings are its own, and that is allowed nothing when it asks.
const UNNAMED: &str = "kind: acp, command: claude-agent-acp, permissions: {read: allow}";

/// Claude Code has the tools that the agent gives, whatever the files of the workspace say, and a member has its tools only.
pub(super) fn run(programs: &Programs) -> Result<String, String> {
    let node = Node::install(&root().join("target/acp/claude-code"), &[PACKAGE])?;
    let mut count = 0;
    for (kind, tools, expected) in [
        ("kind: claude-code", "{allow: [fs.read, fs.write]}", &["Write", "Read"][..]),
        ("kind: claude-code", "{allow: [fs.read, os.exec]}", &["Read", "Bash"]),
        // Without an owner nothing is confirmed.
        ("kind: claude-code", "{allow: [fs.read, fs.write], confirm: [fs.read, fs.write]}", &[]),
        // The control: the settings of the workspace have an effect. Commands need a folder that this agent does not have.
        (UNNAMED, "{allow: [fs.read]}", &["Write", "Read"]),
    ] {
        let place = start(programs, &node, kind, &format!("tools: {tools}\n"))?;
        count += expect_effects(&place, expected).map_err(|error| format!("{kind}, {tools}: {error}"))?;
        place.stop()?;
    }
    let place = start(
        programs,
        &node,
        "kind: claude-code",
        "tools: {allow: [fs.read, fs.write, os.exec]}\nmember: writer\n",
    )?;
    count += expect_effects(&place, &[]).map_err(|error| format!("a member: {error}"))?;
    for path in ["drafts/a.md", "printed/a.md"] {
        let tool = "mcp__minds__create_new_file";
        place.perform(&call(tool, &json!({ "path": path, "content": "one\n" })))?;
    }
    let exists = |path: &str| place.workspace().join(path).exists();
    if !exists("drafts/a.md") || exists("printed") || !place.model.has_seen("ACCESS_DENIED") {
        return Err(format!("the tools of the member: {:?}\n{}", place.model.tools(), place.describe()));
    }
    place.stop()?;
    Ok(format!("{count} calls had exactly the effects that the agent allows, and 2 those of its member"))
}

/// Starts an agent with Claude Code in a workspace whose settings allow everything.
fn start<'p>(programs: &'p Programs, node: &Node, kind: &str, keys: &str) -> Result<Place<'p>, String> {
    let setup = Setup { engine: "claude-code", keys, writes_home: false };
    let place = Place::with_packages(programs, node.folder(), setup)?;
    let home = place.home();
    std::fs::create_dir_all(home.join(".claude")).map_err(|error| error.to_string())?;
    std::fs::write(home.join(".claude.json"), "{}").map_err(|error| error.to_string())?;
    let variables = json!({
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": format!("http://{}", place.model.address()),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    });
    place.write_agent(Setup { engine: &format!("{{{kind}, env: {variables}}}"), ..setup })?;
    place.write(".claude/settings.json", WIDE)?;
    place.write(".claude/settings.local.json", WIDE)?;
    place.write(".minds/team.yaml", TEAM)?;
    place.write("canary.txt", &format!("{CANARY}\n"))?;
    place.start()?;
    Ok(place)
}

/// Performs a call of each kind of tools; fails unless exactly those with these tools have their effect.
fn expect_effects(place: &Place<'_>, expected: &[&str]) -> Result<usize, String> {
    let path = |name: &str| place.workspace().join(name);
    let calls: [(&str, Value); 3] = [
        ("Write", json!({ "file_path": path("written.txt"), "content": "new\n" })),
        ("Read", json!({ "file_path": path("canary.txt") })),
        ("Bash", json!({ "command": "touch made.txt", "description": "x" })),
    ];
    for (tool, arguments) in &calls {
        place.perform(&call(tool, arguments))?;
        let has_happened = match *tool {
            "Write" => path("written.txt").exists(),
            "Read" => place.model.has_seen(CANARY),
            _ => path("made.txt").exists(),
        };
        if has_happened != expected.contains(tool) {
            let found = if has_happened { "has an effect" } else { "has no effect" };
            return Err(format!("`{tool}` {found}; tools: {:?}\n{}", place.model.tools(), place.describe()));
        }
    }
    let answer = place.perform(&reply("still here"))?;
    if answer == "still here" { Ok(calls.len()) } else { Err(format!("the last answer is `{answer}`")) }
}

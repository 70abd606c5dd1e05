//! Sessions in which the tools of `minds mcp` are the only way to files, with real clients.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::client::Client;
use super::disk;
use super::hostile::{FILES, SECRET};
use super::model::{Answer, Call, Script};
use super::place::Place;
use crate::mcp::node::Node;

/// What differs between the clients.
struct Form {
    target: &'static str,
    arguments: &'static [&'static str],
    /// What the name of a tool of `minds mcp` begins with.
    prefix: &'static str,
    /// The tools that may be offered too, because they touch no files.
    others: &'static [&'static str],
    /// The tools of the client that touch files, run programs or start agents.
    closed: fn(&str) -> Vec<Call>,
}

const CLAUDE_CODE: Form = Form {
    target: "confined:claude-code",
    arguments: &[
        "--settings",
        ".claude-coder.confined.json",
        "--mcp-config",
        ".claude-coder.confined.mcp.json",
        "--strict-mcp-config",
    ],
    prefix: "mcp__minds__",
    others: &["DeferredToolPlaceholder", "ListAgents", "ReportFindings", "ScheduleWakeup", "ToolSearch"],
    closed: |workspace| {
        let path = |path: &str| format!("{workspace}/{path}");
        let agent = json!({ "description": "x", "prompt": "go", "subagent_type": "general-purpose" });
        let cell = json!({ "notebook_path": path("src/n.ipynb"), "new_source": "1", "edit_mode": "insert" });
        vec![
            Call::new("Read", json!({ "file_path": path("secret/key.txt") })),
            Call::new("Write", json!({ "file_path": path("src/closed.txt"), "content": "x" })),
            Call::new(
                "Edit",
                json!({ "file_path": path("src/a.txt"), "old_string": "one", "new_string": "two" }),
            ),
            Call::new("NotebookEdit", cell),
            Call::new("Grep", json!({ "pattern": "the-secret", "output_mode": "content" })),
            Call::new("Glob", json!({ "pattern": "**/*" })),
            Call::new("Bash", json!({ "command": "cat secret/*; touch src/closed.txt", "description": "x" })),
            Call::new(
                "Monitor",
                json!({ "command": "cat secret/*", "description": "x", "timeout_ms": 1000 }),
            ),
            Call::new("Agent", agent.clone()),
            Call::new("Task", agent),
            Call::new("Skill", json!({ "skill": "init" })),
            Call::new(
                "Workflow",
                json!({ "script": "export const meta = { name: 'x', description: 'x' }\nagent('go')" }),
            ),
            Call::new("EnterWorktree", json!({ "name": "closed" })),
            Call::new("CronCreate", json!({ "cron": "0 9 * * *", "prompt": "go", "durable": true })),
        ]
    },
};

const OPENCODE: Form = Form {
    target: "confined:opencode",
    arguments: &["--agent", "coder.confined"],
    prefix: "minds-coder_",
    others: &["invalid"],
    closed: |_| {
        let agent = json!({ "description": "x", "prompt": "go", "subagent_type": "general" });
        let patch = "*** Begin Patch\n*** Add File: src/closed.txt\n+x\n*** End Patch";
        vec![
            Call::new("read", json!({ "filePath": "secret/key.txt" })),
            Call::new("write", json!({ "filePath": "src/closed.txt", "content": "x" })),
            Call::new("edit", json!({ "filePath": "src/a.txt", "oldString": "one", "newString": "two" })),
            Call::new("apply_patch", json!({ "patchText": patch })),
            Call::new("grep", json!({ "pattern": "the-secret" })),
            Call::new("glob", json!({ "pattern": "**/*" })),
            Call::new("list", json!({ "path": "." })),
            Call::new("bash", json!({ "command": "cat secret/*; touch src/closed.txt", "description": "x" })),
            Call::new("task", agent),
            Call::new("skill", json!({ "name": "init" })),
            Call::new("webfetch", json!({ "url": "http://127.0.0.1:9/", "format": "text" })),
        ]
    },
};

/// The calls of tools of `minds mcp`, each with whether the lists of the member allow it.
fn team_calls(prefix: &str) -> Vec<(Call, bool)> {
    let call = |tool: &str, path: &str, is_allowed: bool| {
        let arguments = if tool == "read_file" {
            json!({ "path": path })
        } else {
            json!({ "path": path, "content": "two\n" })
        };
        (Call::new(&format!("{prefix}{tool}"), arguments), is_allowed)
    };
    vec![
        call("read_file", "src/a.txt", true),
        call("create_new_file", "src/new.txt", true),
        call("read_file", "secret/key.txt", false),
        call("read_file", "src/../secret/key.txt", false),
        call("read_file", "src/link/key.txt", false),
        call("create_new_file", "new.txt", false),
        call("create_new_file", "secret/new.txt", false),
        call("create_new_file", "src/gen/new.txt", false),
        call("create_new_file", "src/link/new.txt", false),
        call("create_new_file", "../outside/new.txt", false),
        call("create_new_file", ".minds/new.md", false),
        call("create_new_file", ".claude/settings.json", false),
        call("create_new_file", ".opencode/plugins/new.js", false),
    ]
}

/// Runs a session with the calls of all tools; returns what was observed.
pub(super) fn run(client: Client, node: &Node, minds: &Path) -> Result<String, String> {
    let form = match client {
        Client::Opencode => OPENCODE,
        _ => CLAUDE_CODE,
    };
    let place = Place::new(&format!("confined-{}", client.name()), minds, &FILES);
    place.link("src/link", "../secret");
    place.render(&[form.target], &[])?;
    let workspace = place.workspace();
    let closed = (form.closed)(workspace.to_str().expect("the path is text"));
    let team = team_calls(form.prefix);
    let calls: Vec<Call> = closed.iter().chain(team.iter().map(|(call, _)| call)).cloned().collect();

    // The client has written its own files before the answer to the first call.
    let folders = [place.workspace(), place.outside()];
    let before = Arc::new(Mutex::new(disk::Tree::new()));
    let mut script = Script::of(calls);
    let (shared, read) = (Arc::clone(&before), folders.clone());
    script.observer = Box::new(move |turn, _: &[Answer]| {
        if turn == 0 {
            *shared.lock().expect("no thread panics") = disk::read(&read);
        }
    });
    let transcript = client.run(node, &place, form.arguments, script)?;

    let is_known = |tool: &&String| tool.starts_with(form.prefix) || form.others.contains(&tool.as_str());
    let unknown: Vec<&String> = transcript.tools.iter().filter(|tool| !is_known(tool)).collect();
    if !unknown.is_empty() {
        return Err(format!("tools that are not known are offered: {unknown:?}"));
    }
    let (own, of_team) = transcript.answers.split_at(closed.len());
    for (call, answer) in closed.iter().zip(own) {
        if !answer.is_error {
            return Err(format!("`{}` is not refused: {}", call.tool, answer.text));
        }
    }
    for ((call, is_allowed), answer) in team.iter().zip(of_team) {
        if answer.is_error == *is_allowed {
            let expected = if *is_allowed { "refused" } else { "not refused" };
            return Err(format!("`{}` {} is {expected}: {}", call.tool, call.arguments, answer.text));
        }
    }
    if let Some(answer) = transcript.answers.iter().find(|answer| answer.text.contains(SECRET)) {
        return Err(format!("the secret was read: {}", answer.text));
    }
    let changed = disk::find_changes(&before.lock().expect("no thread panics"), &disk::read(&folders));
    if changed != [workspace.join("src/new.txt")] {
        return Err(format!("these files were changed: {changed:?}"));
    }
    Ok(format!(
        "{} tools of the client are refused, and {} calls of `minds mcp` are as the lists say",
        own.len(),
        team.len()
    ))
}

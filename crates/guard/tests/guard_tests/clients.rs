//! Events of each client and their answers.

use std::fmt::Write as _;

use minds_guard::{ClientId, Event, Request, ShellPolicy};
use serde_json::{Value, json};

use crate::support::{Memory, ROOT, answer, coder};

/// Answers events, and displays each with its answer.
fn show(client: ClientId, events: &[Value]) -> String {
    let memory = Memory::new(&[("src/link", "../secret")], &["src", "secret", "docs"]);
    let mut shown = String::new();
    for event in events {
        let answer = answer(client, &memory, &event.to_string());
        writeln!(shown, "{event}").unwrap();
        writeln!(shown, "  exit {}", answer.exit_code).unwrap();
        for (name, text) in [("stdout", &answer.stdout), ("stderr", &answer.stderr)] {
            if !text.is_empty() {
                writeln!(shown, "  {name} {}", text.trim_end()).unwrap();
            }
        }
    }
    shown
}

fn claude(tool: &str, input: &Value) -> Value {
    json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": format!("{ROOT}/src"), "tool_name": tool,
        "tool_input": input })
}

#[test]
fn claude_code() {
    let events = [
        claude("Read", &json!({ "file_path": "/ws/src/a.rs" })),
        claude("Read", &json!({ "file_path": "/ws/secret/k" })),
        claude("Read", &json!({ "file_path": "/etc/passwd" })),
        claude("Write", &json!({ "file_path": "a.rs", "content": "x" })),
        claude("Edit", &json!({ "file_path": "gen/a.rs", "old_string": "a", "new_string": "b" })),
        claude("MultiEdit", &json!({ "file_path": "/ws/README.md", "edits": [] })),
        claude("NotebookEdit", &json!({ "notebook_path": "/ws/src/gen/n.ipynb", "new_source": "" })),
        claude("Grep", &json!({ "pattern": "x" })),
        claude("Glob", &json!({ "pattern": "**/*", "path": "/ws" })),
        claude("Bash", &json!({ "command": "cat ../secret/k" })),
        claude("Bash", &json!({ "command": "make" })),
        claude("PowerShell", &json!({ "command": "ls" })),
        claude("WebFetch", &json!({ "url": "https://example.com" })),
        claude("Agent", &json!({ "subagent_type": "coder", "prompt": "x" })),
        claude("mcp__stocks__get", &json!({})),
        claude("mcp__my_srv__get", &json!({})),
        claude("mcp__other__get", &json!({})),
        claude("mcp__minds__ws_read_file", &json!({})),
        claude("NewTool", &json!({ "file_path": "/ws/secret/k" })),
        claude("Write", &json!({ "content": "x" })),
        claude("Write", &json!({ "file_path": 1 })),
        json!({ "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": { "file_path": "src/a" } }),
        json!({ "hook_event_name": "SessionStart", "cwd": ROOT, "source": "startup" }),
        json!({ "hook_event_name": "NewEvent", "cwd": ROOT }),
        json!([]),
    ];
    insta::assert_snapshot!(show(ClientId::ClaudeCode, &events));
}

#[test]
fn codex() {
    let patch = "*** Begin Patch\n*** Add File: src/a.rs\n+x\n*** End Patch";
    let denied = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/gen/a.rs\n*** End Patch";
    let event = |tool: &str, input: &Value| json!({ "hook_event_name": "PreToolUse", "turn_id": "t", "cwd": ROOT, "tool_name": tool, "tool_input": input });
    let events = [
        event("Bash", &json!({ "command": "cat src/a.rs" })),
        event("Bash", &json!({ "command": "cat secret/k" })),
        event("Bash", &json!({ "command": "make" })),
        event("exec_command", &json!({ "cmd": "cat k", "workdir": "/ws/secret" })),
        event("shell", &json!({ "command": ["bash", "-lc", "cat secret/k"] })),
        event("shell", &json!({ "command": ["cat", "src/a.rs"] })),
        event("apply_patch", &json!({ "command": patch })),
        event("apply_patch", &json!({ "command": denied })),
        event("apply_patch", &json!({ "command": "nothing" })),
        event("mcp__stocks__get", &json!({})),
        event("update_plan", &json!({})),
        event("write_stdin", &json!({ "session_id": 1, "chars": "x" })),
        json!({ "hook_event_name": "Stop", "cwd": ROOT }),
    ];
    insta::assert_snapshot!(show(ClientId::Codex, &events));
}

#[test]
fn gemini() {
    let event = |tool: &str, input: &Value| json!({ "hook_event_name": "BeforeTool", "cwd": ROOT, "timestamp": "t", "tool_name": tool, "tool_input": input });
    let events = [
        event("read_file", &json!({ "file_path": "src/a.rs" })),
        event("read_file", &json!({ "absolute_path": "/ws/secret/k" })),
        event("read_many_files", &json!({ "include": ["src/*.rs", "secret/**"] })),
        event("write_file", &json!({ "file_path": "src/a.rs", "content": "" })),
        event("replace", &json!({ "file_path": "src/gen/a.rs" })),
        event("list_directory", &json!({ "dir_path": "src" })),
        event("glob", &json!({ "pattern": "**/*" })),
        event("grep_search", &json!({ "pattern": "x", "dir_path": "src" })),
        event("run_shell_command", &json!({ "command": "cat k", "dir_path": "secret" })),
        event("run_shell_command", &json!({ "command": "make" })),
        event("mcp_stocks_get", &json!({})),
        event("mcp__my.srv__get", &json!({})),
        event("save_memory", &json!({ "fact": "x" })),
        json!({ "hook_event_name": "BeforeModel", "cwd": ROOT }),
        json!({ "hook_event_name": "PreToolUse", "cwd": ROOT }),
    ];
    insta::assert_snapshot!(show(ClientId::Gemini, &events));
}

#[test]
fn cursor() {
    let event = |name: &str, fields: &Value| {
        let mut event = json!({ "hook_event_name": name, "conversation_id": "c", "workspace_roots": [ROOT] });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    };
    let events = [
        event("beforeShellExecution", &json!({ "command": "cat src/a.rs", "cwd": ROOT })),
        event("beforeShellExecution", &json!({ "command": "cat secret/k", "cwd": "" })),
        event("beforeShellExecution", &json!({ "command": "make", "cwd": ROOT })),
        event("beforeReadFile", &json!({ "file_path": "/ws/secret/k", "content": "x" })),
        event(
            "beforeReadFile",
            &json!({ "file_path": "/ws/a", "attachments": [{ "filePath": "/ws/secret/k" }] }),
        ),
        event("beforeReadFile", &json!({ "file_path": "/ws/a", "attachments": [] })),
        event("beforeMCPExecution", &json!({ "tool_name": "MCP:stocks:get", "tool_input": "{}" })),
        event("beforeMCPExecution", &json!({ "tool_name": "get", "tool_input": "{}", "command": "npx x" })),
        event("preToolUse", &json!({ "tool_name": "Write", "tool_input": { "file_path": "src/gen/a" } })),
        event("preToolUse", &json!({ "tool_name": "Delete", "tool_input": { "path": "docs/a" } })),
        event("preToolUse", &json!({ "tool_name": "Shell", "tool_input": { "command": "make" } })),
        event("preToolUse", &json!({ "tool_name": "Grep", "tool_input": { "pattern": "x" } })),
        event("stop", &json!({})),
        event("beforeNothing", &json!({})),
    ];
    insta::assert_snapshot!(show(ClientId::Cursor, &events));
}

#[test]
fn opencode() {
    let event = |tool: &str, args: &Value| json!({ "hook_event_name": "tool.execute.before", "directory": ROOT, "agent": "build", "tool": tool, "args": args });
    let events = [
        event("read", &json!({ "filePath": "src/a.rs" })),
        event("write", &json!({ "filePath": "/ws/src/gen/a.rs" })),
        event("grep", &json!({ "pattern": "x" })),
        event("list", &json!({ "path": "/ws/src" })),
        event("apply_patch", &json!({ "patchText": "*** Delete File: docs/a" })),
        event("bash", &json!({ "command": "make" })),
        event("bash", &json!({ "command": "cat src/a.rs", "workdir": "/ws" })),
        event("stocks_get", &json!({})),
        event("my_srv_get", &json!({})),
        event("other_get", &json!({})),
        event("webfetch", &json!({ "url": "x" })),
        json!({ "hook_event_name": "x" }),
    ];
    insta::assert_snapshot!(show(ClientId::Opencode, &events));
}

#[test]
fn copilot() {
    let event = |tool: &str, args: &Value| json!({ "sessionId": "s", "timestamp": 1, "cwd": ROOT, "toolName": tool, "toolArgs": args, "agentType": "x" });
    let events = [
        event("view", &json!("{\"path\":\"/ws/src/a.rs\"}")),
        event("view", &json!({ "path": "/ws/secret/k" })),
        event("create", &json!("{\"path\":\"/ws/src/gen/a.rs\",\"file_text\":\"\"}")),
        event("edit", &json!("{\"path\":\"src/a.rs\"}")),
        event("bash", &json!("{\"command\":\"make\"}")),
        event("grep", &json!("{\"pattern\":\"x\",\"path\":\"src\"}")),
        event("apply_patch", &json!("*** Begin Patch\n*** Add File: src/gen/a\n+x\n*** End Patch")),
        event("create", &json!("not JSON")),
        event("stocks-get", &json!("{}")),
        event("report_intent", &json!("{}")),
        json!({ "hook_event_name": "PreToolUse", "cwd": ROOT, "tool_name": "create", "tool_input": { "path": "a" } }),
        json!({ "sessionId": "s", "cwd": ROOT, "source": "new" }),
        json!({ "sessionId": "s", "cwd": ROOT, "toolName": "view", "toolArgs": "{}", "toolResult": {} }),
        json!({ "sessionId": "s", "cwd": ROOT }),
    ];
    insta::assert_snapshot!(show(ClientId::Copilot, &events));
}

#[test]
fn no_answer_allows_what_the_client_would_ask_about_unless_requested() {
    let memory = Memory::new(&[], &[]);
    let input = claude("Read", &json!({ "file_path": "/ws/src/a.rs" })).to_string();
    let event = Event::parse(ClientId::ClaudeCode, input.as_bytes()).unwrap();
    for client in ClientId::ALL {
        let answer = |auto_allow| {
            let request = Request { client, shell: ShellPolicy::Ask, auto_allow, surroundings: &memory };
            let event = Event { name: "PreToolUse".to_owned(), ..event.clone() };
            minds_guard::answer(&request, &event, &mut [Box::new(coder())])
        };
        assert!(!answer(false).stdout.contains("allow"), "{client}");
        let supports = [ClientId::ClaudeCode, ClientId::Cursor, ClientId::Copilot].contains(&client);
        assert_eq!(answer(true).stdout.contains("allow"), supports, "{client}");
    }
}

#[test]
fn the_shell_policy_decides_about_unknown_commands() {
    let memory = Memory::new(&[], &[]);
    for (client, shell, expected) in [
        (ClientId::ClaudeCode, ShellPolicy::Allow, "{}"),
        (ClientId::ClaudeCode, ShellPolicy::Ask, "\"ask\""),
        (ClientId::ClaudeCode, ShellPolicy::Deny, ""),
        (ClientId::Codex, ShellPolicy::Allow, "{}"),
        (ClientId::Codex, ShellPolicy::Ask, ""),
    ] {
        let input = claude("Bash", &json!({ "command": "make" })).to_string();
        let event = Event::parse(client, input.as_bytes()).unwrap();
        let request = Request { client, shell, auto_allow: false, surroundings: &memory };
        let answer = minds_guard::answer(&request, &event, &mut [Box::new(coder())]);
        assert!(answer.stdout.contains(expected), "{client} {shell:?}: {answer:?}");
        assert_eq!(answer.exit_code, if expected.is_empty() { 2 } else { 0 }, "{client} {shell:?}");
    }
}

#[test]
fn events_that_are_too_large_are_denied() {
    let input = vec![b' '; minds_guard::MAX_EVENT_BYTES + 1];
    Event::parse(ClientId::ClaudeCode, &input).unwrap_err();
}

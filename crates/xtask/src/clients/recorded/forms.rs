//! How permissions are written for each client, and how files are read and written with it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Client;
use super::record::{Operation, Question};
use crate::clients::model::Call;
use crate::clients::place::Place;

/// Why writing to a string succeeds.
const WRITE_REASON: &str = "memory is available";

/// Writes the files with the permissions; returns more arguments for the client.
pub(super) fn prepare(client: Client, place: &Place, permissions: &Value) -> Result<Vec<String>, String> {
    match client {
        Client::ClaudeCode => {
            place.write(".claude/settings.json", &json!({ "permissions": permissions }).to_string());
            Ok(Vec::new())
        }
        Client::Opencode => {
            place.write(".opencode/agents/m.md", &opencode_agent(permissions)?);
            Ok(vec!["--agent".to_owned(), "m".to_owned()])
        }
        Client::Codex => {
            place.write(".codex/config.toml", &codex_profile(permissions)?);
            Ok(Vec::new())
        }
        Client::Gemini => {
            place.write(".gemini/minds.toml", &gemini_policy(permissions)?);
            let settings = json!({ "policyPaths": [".gemini/minds.toml"] });
            place.write(".gemini/settings.json", &settings.to_string());
            Ok(vec!["--approval-mode".to_owned(), "auto_edit".to_owned()])
        }
        Client::Copilot => copilot_arguments(place, permissions),
    }
}

/// Returns the arguments of a session of Copilot CLI: those in a list, or none with settings of the repository.
fn copilot_arguments(place: &Place, permissions: &Value) -> Result<Vec<String>, String> {
    let workspace = place.workspace();
    let replace = |text: String| text.replace("@WORK@", workspace.to_str().expect("the path is text"));
    if permissions.is_object() {
        place.write(".github/copilot/settings.json", &replace(permissions.to_string()));
        return Ok(vec!["--allow-all-tools".to_owned()]);
    }
    let rules = permissions.as_array().ok_or("the permissions are not a list")?;
    let rules: Vec<String> =
        rules.iter().map(|rule| replace(rule.as_str().unwrap_or_default().to_owned())).collect();
    Ok(rules)
}

/// Returns an agent of opencode with rules `[permission, pattern, effect]`, whose order counts.
fn opencode_agent(rules: &Value) -> Result<String, String> {
    let mut text = "---\ndescription: x\nmode: primary\npermission:\n".to_owned();
    let mut last = None;
    for rule in rules.as_array().ok_or("the permissions are not a list")? {
        if last != Some(&rule[0]) {
            writeln!(text, "  {}:", rule[0]).expect(WRITE_REASON);
        }
        writeln!(text, "    {}: {}", rule[1], rule[2].as_str().unwrap_or_default()).expect(WRITE_REASON);
        last = Some(&rule[0]);
    }
    Ok(text + "---\nText.\n")
}

/// Returns a profile of Codex with a base and entries `[path, access]`.
fn codex_profile(profile: &Value) -> Result<String, String> {
    let (extends, system) = match profile["base"].as_str() {
        Some("workspace") => ("extends = \":workspace\"\n", ""),
        Some("read-only") => ("extends = \":read-only\"\n", ""),
        Some("minimal") => ("", "\":minimal\" = \"read\"\n"),
        _ => return Err("no base".to_owned()),
    };
    let mut text = format!(
        "default_permissions = \"m\"\napproval_policy = \"never\"\n\n[permissions.m]\n{extends}\n\
         [permissions.m.filesystem]\n{system}\n[permissions.m.filesystem.\":workspace_roots\"]\n"
    );
    for entry in profile["entries"].as_array().ok_or("no entries")? {
        writeln!(text, "{} = {}", entry[0], entry[1]).expect(WRITE_REASON);
    }
    Ok(text)
}

/// Returns a policy of Gemini CLI with rules `[tools, arguments, effect, priority]`.
fn gemini_policy(rules: &Value) -> Result<String, String> {
    let mut text = String::new();
    for rule in rules.as_array().ok_or("the permissions are not a list")? {
        writeln!(text, "[[rule]]\ntoolName = {}", rule[0]).expect(WRITE_REASON);
        if let Some(pattern) = rule[1].as_str() {
            writeln!(text, "argsPattern = {}", json!(pattern)).expect(WRITE_REASON);
        }
        writeln!(text, "decision = {}\npriority = {}\n", rule[2], rule[3]).expect(WRITE_REASON);
    }
    Ok(text)
}

/// Returns the call that reads or writes a path.
pub(in crate::clients) fn call(client: Client, place: &Place, question: &Question, content: &str) -> Call {
    let workspace = place.workspace();
    let workspace = workspace.to_str().expect("the path is text");
    let outside = place.outside();
    let outside = outside.to_str().expect("the path is text");
    let path = question.path.replace("@WORK@", workspace).replace("@OUTSIDE@", outside);
    // Claude Code and Copilot CLI ask for absolute paths.
    let absolute = if path.starts_with('/') { path.clone() } else { format!("{workspace}/{path}") };
    let command = match question.operation {
        // A pattern is for the shell.
        Operation::CommandRead => format!("cat {path}"),
        Operation::CommandWrite => format!("printf %s {} > {path}", quote(content)),
        Operation::Search => format!("grep -rs {} {}", quote(content), quote(&path)),
        Operation::Read => format!("cat {}", quote(&path)),
        Operation::Edit => format!("printf %s {} > {}", quote(content), quote(&path)),
        Operation::Write => {
            let (path, content) = (quote(&path), quote(content));
            format!("mkdir -p \"$(dirname {path})\"; printf %s {content} > {path}")
        }
    };
    match (client, question.operation) {
        (Client::Codex, _) => Call::new("exec_command", json!({ "cmd": command })),
        (Client::Gemini, Operation::CommandRead | Operation::CommandWrite) => {
            Call::new("run_shell_command", json!({ "command": command, "description": "x" }))
        }
        (client, Operation::CommandRead | Operation::CommandWrite) => {
            let tool = if client == Client::ClaudeCode { "Bash" } else { "bash" };
            Call::new(tool, json!({ "command": command, "description": "x" }))
        }
        (Client::ClaudeCode, Operation::Read) => Call::new("Read", json!({ "file_path": absolute })),
        (Client::ClaudeCode, Operation::Write) => {
            Call::new("Write", json!({ "file_path": absolute, "content": content }))
        }
        (Client::ClaudeCode, Operation::Edit) => {
            Call::new("Edit", json!({ "file_path": absolute, "old_string": "", "new_string": content }))
        }
        (Client::ClaudeCode, Operation::Search) => {
            Call::new("Grep", json!({ "pattern": content, "path": absolute, "output_mode": "content" }))
        }
        (Client::Opencode, Operation::Read) => Call::new("read", json!({ "filePath": path })),
        (Client::Opencode, Operation::Edit) => {
            Call::new("edit", json!({ "filePath": path, "oldString": "", "newString": content }))
        }
        (Client::Opencode, Operation::Write) => {
            Call::new("write", json!({ "filePath": path, "content": content }))
        }
        (Client::Opencode, Operation::Search) => {
            Call::new("grep", json!({ "pattern": content, "path": path }))
        }
        (Client::Gemini, Operation::Read) => Call::new("read_file", json!({ "file_path": path })),
        (Client::Gemini, Operation::Write | Operation::Edit) => {
            Call::new("write_file", json!({ "file_path": path, "content": content }))
        }
        (Client::Gemini, Operation::Search) => {
            Call::new("grep_search", json!({ "pattern": content, "dir_path": path }))
        }
        (Client::Copilot, Operation::Read) => Call::new("view", json!({ "path": absolute })),
        (Client::Copilot, Operation::Write | Operation::Edit) => {
            Call::new("create", json!({ "path": absolute, "file_text": content }))
        }
        (Client::Copilot, Operation::Search) => {
            Call::new("grep", json!({ "pattern": content, "path": absolute, "output_mode": "content" }))
        }
    }
}

/// Quotes a word for a shell.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns whether an answer says that the client refuses the call, and not that something else failed.
pub(in crate::clients) fn is_refusal(client: Client, text: &str) -> bool {
    let phrases: &[&str] = match client {
        Client::ClaudeCode => &["permission", "is disabled for this session"],
        Client::Opencode => {
            &["a rule which prevents you", "rejected permission", "unavailable tool", "permission requested"]
        }
        Client::Codex => &["Permission denied", "Read-only file system", "No such file or directory"],
        Client::Gemini => &["denied by policy", "not found in registry", "requires user confirmation"],
        Client::Copilot => &["denied"],
    };
    phrases.iter().any(|phrase| text.contains(phrase))
}

//! The models of permissions decide as the real clients did, which `cargo xtask clients` drives and records.

use std::path::Path;

use minds_clients::permissions::{
    ClaudeCodePermissions, CodexAccess, CodexBase, CodexProfile, CopilotPermissions, Effect,
    OpencodePermissions, Operation,
};
use minds_vfs::WorkspacePath;
use serde_json::Value;

/// Compares all decisions about paths in the workspace. `model` returns what decides with the permissions of a session.
fn compare<M: Fn(&str, &str) -> Effect>(client: &str, model: impl Fn(&Value) -> M) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/recorded/clients")
        .join(client)
        .with_extension("json");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for session in list(&record["sessions"]) {
        let decide = model(&session["permissions"]);
        for question in list(&session["questions"]) {
            let [operation, written, decision] = [0, 1, 2].map(|at| question[at].as_str().unwrap());
            let inner = written.strip_prefix("@WORK@/").unwrap_or(written);
            let path = WorkspacePath::normalize(inner).unwrap();
            let is_allowed = decide(operation, path.as_str()) == Effect::Allow;
            count += 1;
            if is_allowed != (decision == "allowed") {
                wrong.push(format!("{}: {operation} `{written}` is {decision}", session["name"]));
            }
        }
    }
    assert!(count > 75, "{count}");
    assert!(wrong.is_empty(), "{} of {count} decisions differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn parse(operation: &str) -> Operation {
    if operation == "read" { Operation::Read } else { Operation::Write }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn read_strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn claude_code() {
    compare("claude-code", |permissions| {
        let permissions = ClaudeCodePermissions {
            denies_by_default: permissions["defaultMode"] == "dontAsk",
            allow: read_strings(&permissions["allow"]),
            ask: read_strings(&permissions["ask"]),
            deny: read_strings(&permissions["deny"]),
        };
        move |operation: &str, path: &str| {
            let tool = match operation {
                "read" => "Read",
                "write" => "Write",
                _ => "Edit",
            };
            permissions.decide_call(tool, path)
        }
    });
}

#[test]
fn opencode() {
    compare("opencode", |rules| {
        let rules: Vec<[String; 3]> =
            list(rules).iter().map(|rule| read_strings(rule).try_into().unwrap()).collect();
        let mut permissions: Vec<(&str, Vec<(&str, Effect)>)> = Vec::new();
        for [permission, pattern, effect] in &rules {
            let entry = (pattern.as_str(), Effect::parse(effect).unwrap());
            match permissions.last_mut() {
                Some((last, entries)) if last == permission => entries.push(entry),
                _ => permissions.push((permission, vec![entry])),
            }
        }
        let permissions = OpencodePermissions::new(permissions);
        move |operation: &str, path: &str| permissions.decide(parse(operation), path)
    });
}

#[test]
fn codex() {
    compare("codex", |profile| {
        let base = match profile["base"].as_str() {
            Some("workspace") => CodexBase::Workspace,
            Some("read-only") => CodexBase::ReadOnly,
            _ => CodexBase::Minimal,
        };
        let entries = list(&profile["entries"]).iter().map(|entry| {
            let access = [CodexAccess::Deny, CodexAccess::Read, CodexAccess::Write];
            let access = access.into_iter().find(|access| entry[1] == access.as_str()).unwrap();
            (entry[0].as_str().unwrap().to_owned(), access)
        });
        let profile = CodexProfile { base, entries: entries.collect() };
        move |operation: &str, path: &str| profile.decide(parse(operation), path)
    });
}

#[test]
fn copilot() {
    compare("copilot", |permissions| {
        // Settings of the repository have no permissions; the session was started with the argument that allows all tools.
        let arguments = match permissions {
            Value::Array(_) => read_strings(permissions),
            _ => vec!["--allow-all-tools".to_owned()],
        };
        let arguments: Vec<String> = arguments.iter().map(|text| text.replace("@WORK@", "/work")).collect();
        let permissions = CopilotPermissions::from_arguments(arguments.iter().map(String::as_str));
        move |operation: &str, path: &str| permissions.decide(parse(operation), "/work", path)
    });
}

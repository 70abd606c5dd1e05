//! The model of Gemini CLI decides as the client did, which `cargo xtask clients` drives and records. It is tested here, where
//! there are regular expressions.

use std::path::Path;

use minds_access_control::{Access, EntryList, Extension, ListKind, Lists, Pattern, Policy};
use minds_client_agents::rights::{
    Hands, translate_for_claude_code, translate_for_codex, translate_for_gemini, translate_for_opencode,
};
use minds_clients::ClientId;
use minds_clients::permissions::{Effect, GeminiPolicy, GeminiRule, OpencodePermissions, Operation};
use minds_vfs::WorkspacePath;
use serde_json::{Value, json};

use crate::differential::{borrow, is_match};

#[test]
fn gemini_decides_as_recorded() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/clients/gemini.json");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut count = 0;
    for session in record["sessions"].as_array().unwrap() {
        let policy = policy(&session["permissions"]);
        for question in session["questions"].as_array().unwrap() {
            let [operation, path, decision] = [0, 1, 2].map(|at| question[at].as_str().unwrap());
            // The pattern is compared with the path as it is written.
            let written = path.replace("@WORK@", "/work");
            let (tool, arguments) = match operation {
                "read" => ("read_file", json!({ "file_path": written })),
                _ => {
                    ("write_file", json!({ "content": format!("content of {path}\n"), "file_path": written }))
                }
            };
            let effect = policy.decide_call("m", tool, &arguments.to_string());
            let is_allowed = decision == "allowed";
            assert_eq!(effect == Effect::Allow, is_allowed, "{} {operation} {path}", session["name"]);
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

/// Reads rules `[tools, arguments, effect, priority]`.
fn policy(rules: &Value) -> GeminiPolicy<fn(&str, &str) -> bool> {
    let read_strings = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        other => other.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
    };
    let rules = rules.as_array().unwrap().iter().map(|rule| GeminiRule {
        tools: read_strings(&rule[0]),
        agent: None,
        arguments: rule[1].as_str().map(str::to_owned),
        effect: Effect::parse(rule[2].as_str().unwrap()).unwrap(),
        priority: u16::try_from(rule[3].as_u64().unwrap()).unwrap(),
    });
    // The client drops rules with patterns that it cannot use safely, and those with a priority above 999.
    let is_kept = |rule: &GeminiRule| {
        rule.priority < 1_000
            && rule
                .arguments
                .as_deref()
                .is_none_or(|pattern| regex::Regex::new(pattern).is_ok() && !pattern.contains("+)+"))
    };
    GeminiPolicy { rules: rules.filter(is_kept).collect(), is_match }
}

/// Returns the lists of a recorded member for one operation.
fn lists(member: &Value, access: Access) -> Lists {
    let entries = |kind: ListKind| {
        let entries = member.get(kind.key(access).as_str())?.as_array()?;
        Some(entries.iter().map(|entry| entry.as_str().unwrap()).collect::<Vec<_>>())
    };
    let patterns = |kind| match entries(kind) {
        Some(entries) => {
            EntryList::Given(entries.iter().map(|entry| Pattern::parse(entry).unwrap()).collect())
        }
        None => EntryList::Absent,
    };
    let extensions = |kind| match entries(kind) {
        Some(entries) => {
            EntryList::Given(entries.iter().map(|entry| Extension::parse(entry).unwrap()).collect())
        }
        None => EntryList::Absent,
    };
    Lists {
        deny: patterns(ListKind::Deny),
        deny_extensions: extensions(ListKind::DenyExtension),
        allow: patterns(ListKind::Allow),
        allow_extensions: extensions(ListKind::AllowExtension),
    }
}

/// Returns what the files of a client decide about a path, by its model; none if the member is not rendered.
fn decide(client: ClientId, policy: &Policy, hands: Hands, access: Access, written: &str) -> Option<Effect> {
    let inner = written.strip_prefix("@WORK@/").unwrap_or(written);
    let path = WorkspacePath::normalize(inner).ok()?;
    let operation = if access == Access::Read { Operation::Read } else { Operation::Write };
    match client {
        ClientId::ClaudeCode => {
            let made = translate_for_claude_code(policy, hands).ok()?.permissions;
            Some(made.decide(operation, path.as_str()))
        }
        ClientId::Codex => {
            let made = translate_for_codex(policy, hands).ok()?.permissions;
            Some(made.decide(operation, path.as_str()))
        }
        ClientId::Opencode => {
            let made = translate_for_opencode(policy, hands).ok()?.permissions;
            let made = OpencodePermissions::new([
                ("*", vec![("*", Effect::Deny)]),
                ("read", borrow(&made.read)),
                ("edit", borrow(&made.edit)),
            ]);
            Some(made.decide(operation, path.as_str()))
        }
        ClientId::Gemini => {
            let rules = translate_for_gemini(policy, hands, "m").ok()?.permissions;
            Some(GeminiPolicy { rules, is_match }.decide("m", operation, &written.replace("@WORK@", "/work")))
        }
        ClientId::Copilot | ClientId::Cursor => None,
    }
}

/// What real clients did with rendered files is never more than what the lists allow, and without the hook it is what the models
/// say.
#[test]
fn rendered_members_did_what_their_lists_allow() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/clients/rendered");
    let (mut questions, mut compared) = (0, 0);
    for client in ClientId::ALL.into_iter().filter(|client| *client != ClientId::Cursor) {
        let text = std::fs::read_to_string(folder.join(format!("{client}.json"))).unwrap();
        let record: Value = serde_json::from_str(&text).unwrap();
        for session in record["sessions"].as_array().unwrap() {
            let name = session["name"].as_str().unwrap();
            let member = &session["lists"];
            let policy = Policy::new(lists(member, Access::Read), lists(member, Access::Write));
            let has =
                |toolset: &str| member["toolsets"].as_array().unwrap().iter().any(|known| known == toolset);
            let hands = Hands { reads: has("ws_read"), writes: has("ws_mod") };
            for question in session["questions"].as_array().unwrap() {
                let [operation, written, decision] = [0, 1, 2].map(|at| question[at].as_str().unwrap());
                let access = if operation.ends_with("read") { Access::Read } else { Access::Write };
                let is_done = decision == "allowed";
                questions += 1;
                // Searches and links are about more than one path, and places outside of the workspace about none.
                let is_one_path =
                    operation != "search" && !written.contains('*') && !written.contains("/link/");
                let inner = written.strip_prefix("@WORK@/").unwrap_or(written);
                let Some(path) = WorkspacePath::normalize(inner)
                    .ok()
                    .filter(|_| is_one_path && !written.contains("@OUTSIDE@"))
                else {
                    continue;
                };
                let decided = policy.check(access, &path);
                // What the page of clients names: letter case in Claude Code, and reserved names in Codex.
                let is_documented = client == ClientId::Codex
                    && decided.reason() == minds_access_control::Reason::Reserved
                    || client == ClientId::ClaudeCode
                        && written.starts_with("SRC/")
                        && name.ends_with("without the hook");
                assert!(!is_done || decided.is_allowed() || is_documented, "{client} `{name}`: {question}");
                let is_file_tool = matches!(operation, "read" | "write" | "edit") && hands.has(access);
                // The program of Codex is outside of what such a profile can read, so nothing works.
                let is_hidden = client == ClientId::Codex && member.get("read_dirs").is_some();
                if !name.ends_with("without the hook") || !is_file_tool || is_hidden || is_documented {
                    continue;
                }
                let Some(effect) = decide(client, &policy, hands, access, written) else { continue };
                compared += 1;
                assert_eq!(effect == Effect::Allow, is_done, "{client} `{name}`: {question}");
            }
        }
    }
    assert!(questions > 3_000 && compared > 800, "{questions} {compared}");
}

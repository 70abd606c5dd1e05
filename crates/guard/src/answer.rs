//! Answers in the form of each client.
//!
//! An answer never takes a decision away from the user: where `allow` would skip the question of the client, a call that is
//! allowed is answered without a decision, so that the client continues as without a hook.

use serde_json::{Value, json};

use crate::{ClientId, Outcome, Verdict};

/// What is written, and how the program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text on stdout.
    pub stdout: String,
    /// The text on stderr.
    pub stderr: String,
    /// The exit code.
    pub exit_code: u8,
}

/// The exit code that denies in every client that reads exit codes.
const DENIED: u8 = 2;

/// Returns whether a client asks the user if the answer to an event requests it.
pub(crate) fn can_ask(client: ClientId, event: &str) -> bool {
    match client {
        ClientId::ClaudeCode => event == "PreToolUse",
        ClientId::Copilot => true,
        // Its `preToolUse` accepts the word, but does not ask.
        ClientId::Cursor => ["beforeShellExecution", "beforeMCPExecution"].contains(&event),
        // Codex treats a request to ask as an error of the hook, and continues.
        ClientId::Codex | ClientId::Gemini | ClientId::Opencode => false,
    }
}

/// Returns the answer to an event. With `auto_allow`, calls that are allowed skip the question of clients that support this.
pub(crate) fn answer(client: ClientId, event: &str, verdict: &Verdict, auto_allow: bool) -> Answer {
    let reason = format!("minds: {}", verdict.text());
    match verdict.outcome() {
        Outcome::Allow => proceed(client, event, auto_allow),
        Outcome::Ask if can_ask(client, event) => print(&ask(client, &reason), String::new(), 0),
        Outcome::Ask => deny(client, &format!("{reason} (denied, because the user cannot be asked here)")),
        Outcome::Deny => deny(client, &reason),
    }
}

/// Returns the answer to an event that is not about a tool call.
pub(crate) fn no_decision(client: ClientId) -> Answer {
    proceed(client, "", false)
}

/// Returns an answer that denies a call, also if the event is not known.
pub(crate) fn deny(client: ClientId, reason: &str) -> Answer {
    match client {
        // The exit code denies without any output, so nothing that happens to stdout can allow the call.
        ClientId::ClaudeCode | ClientId::Codex | ClientId::Gemini => {
            Answer { stdout: String::new(), stderr: format!("{reason}\n"), exit_code: DENIED }
        }
        ClientId::Cursor => print(
            &json!({ "permission": "deny", "user_message": reason, "agent_message": reason }),
            format!("{reason}\n"),
            DENIED,
        ),
        // With another exit code the reason would be lost; the plugin of opencode denies all but one answer.
        ClientId::Copilot => print(
            &json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }),
            String::new(),
            0,
        ),
        ClientId::Opencode => print(&json!({ "decision": "deny", "reason": reason }), String::new(), DENIED),
    }
}

fn proceed(client: ClientId, event: &str, auto_allow: bool) -> Answer {
    let document = match client {
        ClientId::ClaudeCode if auto_allow && event == "PreToolUse" => json!({
            "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "allow" }
        }),
        ClientId::Copilot if auto_allow && !event.is_empty() => json!({ "permissionDecision": "allow" }),
        ClientId::Cursor if auto_allow && !event.is_empty() => json!({ "permission": "allow" }),
        // The plugin continues only after this answer; it does not skip the permissions of opencode.
        ClientId::Opencode => json!({ "decision": "continue" }),
        _ => json!({}),
    };
    print(&document, String::new(), 0)
}

fn ask(client: ClientId, reason: &str) -> Value {
    match client {
        ClientId::Cursor => json!({ "permission": "ask", "user_message": reason, "agent_message": reason }),
        ClientId::Copilot => json!({ "permissionDecision": "ask", "permissionDecisionReason": reason }),
        _ => json!({
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "ask",
                "permissionDecisionReason": reason,
            }
        }),
    }
}

fn print(document: &Value, stderr: String, exit_code: u8) -> Answer {
    Answer { stdout: format!("{document}\n"), stderr, exit_code }
}

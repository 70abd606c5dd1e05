//! Answers in the form of each client.
//!
//! An answer never takes a decision away from the user: where `allow` would skip the question of the client, a call that is
//! allowed is answered without a decision, so that the client continues as without a hook.

use serde_json::{Value, json};

use crate::{Client, Outcome, Verdict};

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
pub(crate) fn can_ask(client: Client, event: &str) -> bool {
    match client {
        Client::ClaudeCode => event == "PreToolUse",
        Client::Copilot => true,
        // Its `preToolUse` accepts the word, but does not ask.
        Client::Cursor => ["beforeShellExecution", "beforeMCPExecution"].contains(&event),
        // Codex treats a request to ask as an error of the hook, and continues.
        Client::Codex | Client::Gemini | Client::Opencode => false,
    }
}

/// Returns the answer to an event. With `auto_allow`, calls that are allowed skip the question of clients that support this.
pub(crate) fn answer(client: Client, event: &str, verdict: &Verdict, auto_allow: bool) -> Answer {
    let reason = format!("minds: {}", verdict.text());
    match verdict.outcome() {
        Outcome::Allow => proceed(client, event, auto_allow),
        Outcome::Ask if can_ask(client, event) => print(&ask(client, &reason), String::new(), 0),
        Outcome::Ask => deny(client, &format!("{reason} (denied, because the user cannot be asked here)")),
        Outcome::Deny => deny(client, &reason),
    }
}

/// Returns the answer to an event that is not about a tool call.
pub(crate) fn no_decision(client: Client) -> Answer {
    proceed(client, "", false)
}

/// Returns an answer that denies a call, also if the event is not known.
pub(crate) fn deny(client: Client, reason: &str) -> Answer {
    match client {
        // The exit code denies without any output, so nothing that happens to stdout can allow the call.
        Client::ClaudeCode | Client::Codex | Client::Gemini => {
            Answer { stdout: String::new(), stderr: format!("{reason}\n"), exit_code: DENIED }
        }
        Client::Cursor => print(
            &json!({ "permission": "deny", "user_message": reason, "agent_message": reason }),
            format!("{reason}\n"),
            DENIED,
        ),
        // With another exit code the reason would be lost; the plugin of opencode denies all but one answer.
        Client::Copilot => print(
            &json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }),
            String::new(),
            0,
        ),
        Client::Opencode => print(&json!({ "decision": "deny", "reason": reason }), String::new(), DENIED),
    }
}

fn proceed(client: Client, event: &str, auto_allow: bool) -> Answer {
    let document = match client {
        Client::ClaudeCode if auto_allow && event == "PreToolUse" => json!({
            "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "allow" }
        }),
        Client::Copilot if auto_allow && !event.is_empty() => json!({ "permissionDecision": "allow" }),
        Client::Cursor if auto_allow && !event.is_empty() => json!({ "permission": "allow" }),
        // The plugin continues only after this answer; it does not skip the permissions of opencode.
        Client::Opencode => json!({ "decision": "continue" }),
        _ => json!({}),
    };
    print(&document, String::new(), 0)
}

fn ask(client: Client, reason: &str) -> Value {
    match client {
        Client::Cursor => json!({ "permission": "ask", "user_message": reason, "agent_message": reason }),
        Client::Copilot => json!({ "permissionDecision": "ask", "permissionDecisionReason": reason }),
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

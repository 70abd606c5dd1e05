//! Gemini CLI: rules of a policy file.
//!
//! As tried with version 0.61.0: the rule with the highest priority wins, and a pattern is compared with the arguments of a
//! tool as the model wrote them, as JSON with sorted keys. A rule with an unsafe pattern is dropped, and one with a priority above
//! 999 voids the file.

use std::fmt::Write as _;

use super::{Effect, Operation};

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeminiRule {
    /// The tools; `*` for every one.
    pub tools: Vec<String>,
    /// The agent that it belongs to; none for every agent.
    pub agent: Option<String>,
    /// The pattern of the arguments; none for all.
    pub arguments: Option<String>,
    /// What is decided.
    pub effect: Effect,
    /// The priority, from 0 to 999.
    pub priority: u16,
}

/// The rules of a file. `P` says whether a pattern, a regular expression, matches a string.
#[derive(Clone, Debug)]
pub struct GeminiPolicy<P> {
    /// The rules.
    pub rules: Vec<GeminiRule>,
    /// Compares a pattern with a string; this crate has no engine for regular expressions.
    pub is_match: P,
}

impl<P: Fn(&str, &str) -> bool> GeminiPolicy<P> {
    /// Returns what the client decides about a path as the model wrote it.
    pub fn decide(&self, agent: &str, operation: Operation, path: &str) -> Effect {
        let path = json_text(path);
        let calls = match operation {
            Operation::Read => [
                ("read_file", format!("{{\"file_path\":{path}}}")),
                ("list_directory", format!("{{\"dir_path\":{path}}}")),
            ],
            Operation::Write => [
                ("write_file", format!("{{\"content\":\"\",\"file_path\":{path}}}")),
                (
                    "replace",
                    format!(
                        "{{\"file_path\":{path},\"instruction\":\"\",\"new_string\":\"\",\"old_string\":\"\"}}"
                    ),
                ),
            ],
        };
        // The widest answer, since the agent chooses the tool.
        let effects = calls.iter().map(|(tool, arguments)| self.decide_call(agent, tool, arguments));
        effects.min().unwrap_or(Effect::Ask)
    }

    /// Returns what the client decides about a call with its arguments as JSON.
    pub fn decide_call(&self, agent: &str, tool: &str, arguments: &str) -> Effect {
        let applies = |rule: &&GeminiRule| {
            rule.tools.iter().any(|name| name == "*" || name == tool)
                && rule.agent.as_deref().is_none_or(|name| name == agent)
                && rule.arguments.as_deref().is_none_or(|pattern| (self.is_match)(pattern, arguments))
        };
        // Of rules with the same priority the first one decides.
        let found = self.rules.iter().rev().filter(applies).max_by_key(|rule| rule.priority);
        found.map_or(Effect::Ask, |rule| rule.effect)
    }
}

/// Returns a string as JSON.
fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            control if control.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            other => json.push(other),
        }
    }
    json.push('"');
    json
}

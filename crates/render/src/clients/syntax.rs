//! The syntax of references and literal strings in each client's file.

use minds_core::EnvVar;

use super::Client;
use super::opencode::CONTAINERS;
use crate::jsonc::Json;

impl Client {
    /// Returns the reference to an environment variable within a string; `None` if the client only has
    /// separate keys for references, or none at all.
    pub(super) fn reference(self, variable: &EnvVar) -> Option<String> {
        let name = variable.as_str();
        match self {
            Self::ClaudeCode | Self::Gemini | Self::Copilot => Some(format!("${{{name}}}")),
            Self::VsCode | Self::Cursor => Some(format!("${{env:{name}}}")),
            Self::OpenCode => Some(format!("{{env:{name}}}")),
            Self::Codex | Self::Antigravity => None,
        }
    }

    /// Returns whether the client reads `text` unchanged, also if a reference follows it.
    ///
    /// No client has an escape for a `$` that starts a reference. opencode expands references before it
    /// parses the JSON, so a JSON escape prevents that.
    pub(super) fn reads_literally(self, text: &str) -> bool {
        match self {
            Self::Codex | Self::OpenCode | Self::Antigravity => true,
            Self::ClaudeCode | Self::VsCode | Self::Cursor => !text.contains("${"),
            Self::Gemini | Self::Copilot => {
                let begins = |rest: &str| {
                    rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '{')
                };
                !text.split('$').skip(1).any(begins)
            }
        }
    }

    /// Returns why `name` cannot be the name of a variable or header; `None` if it can.
    pub(super) fn key_obstacle(self, name: &str) -> Option<&'static str> {
        match self {
            Self::OpenCode if OPENCODE_MARKS.iter().any(|mark| name.contains(mark)) => {
                Some("opencode would replace a part of the name")
            }
            Self::VsCode if name.contains("${") => Some("VS Code would replace a part of the name"),
            // The clients that read JSON are JavaScript programs, which ignore this key.
            Self::ClaudeCode
            | Self::Gemini
            | Self::VsCode
            | Self::Cursor
            | Self::OpenCode
            | Self::Copilot
                if name == "__proto__" =>
            {
                Some("JavaScript programs ignore a key `__proto__`")
            }
            _ => None,
        }
    }

    /// Returns why `name` cannot be the name of a server; `None` if it can.
    pub(super) fn server_name_obstacle(self, name: &str) -> Option<&'static str> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match self {
            _ if name.is_empty() => Some("a server needs a name"),
            Self::ClaudeCode if !name.chars().all(is_plain) => {
                Some("Claude Code accepts only ASCII letters, digits, `_` and `-`")
            }
            Self::Codex if !name.chars().all(is_plain) => {
                Some("Codex accepts only ASCII letters, digits, `_` and `-`")
            }
            Self::ClaudeCode if CLAUDE_CODE_NAMES.contains(&name) => {
                Some("Claude Code reserves the name and does not load a server with it")
            }
            Self::OpenCode if CONTAINERS.contains(&name) => {
                Some("opencode would not read it as the name of a server")
            }
            Self::Copilot if name.contains(|c: char| c.is_control() || c == '}') => {
                Some("Copilot CLI does not accept control characters and `}` in names")
            }
            // VS Code expands references only within the server.
            Self::VsCode if name != "__proto__" => None,
            client => client.key_obstacle(name),
        }
    }

    /// Returns a string that the client [reads literally](Self::reads_literally).
    pub(super) fn literal(self, text: &str) -> Json {
        if self == Self::OpenCode {
            Json::Written(quote_for_opencode(text))
        } else {
            Json::Text(text.to_owned())
        }
    }

    /// Returns a string followed by a reference to a variable.
    pub(super) fn with_variable(self, prefix: &str, variable: &EnvVar) -> Json {
        let reference = self.reference(variable).unwrap_or_default();
        if self != Self::OpenCode {
            return Json::Text(format!("{prefix}{reference}"));
        }
        let prefix = quote_for_opencode(prefix);
        Json::Written(format!("{}{reference}\"", prefix.strip_suffix('"').unwrap_or(&prefix)))
    }
}

/// The names of the built-in servers of Claude Code.
const CLAUDE_CODE_NAMES: [&str; 5] =
    ["workspace", "claude-in-chrome", "computer-use", "Claude_Browser", "Claude_Preview"];

/// The references that opencode expands anywhere in its file.
const OPENCODE_MARKS: [&str; 2] = ["{env:", "{file:"];

/// Returns a quoted string in which opencode does not expand anything.
fn quote_for_opencode(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    OPENCODE_MARKS.iter().fold(quoted, |text, mark| text.replace(mark, &mark.replace('{', "\\u007b")))
}

/// Returns a part of opencode's file in which references that are expanded differ from escaped ones.
pub(super) fn mark_replacements(text: &str) -> String {
    OPENCODE_MARKS
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, &mark.replace('{', "\u{e000}")))
}

//! How a client reads the texts of its file: what it puts in the place of what.

use minds_core::EnvVar;
use minds_document::jsonc::Json;

use super::Client;
use super::opencode::CONTAINERS;

impl Client {
    /// Returns how its file refers to an environment variable within a text; nothing if it has only keys for that.
    pub(super) fn reference(self, variable: &EnvVar) -> Option<String> {
        let name = variable.as_str();
        match self {
            Self::ClaudeCode | Self::Gemini => Some(format!("${{{name}}}")),
            Self::VsCode | Self::Cursor => Some(format!("${{env:{name}}}")),
            Self::OpenCode => Some(format!("{{env:{name}}}")),
            Self::Codex => None,
        }
    }

    /// Returns whether the client takes a text for what it says, also with a reference behind it.
    ///
    /// None of them has a way to write a `$` that it would take for the beginning of a reference. opencode looks at the
    /// letters of its file before it reads JSON, so there an escape keeps them apart.
    pub(super) fn takes_literally(self, text: &str) -> bool {
        match self {
            Self::Codex | Self::OpenCode => true,
            Self::ClaudeCode | Self::VsCode | Self::Cursor => !text.contains("${"),
            Self::Gemini => {
                let begins = |rest: &str| {
                    rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '{')
                };
                !text.split('$').skip(1).any(begins)
            }
        }
    }

    /// Returns why a name cannot be that of a variable or a header; nothing if it can.
    pub(super) fn key_obstacle(self, name: &str) -> Option<&'static str> {
        match self {
            Self::OpenCode if OPENCODE_MARKS.iter().any(|mark| name.contains(mark)) => {
                Some("opencode would replace a part of the name")
            }
            Self::VsCode if name.contains("${") => Some("VS Code would replace a part of the name"),
            // Those that read JSON are written in a language in which this is no key like others: they skip it.
            Self::ClaudeCode | Self::Gemini | Self::VsCode | Self::Cursor | Self::OpenCode
                if name == "__proto__" =>
            {
                Some("a program in JavaScript skips what is called `__proto__`")
            }
            _ => None,
        }
    }

    /// Returns why a name cannot be that of a server; nothing if it can.
    pub(super) fn server_name_obstacle(self, name: &str) -> Option<&'static str> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match self {
            _ if name.is_empty() => Some("a server without a name cannot be called"),
            Self::ClaudeCode if !name.chars().all(is_plain) => {
                Some("Claude Code takes ASCII letters, digits, `_` and `-`")
            }
            Self::Codex if !name.chars().all(is_plain) => {
                Some("Codex takes ASCII letters, digits, `_` and `-`")
            }
            Self::ClaudeCode if CLAUDE_CODE_NAMES.contains(&name) => {
                Some("Claude Code keeps the name for itself, and loads no server that has it")
            }
            Self::OpenCode if CONTAINERS.contains(&name) => {
                Some("opencode would take it for something else than the name of a server")
            }
            // What it replaces is within the server.
            Self::VsCode if name != "__proto__" => None,
            client => client.key_obstacle(name),
        }
    }

    /// Returns a text as it is written for the client, which [takes it literally](Self::takes_literally).
    pub(super) fn literal(self, text: &str) -> Json {
        if self == Self::OpenCode { Json::Written(protected(text)) } else { Json::Text(text.to_owned()) }
    }

    /// Returns a text with the value of a variable behind it.
    pub(super) fn with_variable(self, prefix: &str, variable: &EnvVar) -> Json {
        let reference = self.reference(variable).unwrap_or_default();
        if self != Self::OpenCode {
            return Json::Text(format!("{prefix}{reference}"));
        }
        let prefix = protected(prefix);
        Json::Written(format!("{}{reference}\"", prefix.strip_suffix('"').unwrap_or(&prefix)))
    }
}

/// The names of what Claude Code brings along itself.
const CLAUDE_CODE_NAMES: [&str; 5] =
    ["workspace", "claude-in-chrome", "computer-use", "Claude_Browser", "Claude_Preview"];

/// What opencode looks for in its file, wherever it stands.
const OPENCODE_MARKS: [&str; 2] = ["{env:", "{file:"];

/// Returns a text in quotes, in which opencode finds nothing to replace.
fn protected(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    OPENCODE_MARKS.iter().fold(quoted, |text, mark| text.replace(mark, &mark.replace('{', "\\u007b")))
}

/// Returns a part of opencode's file in which texts that are replaced differ from equal ones that are not.
pub(super) fn marked(text: &str) -> String {
    OPENCODE_MARKS
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, &mark.replace('{', "\u{e000}")))
}

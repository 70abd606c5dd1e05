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

    /// Returns whether a name can be a key of its file.
    pub(super) fn takes_key(self, name: &str) -> bool {
        self != Self::OpenCode || !OPENCODE_MARKS.iter().any(|mark| name.contains(mark))
    }

    /// Returns whether a server can have a name.
    pub(super) fn takes_server_name(self, name: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match self {
            Self::ClaudeCode | Self::Codex => !name.is_empty() && name.chars().all(is_plain),
            Self::OpenCode => !name.is_empty() && self.takes_key(name) && !CONTAINERS.contains(&name),
            Self::Gemini | Self::VsCode | Self::Cursor => !name.is_empty() && self.takes_key(name),
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

//! The values of variables and headers of MCP servers: references in the syntax of a client, and secrets.

use minds_core::EnvVar;
use minds_diagnostics::Label;
use minds_text::secrets::{self, KeyClass, TextKind, classify_key};

use crate::findings::{Findings, shorten};
use crate::rules;
use crate::team::SettingValue;

/// A reference to an environment variable in a string.
#[derive(Debug, PartialEq, Eq)]
struct Reference<'t> {
    before: &'t str,
    name: &'t str,
    default: Option<&'t str>,
    after: &'t str,
}

/// A variable or a header whose value is read.
pub(crate) struct Setting<'s> {
    /// The id of the client.
    pub(crate) client: &'s str,
    /// The name of the server.
    pub(crate) server: &'s str,
    /// The name of the variable or header.
    pub(crate) key: &'s str,
    pub(crate) is_header: bool,
    pub(crate) place: Label,
}

impl Setting<'_> {
    /// Returns the name of a variable that can have the value.
    fn variable(&self) -> String {
        let text = if self.is_header { format!("{}_{}", self.server, self.key) } else { self.key.to_owned() };
        variable_name(&text)
    }

    /// Reads the value. A secret is never copied.
    pub(crate) fn read(&self, text: &str, findings: &mut Findings) -> SettingValue {
        match find_reference(self.client, text) {
            Some(reference) => self.read_reference(&reference, findings),
            None if self.is_secret(text) => self.replace_secret(text, findings),
            None => SettingValue::Literal(text.to_owned()),
        }
    }

    fn read_reference(&self, reference: &Reference<'_>, findings: &mut Findings) -> SettingValue {
        let Reference { before, name, default, after } = *reference;
        let valid = EnvVar::parse(name).map(|name| name.as_str().to_owned());
        let is_secret = !secrets::find_hidden_ranges(before, TextKind::Settings).is_empty();
        if let Some(name) =
            valid.filter(|_| after.is_empty() && !is_secret && (before.is_empty() || self.is_header))
        {
            if default.is_some() {
                findings.report_loss(
                    &self.place,
                    format!("the default value of the variable `{}` is left out", shorten(&name)),
                    format!("set the variable `{}` where the team runs", shorten(&name)),
                );
            }
            return SettingValue::Variable { name, prefix: before.to_owned() };
        }
        let name = self.variable();
        findings.report(
            &rules::NOT_CARRIED_OVER,
            &self.place,
            format!("a team cannot put a variable into a part of the value of `{}`", shorten(self.key)),
            format!("set the variable `{name}`, to which it refers now, to the complete value"),
        );
        SettingValue::Variable { name, prefix: String::new() }
    }

    fn is_secret(&self, text: &str) -> bool {
        if text.is_empty() {
            return false;
        }
        let is_named = match classify_key(self.key) {
            KeyClass::Scalar | KeyClass::Secret => true,
            KeyClass::Weak | KeyClass::Ordinary => {
                !secrets::find_named_values(&format!("{}: \"{text}\"", self.key), TextKind::Settings)
                    .is_empty()
            }
            KeyClass::Variable => false,
        };
        is_named || !secrets::find_hidden_ranges(text, TextKind::Settings).is_empty()
    }

    fn replace_secret(&self, text: &str, findings: &mut Findings) -> SettingValue {
        // The scheme of an `Authorization` header is not a part of the secret.
        let scheme = text.split_once(' ').map(|(scheme, _)| scheme).filter(|scheme| {
            self.is_header && ["bearer", "basic", "token"].contains(&scheme.to_ascii_lowercase().as_str())
        });
        let name = self.variable();
        findings.report(
            &rules::LITERAL_SECRET,
            &self.place,
            format!("`{}` may be a secret, so it was not copied", shorten(self.key)),
            format!("set the variable `{name}`, to which the team refers, where the team runs"),
        );
        SettingValue::Variable { name, prefix: scheme.map(|scheme| format!("{scheme} ")).unwrap_or_default() }
    }
}

/// Returns a string as the name of a variable.
pub(crate) fn variable_name(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    let name: String = letters.collect();
    if EnvVar::parse(&name).is_some() { name } else { format!("_{name}") }
}

/// Returns the first reference in a string, in the syntax of a client.
fn find_reference<'t>(client: &str, text: &'t str) -> Option<Reference<'t>> {
    let forms: &[(&str, &str)] = match client {
        "codex" => &[],
        "opencode" => &[("{env:", "}"), ("{file:", "}")],
        "copilot" => &[("${{ secrets.", " }}"), ("${{secrets.", "}}"), ("${env:", "}"), ("${", "}")],
        _ => &[("${env:", "}"), ("${input:", "}"), ("${", "}")],
    };
    for (open, close) in forms {
        if let Some((before, rest)) = text.split_once(open)
            && let Some((inner, after)) = rest.split_once(close)
        {
            let (name, default) = match inner.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inner, None),
            };
            // What `${input:id}` and `{file:path}` stand for is not a variable.
            let is_variable = !open.contains("input") && !open.contains("file");
            return Some(Reference { before, name: if is_variable { name } else { "" }, default, after });
        }
    }
    let has_plain_form = matches!(client, "gemini" | "copilot");
    let (before, rest) = text.split_once('$').filter(|_| has_plain_form)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    Some(Reference { before, name, default: None, after })
}

/// Returns an argument or command without secrets, and without names of directories that a client replaces; none if a part
/// of it is a reference, which a team does not replace.
pub(crate) fn plain_argument(client: &str, text: &str) -> Option<String> {
    let text = text
        .replace("${workspaceFolder}/", "")
        .replace("${workspaceFolder}", ".")
        .replace("${CLAUDE_PROJECT_DIR}/", "")
        .replace("${CLAUDE_PROJECT_DIR}", ".");
    find_reference(client, &text).is_none().then_some(text)
}

/// Returns whether a string contains a secret, or `before` says that it is one, as `--token` does.
pub(crate) fn is_secret_argument(before: Option<&str>, text: &str) -> bool {
    let named =
        before.filter(|before| before.starts_with('-') && !before.contains('=')).is_some_and(|before| {
            matches!(classify_key(before.trim_start_matches('-')), KeyClass::Scalar | KeyClass::Secret)
        });
    let is_reference = text.starts_with(['$', '{', '-']);
    (named && !is_reference && !text.is_empty())
        || !secrets::find_hidden_ranges(text, TextKind::Settings).is_empty()
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::{SourceFile, Span};

    use super::*;

    #[track_caller]
    fn check(client: &str, key: &str, is_header: bool, text: &str, expected: &str) {
        let place = SourceFile::new("x", "x").label(Span::at(0));
        let setting = Setting { client, server: "my-srv", key, is_header, place };
        let found = match setting.read(text, &mut Findings::default()) {
            SettingValue::Literal(text) => text,
            SettingValue::Variable { name, prefix } => format!("{prefix}<{name}>"),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn references_of_each_client_are_read() {
        check("claude-code", "X", false, "${Y}", "<Y>");
        check("claude-code", "X", false, "${Y:-z}", "<Y>");
        check("claude-code", "X", false, "a${Y}", "<X>");
        check("claude-code", "X", false, "$Y", "$Y");
        check("gemini", "X", false, "$Y", "<Y>");
        check("vscode", "Authorization", true, "Bearer ${input:token}", "<MY_SRV_AUTHORIZATION>");
        check("vscode", "Authorization", true, "Bearer ${env:T}", "Bearer <T>");
        check("opencode", "X", false, "{env:Y}", "<Y>");
        check("copilot", "X", false, "${{ secrets.Y }}", "<Y>");
        check("codex", "X", false, "${Y}", "${Y}");
    }

    #[test]
    fn secrets_are_never_copied() {
        check("codex", "API_TOKEN", false, "q8Zr4mLw2x", "<API_TOKEN>");
        check("cursor", "Authorization", true, "Bearer q8Zr4mLw2x", "Bearer <MY_SRV_AUTHORIZATION>");
        check("cursor", "LOG_LEVEL", false, "debug", "debug");
        assert!(is_secret_argument(Some("--api-key"), "q8Zr4mLw2x"));
        assert!(!is_secret_argument(Some("--port"), "80"));
        assert!(is_secret_argument(None, "postgres://u:hunter2hunter@db/x"));
    }

    #[test]
    fn directories_of_a_client_become_relative_paths() {
        assert_eq!(plain_argument("vscode", "${workspaceFolder}/x").as_deref(), Some("x"));
        assert_eq!(plain_argument("claude-code", "${HOME}/x"), None);
        assert_eq!(variable_name("9a-b"), "_9A_B");
    }
}

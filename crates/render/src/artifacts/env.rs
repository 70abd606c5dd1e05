//! The environment file of an agent: a line `KEY=value` for each variable, without quoting.

use minds_compose::AgentFields;
use minds_vfs::WorkspacePath;

use super::{AgentJob, session};
use crate::artifact::RenderError;

/// The runtime that resumes sessions by id.
const RUNTIME_WITH_SESSIONS: &str = "claude-code";

pub(super) fn render(
    job: &AgentJob<'_>,
    fields: &AgentFields,
    mcp_path: &str,
    system_prompt: &str,
    path: &WorkspacePath,
) -> Result<String, RenderError> {
    let mut env = Env { text: String::new(), path };
    let text = |field: &minds_document::Field<minds_compose::RawScalar>| {
        field.as_given().map(|text| text.value.0.clone())
    };
    let id = &job.id;
    let runtime = fields.runtime();
    env.line("AGENT_ID", &id.to_string())?;
    env.line("PROJECT_ID", &id.project)?;
    env.line("RUNTIME", runtime)?;
    env.optional_line("MODEL", text(&fields.model))?;
    env.optional_line("PERMISSION_MODE", text(&fields.permission_mode))?;
    env.optional_line("EFFORT", text(&fields.effort))?;
    env.line("TEAMCTL_MAILBOX", &job.mailbox)?;
    env.line("MCP_CONFIG", mcp_path)?;
    env.line("SYSTEM_PROMPT_PATH", system_prompt)?;
    env.line("CLAUDE_PROJECT_DIR", job.cwd)?;
    env.line("TEAMCTL_ROOT", job.setting.root)?;
    env.line("TMUX_SESSION", &format!("{}{}", job.compose.tmux_prefix(), id.stem()))?;
    if runtime == RUNTIME_WITH_SESSIONS {
        let name = session::name(id);
        env.line("CLAUDE_SESSION_ID", &session::id(&name))?;
        env.line("CLAUDE_SESSION_NAME", &name)?;
    }
    Ok(env.text)
}

/// An environment file under construction.
struct Env<'p> {
    text: String,
    path: &'p WorkspacePath,
}

impl Env<'_> {
    /// Adds a line. A value with a line break is refused, because it could set other variables.
    fn line(&mut self, key: &'static str, value: &str) -> Result<(), RenderError> {
        let reason = if value.contains(['\n', '\r']) {
            "it contains a line break"
        } else if value.contains('\0') {
            "it contains a NUL"
        } else {
            self.text.extend([key, "=", value, "\n"]);
            return Ok(());
        };
        Err(RenderError::Unencodable { path: self.path.to_string(), key, reason })
    }

    fn optional_line(&mut self, key: &'static str, value: Option<String>) -> Result<(), RenderError> {
        value.map_or(Ok(()), |value| self.line(key, &value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parses an environment file line by line.
    fn decode(text: &str) -> Vec<(&str, &str)> {
        text.split_terminator('\n').map(|line| line.split_once('=').unwrap()).collect()
    }

    fn values() -> impl Strategy<Value = String> {
        let nasty = prop::sample::select(vec![
            "\"", "'", "\\", "$", "%", "#", ";", "\n", "\r", "\0", "\u{2028}", "=", " ", "é", "`", "a",
        ]);
        prop_oneof![
            30 => prop::collection::vec(nasty, 0..12).prop_map(|parts| parts.concat()),
            30 => ".{0,20}",
            1 => (0..65_536_usize).prop_map(|length| "x=".repeat(length / 2)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        /// Every value is read back unchanged, except that values with a line break or NUL are refused.
        #[test]
        fn values_are_read_back_or_refused(first in values(), second in values()) {
            let path = WorkspacePath::parse("a.env").unwrap();
            let mut env = Env { text: String::new(), path: &path };
            let mut expected = Vec::new();
            for (key, value) in [("A", &first), ("B", &second)] {
                let is_refused = env.line(key, value).is_err();
                prop_assert_eq!(is_refused, value.contains(['\n', '\r', '\0']));
                if !is_refused {
                    expected.push((key, value.as_str()));
                }
            }
            prop_assert_eq!(decode(&env.text), expected);
        }
    }
}

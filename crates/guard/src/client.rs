//! The clients whose hook events are understood.

use std::fmt;

/// A client that runs a program before each tool call of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// opencode, with the plugin in `docs/hooks.md`.
    Opencode,
    /// GitHub Copilot CLI.
    Copilot,
}

impl Client {
    /// All clients, in display order.
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Cursor, Self::Opencode, Self::Copilot];

    /// Returns the name in the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// Returns the client with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    /// Returns the name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::Opencode => "opencode, through a plugin",
            Self::Copilot => "GitHub Copilot CLI",
        }
    }

    /// Returns the paths that hold the settings of the client, with its hooks: a member that may write them can remove the
    /// guard. A path covers everything below it.
    pub(crate) fn settings(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json", ".claude/hooks"],
            Self::Codex => &[".codex"],
            Self::Gemini => &[".gemini"],
            Self::Cursor => &[".cursor/hooks.json", ".cursor/hooks"],
            Self::Opencode => &[".opencode", "opencode.json", "opencode.jsonc"],
            Self::Copilot => &[".github/hooks", ".github/copilot"],
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

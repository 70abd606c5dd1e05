//! The clients, and where they look.

use minds_document::jsonc::Dialect;

/// A program that calls the tools of MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex, which reads its file in directories that its user trusts.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Visual Studio Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// opencode.
    OpenCode,
}

/// In which format a client's file is, and where the servers stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON with an object at this key.
    Json(Dialect, &'static str),
    /// TOML with tables below `mcp_servers`.
    Toml,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::VsCode, Self::Cursor, Self::OpenCode];

    /// Returns the client with a [name](Self::name).
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the name for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::VsCode => "VS Code",
            Self::Cursor => "Cursor",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the path of its file, from the top of the workspace.
    pub fn file(self) -> &'static str {
        match self {
            Self::ClaudeCode => ".mcp.json",
            Self::Codex => ".codex/config.toml",
            Self::Gemini => ".gemini/settings.json",
            Self::VsCode => ".vscode/mcp.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::OpenCode => "opencode.json",
        }
    }

    /// Returns how its file is written.
    ///
    /// Claude Code reads plain JSON, without a byte order mark that is there. Gemini CLI takes comments out first, and
    /// neither commas nor a mark. Cursor is made of VS Code, which takes both and more white space than JSON has; opencode
    /// takes both.
    pub(super) fn form(self) -> Form {
        match self {
            Self::ClaudeCode => Form::Json(Dialect::Json, "mcpServers"),
            Self::Codex => Form::Toml,
            Self::Gemini => Form::Json(Dialect::Comments, "mcpServers"),
            Self::VsCode => Form::Json(Dialect::CommentsAndCommas, "servers"),
            Self::Cursor => Form::Json(Dialect::CommentsAndCommas, "mcpServers"),
            Self::OpenCode => Form::Json(Dialect::StrictCommentsAndCommas, "mcp"),
        }
    }

    /// Returns whether its file can hold a server that is turned off.
    pub(super) fn has_switch(self) -> bool {
        matches!(self, Self::Codex | Self::OpenCode)
    }
}

//! The supported clients and their files.

use minds_document::jsonc::Dialect;

/// An MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex, which reads its file only in directories that the user trusts.
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

/// The format of a client's file, and where it contains the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON with the servers in the object at this key.
    Json(Dialect, &'static str),
    /// TOML with a table `mcp_servers.NAME` for each server.
    Toml,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::VsCode, Self::Cursor, Self::OpenCode];

    /// Returns the client with the given [name](Self::name).
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the name on the command line.
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

    /// Returns the display name.
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

    /// Returns the path of its file, relative to the workspace.
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

    /// Returns the format of its file.
    ///
    /// Claude Code reads plain JSON and ignores a byte order mark. Gemini CLI supports comments, but neither
    /// trailing commas nor a byte order mark. VS Code, and Cursor, which is based on it, support all of these
    /// and more white space characters than JSON; opencode supports comments and trailing commas.
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

    /// Returns whether its file supports disabled servers.
    pub(super) fn has_switch(self) -> bool {
        matches!(self, Self::Codex | Self::OpenCode)
    }
}

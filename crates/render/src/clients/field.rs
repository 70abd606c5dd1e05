//! What `mcp.yaml` says of a server, and which client has a place for it.

use super::Client;

/// A key of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The name itself.
    Name,
    /// `transport`
    Transport,
    /// `truely-stateless`
    TruelyStateless,
    /// `command`
    Command,
    /// `args`
    Args,
    /// `env`
    Env,
    /// `cwd`
    Cwd,
    /// `url`
    Url,
    /// `headers`
    Headers,
    /// `sessionId`
    SessionId,
    /// `tools.whitelist`
    Whitelist,
    /// `tools.blacklist`
    Blacklist,
    /// `tools.transform`
    ToolsTransform,
    /// `transform`
    Transform,
    /// `enabled`
    Enabled,
    /// `manual`
    Manual,
    /// `prompts`
    Prompts,
    /// `resources`
    Resources,
}

impl Field {
    /// Every key.
    pub const ALL: [Self; 18] = [
        Self::Name,
        Self::Transport,
        Self::TruelyStateless,
        Self::Command,
        Self::Args,
        Self::Env,
        Self::Cwd,
        Self::Url,
        Self::Headers,
        Self::SessionId,
        Self::Whitelist,
        Self::Blacklist,
        Self::ToolsTransform,
        Self::Transform,
        Self::Enabled,
        Self::Manual,
        Self::Prompts,
        Self::Resources,
    ];

    /// Returns the key as the file has it, below the name of the server.
    pub fn key(self) -> &'static str {
        match self {
            Self::Name => "the name",
            Self::Transport => "transport",
            Self::TruelyStateless => "truely-stateless",
            Self::Command => "command",
            Self::Args => "args",
            Self::Env => "env",
            Self::Cwd => "cwd",
            Self::Url => "url",
            Self::Headers => "headers",
            Self::SessionId => "sessionId",
            Self::Whitelist => "tools.whitelist",
            Self::Blacklist => "tools.blacklist",
            Self::ToolsTransform => "tools.transform",
            Self::Transform => "transform",
            Self::Enabled => "enabled",
            Self::Manual => "manual",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        }
    }

    /// Returns why a client has no place for the key; nothing if it has one. What a client has a place for may still hold
    /// single values that it cannot say.
    pub fn obstacle(self, client: Client) -> Option<&'static str> {
        match (self, client) {
            (Self::TruelyStateless, _) => Some("a client decides itself how it shares connections"),
            (Self::SessionId, _) => Some("a client begins a session of its own"),
            (Self::ToolsTransform | Self::Transform, _) => {
                Some("a client calls tools by the names that the server gives them")
            }
            (Self::Manual, _) => Some("a client learns what tools do from the server alone"),
            (Self::Prompts | Self::Resources, _) => Some("a client offers all of them that the server has"),
            (Self::Cwd, Client::ClaudeCode) => {
                Some("Claude Code starts every server in the directory in which it runs itself")
            }
            (Self::Cwd, Client::Cursor) => Some("Cursor chooses the directory of a server itself"),
            (Self::Whitelist | Self::Blacklist, Client::ClaudeCode) => {
                Some("Claude Code is told in its permissions which tools may be used, not beside the server")
            }
            (Self::Whitelist | Self::Blacklist, Client::VsCode) => {
                Some("in VS Code, users choose tools in the chat, and no file says which")
            }
            (Self::Whitelist | Self::Blacklist, Client::Cursor) => {
                Some("in Cursor, users choose tools in the settings, and no file says which")
            }
            (Self::Whitelist | Self::Blacklist, Client::OpenCode) => {
                Some("opencode is told in its permissions which tools may be used, not beside the server")
            }
            _ => None,
        }
    }
}

//! The keys of a server in `mcp.yaml`, and which clients support them.

use super::Client;

/// A key of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The name of the server.
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

    /// Returns the key, relative to the server.
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

    /// Returns why a client does not support the key; `None` if it does. Single values of a supported key may
    /// still be unsupported.
    pub fn obstacle(self, client: Client) -> Option<&'static str> {
        match (self, client) {
            (Self::TruelyStateless, _) => Some("each client decides how it shares connections"),
            (Self::SessionId, _) => Some("clients start their own sessions"),
            (Self::ToolsTransform | Self::Transform, _) => {
                Some("clients call tools by the names that the server gives them")
            }
            (Self::Manual, _) => Some("clients get tool descriptions only from the server"),
            (Self::Prompts | Self::Resources, _) => Some("clients offer all that the server has"),
            (Self::Cwd, Client::ClaudeCode) => {
                Some("Claude Code starts every server in its own working directory")
            }
            (Self::Cwd, Client::Cursor) => Some("Cursor chooses the working directory of a server itself"),
            (Self::Whitelist | Self::Blacklist, Client::ClaudeCode) => {
                Some("Claude Code selects tools in its permissions, not per server")
            }
            (Self::Whitelist | Self::Blacklist, Client::VsCode) => {
                Some("VS Code users select tools in the chat, not in a file")
            }
            (Self::Whitelist | Self::Blacklist, Client::Cursor) => {
                Some("Cursor users select tools in the settings, not in a file")
            }
            (Self::Whitelist | Self::Blacklist, Client::OpenCode) => {
                Some("opencode selects tools in its permissions, not per server")
            }
            (Self::Blacklist, Client::Copilot) => {
                Some("Copilot CLI lists the tools that are enabled, not those that are disabled")
            }
            (Self::Whitelist, Client::Antigravity) => {
                Some("Antigravity lists the tools that are disabled, not those that are enabled")
            }
            _ => None,
        }
    }
}

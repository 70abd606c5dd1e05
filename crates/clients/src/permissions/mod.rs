//! What a client decides about a path from the permissions in its files.
//!
//! These models answer as the clients did when they were tried, in the versions of the data files. They know files below the
//! workspace only, and neither links nor commands.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod wildcard;

pub use self::claude_code::ClaudeCodePermissions;
pub use self::codex::{CodexAccess, CodexBase, CodexProfile};
pub use self::copilot::CopilotPermissions;
pub use self::gemini::{GeminiPolicy, GeminiRule};
pub use self::opencode::OpencodePermissions;

/// What a file tool does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reading a file, or listing a directory.
    Read,
    /// Creating or changing a file.
    Write,
}

/// What a client decides about a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The call is made.
    Allow,
    /// The user is asked; without a user, the call is refused.
    Ask,
    /// The call is refused.
    Deny,
}

impl Effect {
    /// Returns the effect with a name in the files of clients.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "allow" => Some(Self::Allow),
            "ask" | "ask_user" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    /// Returns the name in most files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

//! What can be rendered.

use std::fmt;

use minds_paths::WorkspacePath;

use crate::clients::Client;

/// What is rendered: files for one kind of reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Target {
    /// What the agents of a compose root are started with: environment, MCP servers, role prompts.
    Artifacts,
    /// The file in which an MCP client looks for servers, in the workspace.
    Mcp(Client),
}

impl Target {
    /// Every target.
    pub const ALL: &[Self] = &[
        Self::Artifacts,
        Self::Mcp(Client::ClaudeCode),
        Self::Mcp(Client::Codex),
        Self::Mcp(Client::Gemini),
        Self::Mcp(Client::VsCode),
        Self::Mcp(Client::Cursor),
        Self::Mcp(Client::OpenCode),
    ];

    /// Returns the name, by which the manifest and the command know the target.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Artifacts => "artifacts",
            Self::Mcp(Client::ClaudeCode) => "mcp:claude-code",
            Self::Mcp(Client::Codex) => "mcp:codex",
            Self::Mcp(Client::Gemini) => "mcp:gemini",
            Self::Mcp(Client::VsCode) => "mcp:vscode",
            Self::Mcp(Client::Cursor) => "mcp:cursor",
            Self::Mcp(Client::OpenCode) => "mcp:opencode",
        }
    }

    /// Returns the target with a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|target| target.name() == name)
    }

    /// Returns whether the target makes files at such a path. A manifest that says that others were rendered is not
    /// believed: what it names would be removed.
    pub(crate) fn makes(self, path: &WorkspacePath) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let endings: &[(&str, &str)] = match self {
            Self::Artifacts => {
                &[("state/envs", ".env"), ("state/mcp", ".json"), ("state/role_prompts", ".md")]
            }
            // Their record is another one: these files are shared with others.
            Self::Mcp(_) => &[],
        };
        endings.iter().any(|(directory, ending)| {
            folder.as_str() == *directory && name.strip_suffix(ending).is_some_and(|stem| !stem.is_empty())
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

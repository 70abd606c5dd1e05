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
    /// Units of systemd that a user has for itself.
    SystemdUser,
    /// Units of systemd for the machine, one instance for a user.
    Systemd,
    /// Property lists of launchd.
    Launchd,
    /// Tasks of the Windows Task Scheduler.
    WindowsTask,
    /// An image, and a container for each agent.
    Docker,
}

impl Target {
    /// Every target.
    pub const ALL: &[Self] = &[
        Self::Artifacts,
        Self::SystemdUser,
        Self::Systemd,
        Self::Launchd,
        Self::WindowsTask,
        Self::Docker,
        Self::Mcp(Client::ClaudeCode),
        Self::Mcp(Client::Codex),
        Self::Mcp(Client::Gemini),
        Self::Mcp(Client::VsCode),
        Self::Mcp(Client::Cursor),
        Self::Mcp(Client::OpenCode),
    ];
    /// The targets that keep agents running.
    pub const SERVICES: &[Self] =
        &[Self::SystemdUser, Self::Systemd, Self::Launchd, Self::WindowsTask, Self::Docker];

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
            Self::SystemdUser => "systemd-user",
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::WindowsTask => "windows-task",
            Self::Docker => "docker",
        }
    }

    /// Returns what messages call the reader of the files.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Artifacts => "agents",
            Self::SystemdUser | Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::WindowsTask => "the Windows Task Scheduler",
            Self::Docker => "Docker",
            Self::Mcp(client) => client.title(),
        }
    }

    /// Returns whether the target keeps agents running.
    pub fn is_service(self) -> bool {
        Self::SERVICES.contains(&self)
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
            Self::SystemdUser => &[("state/services/systemd-user", ".service")],
            Self::Systemd => &[("state/services/systemd", ".service")],
            Self::Launchd => &[("state/services/launchd", ".plist")],
            Self::WindowsTask => &[("state/services/windows-task", ".xml")],
            Self::Docker => {
                return matches!(path.as_str(), "state/docker/Dockerfile" | "state/docker/compose.yaml");
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a manifest names is removed one day, so it names nothing else than what a target makes.
    #[test]
    fn a_target_makes_its_files_and_no_others() {
        for (target, path, expected) in [
            (Target::Artifacts, "state/role_prompts/a.md", true),
            (Target::Artifacts, "state/role_prompts/.md", false),
            (Target::Artifacts, "state/mcp/a.md", false),
            (Target::SystemdUser, "state/services/systemd-user/a.service", true),
            (Target::SystemdUser, "state/services/systemd/a.service", false),
            (Target::Systemd, "state/services/systemd/a.service", true),
            (Target::Launchd, "state/services/launchd/a.plist", true),
            (Target::WindowsTask, "state/services/windows-task/a.xml", true),
            (Target::Docker, "state/docker/Dockerfile", true),
            (Target::Docker, "state/docker/compose.yaml", true),
            (Target::Docker, "state/docker/.env", false),
            (Target::Docker, "Dockerfile", false),
            (Target::Mcp(Client::ClaudeCode), ".mcp.json", false),
        ] {
            assert_eq!(target.makes(&WorkspacePath::parse(path).unwrap()), expected, "{target} {path}");
        }
    }
}

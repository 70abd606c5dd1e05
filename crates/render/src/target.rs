//! What to render.

use std::fmt;

use minds_paths::WorkspacePath;

use crate::clients::Client;

/// A kind of files to render.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Target {
    /// The launch files of the agents of a compose root: environment, MCP configuration, role prompt.
    Artifacts,
    /// The MCP configuration file of a client, in the workspace.
    Mcp(Client),
    /// systemd user units.
    SystemdUser,
    /// systemd system units, as templates with one instance per user.
    Systemd,
    /// launchd property lists.
    Launchd,
    /// Windows Task Scheduler tasks.
    WindowsTask,
    /// A container image, and a container for each agent.
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
    /// The targets that run agents as services.
    pub const SERVICES: &[Self] =
        &[Self::SystemdUser, Self::Systemd, Self::Launchd, Self::WindowsTask, Self::Docker];

    /// Returns the name of the target in manifests and on the command line.
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

    /// Returns the name, for messages, of the program that reads the files.
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

    /// Returns whether the target runs agents as services.
    pub fn is_service(self) -> bool {
        Self::SERVICES.contains(&self)
    }

    /// Returns the target with the given name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|target| target.name() == name)
    }

    /// Returns whether the target can render a file at `path`. A manifest with any other path is rejected,
    /// because the files that it lists may be removed.
    pub(crate) fn can_render(self, path: &WorkspacePath) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let locations: &[(&str, &str)] = match self {
            Self::Artifacts => {
                &[("state/envs", ".env"), ("state/mcp", ".json"), ("state/role_prompts", ".md")]
            }
            // These files are shared with other programs and are recorded in their own manifest.
            Self::Mcp(_) => &[],
            Self::SystemdUser => &[("state/services/systemd-user", ".service")],
            Self::Systemd => &[("state/services/systemd", ".service")],
            Self::Launchd => &[("state/services/launchd", ".plist")],
            Self::WindowsTask => &[("state/services/windows-task", ".xml")],
            Self::Docker => {
                return matches!(path.as_str(), "state/docker/Dockerfile" | "state/docker/compose.yaml");
            }
        };
        locations.iter().any(|(directory, ending)| {
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

    /// Files that a manifest lists may be removed, so it must list only files that a target renders.
    #[test]
    fn a_target_renders_only_its_own_files() {
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
            assert_eq!(target.can_render(&WorkspacePath::parse(path).unwrap()), expected, "{target} {path}");
        }
    }
}

//! What to render.

use std::borrow::Cow;
use std::fmt;

use minds_clients::ClientId;
use minds_vfs::WorkspacePath;

use crate::clients::Client;
use crate::containers;
use crate::services::{Encoder, launchd, unit, windows};
use crate::team_target::{Aspect, TeamTarget};

/// A target other than the file of a client: an entry of the [table](targets!).
struct Spec {
    /// The name in manifests and on the command line.
    name: &'static str,
    /// The name, for messages, of the program that reads the files.
    title: &'static str,
    /// One line for the help of the command.
    summary: &'static str,
    /// The files that it can render: the directory, and the name of a file or the extension of all files.
    files: &'static [(&'static str, &'static str)],
    /// How services are encoded; `None` if the target does not run agents as services.
    encoder: Option<Encoder>,
    /// The `supervisor` of a compose root for which the target is rendered by default.
    supervisor: Option<&'static str>,
    /// Why the agents of a compose root need a command; `None` if they do not.
    command_reason: Option<&'static str>,
}

/// What is rendered for a client.
#[derive(Clone, Copy)]
enum ForClient {
    Servers(Client),
    Team(TeamTarget),
}

/// Declares the targets, one entry each.
macro_rules! targets {
    (
        $(#[$launch_doc:meta])* $launch:ident = $launch_spec:expr;
        services:
        $($(#[$doc:meta])* $service:ident = $spec:expr;)+
    ) => {
        /// A kind of files to render.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Target {
            $(#[$launch_doc])* $launch,
            /// The MCP configuration file of a client, in the workspace.
            Mcp(Client),
            /// What is rendered from the members of a team for a client, in the workspace.
            Team(TeamTarget),
            $($(#[$doc])* $service,)+
        }

        impl Target {
            /// The targets that run agents as services.
            pub const SERVICES: &[Self] = &[$(Self::$service),+];

            /// Returns every target.
            pub fn all() -> impl Iterator<Item = Self> {
                let clients = Client::ALL.into_iter().map(Self::Mcp);
                let team = TeamTarget::all().map(Self::Team);
                [Self::$launch].into_iter().chain(clients).chain(team).chain(Self::SERVICES.iter().copied())
            }

            /// Returns the entry of the table; for a client, what is rendered for it.
            fn spec(self) -> Result<&'static Spec, ForClient> {
                match self {
                    Self::$launch => Ok(const { &$launch_spec }),
                    Self::Mcp(client) => Err(ForClient::Servers(client)),
                    Self::Team(target) => Err(ForClient::Team(target)),
                    $(Self::$service => Ok(const { &$spec }),)+
                }
            }
        }
    };
}

targets! {
    /// The launch files of the agents of a compose root: environment, MCP configuration, role prompt.
    Artifacts = Spec {
        name: "artifacts",
        title: "agents",
        summary: "Environments, MCP servers and role prompts of agents",
        files: &[("state/envs", ".env"), ("state/mcp", ".json"), ("state/role_prompts", ".md")],
        encoder: None,
        supervisor: None,
        command_reason: None,
    };
    services:
    /// systemd user units.
    SystemdUser = Spec {
        name: "systemd-user",
        title: "systemd",
        summary: "systemd units of a user",
        files: &[("state/services/systemd-user", ".service")],
        encoder: Some(Encoder::Each(unit::user_file_name, unit::render_user)),
        supervisor: Some("systemd"),
        command_reason: None,
    };
    /// systemd system units, as templates with one instance per user.
    Systemd = Spec {
        name: "systemd",
        title: "systemd",
        summary: "systemd units of the system, with an instance for each user",
        files: &[("state/services/systemd", ".service")],
        encoder: Some(Encoder::Each(unit::template_file_name, unit::render_template)),
        supervisor: None,
        command_reason: None,
    };
    /// launchd property lists.
    Launchd = Spec {
        name: "launchd",
        title: "launchd",
        summary: "launchd property lists",
        files: &[("state/services/launchd", ".plist")],
        encoder: Some(Encoder::Each(launchd::file_name, launchd::render)),
        supervisor: Some("launchd"),
        command_reason: None,
    };
    /// Windows Task Scheduler tasks.
    WindowsTask = Spec {
        name: "windows-task",
        title: "the Windows Task Scheduler",
        summary: "Windows Task Scheduler tasks",
        files: &[("state/services/windows-task", ".xml")],
        encoder: Some(Encoder::Each(windows::file_name, windows::render)),
        supervisor: None,
        command_reason: Some("Windows tasks need a command, because the script of `teamctl` is for Unix only"),
    };
    /// A container image, and a container for each agent.
    Docker = Spec {
        name: "docker",
        title: "Docker",
        summary: "An image and containers",
        files: &[("state/docker", "Dockerfile"), ("state/docker", "compose.yaml")],
        encoder: Some(Encoder::All(containers::render)),
        supervisor: None,
        command_reason: None,
    };
}

impl Target {
    /// Returns the name of the target in manifests and on the command line.
    pub fn name(self) -> &'static str {
        match self.spec() {
            Ok(spec) => spec.name,
            Err(ForClient::Servers(client)) => client.target_name(),
            Err(ForClient::Team(target)) => target.name(),
        }
    }

    /// Returns the name, for messages, of the program that reads the files.
    pub fn title(self) -> &'static str {
        match self.spec() {
            Ok(spec) => spec.title,
            Err(ForClient::Servers(client)) => client.title(),
            Err(ForClient::Team(target)) => target.client.title(),
        }
    }

    /// Returns one line about the files that it renders.
    pub fn summary(self) -> Cow<'static, str> {
        match self.spec() {
            Ok(spec) => spec.summary.into(),
            Err(ForClient::Servers(client)) => format!("`{}` of {}", client.file(), client.title()).into(),
            Err(ForClient::Team(target)) => target.summary().into(),
        }
    }

    /// Returns whether the target runs agents as services.
    pub fn is_service(self) -> bool {
        self.encoder().is_some()
    }

    /// Returns whether the target runs agents in containers.
    pub fn is_container(self) -> bool {
        matches!(self.encoder(), Some(Encoder::All(_)))
    }

    /// Returns how services are encoded for the target.
    pub(crate) fn encoder(self) -> Option<Encoder> {
        self.spec().ok()?.encoder
    }

    /// Returns why the agents of a compose root need a command on this target; `None` if they do not.
    pub fn command_reason(self) -> Option<&'static str> {
        self.spec().ok()?.command_reason
    }

    /// Returns the target with the given name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().find(|target| target.name() == name)
    }

    /// The names for [all targets of a client](Self::of_client) on the command line.
    pub const ALL_OF_CLIENT: [(&str, ClientId); 6] = [
        ("all:claude-code", ClientId::ClaudeCode),
        ("all:codex", ClientId::Codex),
        ("all:gemini", ClientId::Gemini),
        ("all:cursor", ClientId::Cursor),
        ("all:opencode", ClientId::Opencode),
        ("all:copilot", ClientId::Copilot),
    ];

    /// Returns all targets of a client with agents. Sessions without other tools are another way to use it, so they are not
    /// among them.
    pub fn of_client(client: ClientId) -> Vec<Self> {
        let servers = Client::parse(client.as_str()).map(Self::Mcp);
        let is_common = |target: &TeamTarget| target.client == client && target.aspect != Aspect::Confined;
        let team = TeamTarget::all().filter(is_common).map(Self::Team);
        servers.into_iter().chain(team).collect()
    }

    /// Returns the target that the supervisor of a compose root runs.
    pub fn of_supervisor(supervisor: &str) -> Option<Self> {
        Self::all().find(|target| target.spec().is_ok_and(|spec| spec.supervisor == Some(supervisor)))
    }

    /// Returns whether the target can render a file at `path`. A manifest with any other path is rejected,
    /// because the files that it lists may be removed.
    pub(crate) fn can_render(self, path: &WorkspacePath) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        // The files of clients are shared with other programs and are recorded in their own manifest.
        let Ok(spec) = self.spec() else { return false };
        spec.files.iter().any(|(directory, ending)| {
            let is_named = if ending.starts_with('.') {
                name.strip_suffix(ending).is_some_and(|stem| !stem.is_empty())
            } else {
                name == *ending
            };
            folder.as_str() == *directory && is_named
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
            (Target::Docker, "state/docker/other.compose.yaml", false),
            (Target::Docker, "state/docker/.env", false),
            (Target::Docker, "Dockerfile", false),
            (Target::Mcp(Client::ClaudeCode), ".mcp.json", false),
        ] {
            assert_eq!(target.can_render(&WorkspacePath::parse(path).unwrap()), expected, "{target} {path}");
        }
    }

    #[test]
    fn the_table_is_consistent() {
        let mut names: Vec<&str> = Target::all().map(Target::name).collect();
        for target in Target::all() {
            assert_eq!(Target::find(target.name()), Some(target));
            assert_eq!(target.is_service(), Target::SERVICES.contains(&target), "{target}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Target::all().count());
    }

    /// Each target has a row in the table of its page, with the files that it renders.
    #[test]
    fn the_pages_list_every_target() {
        let services = include_str!("../../../docs/services.md");
        let clients = include_str!("../../../docs/clients.md");
        for target in Target::all().filter(|target| *target != Target::Artifacts) {
            let start = format!("| `{target}` | ");
            let page = if target.is_service() { services } else { clients };
            let row = page.lines().find(|line| line.starts_with(&start));
            let row = row.unwrap_or_else(|| panic!("no page has a row for `{target}`"));
            match target.spec() {
                Ok(spec) => {
                    for (directory, ending) in spec.files {
                        let is_shown = |word: &str| word.starts_with(directory) && word.ends_with(ending);
                        assert!(row.split('`').any(is_shown), "{row} lacks {directory} and {ending}");
                    }
                }
                Err(ForClient::Servers(client)) => assert!(row.contains(client.file()), "{row}"),
                Err(ForClient::Team(_)) => {}
            }
        }
    }
}

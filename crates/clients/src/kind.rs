//! The kinds of files that clients read.

use std::fmt;

/// What a file is to its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An agent, or a role of Codex.
    Agent,
    /// An agent of a plugin, which may not do everything that an agent of a project may.
    PluginAgent,
    /// A command that a user calls by name.
    Command,
    /// `SKILL.md`.
    Skill,
    /// Settings, with permissions.
    Settings,
    /// MCP servers.
    Mcp,
    /// Instructions that are read at every start.
    Instructions,
    /// Instructions for some files.
    Rule,
    /// Hooks.
    Hooks,
    /// A policy: rules about tool calls.
    Policy,
    /// The manifest of a plugin.
    Plugin,
    /// The list of plugins of a marketplace.
    Marketplace,
}

impl Kind {
    /// Every kind with its name in the data of clients and in messages.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Agent, "agent"),
        (Self::PluginAgent, "plugin-agent"),
        (Self::Command, "command"),
        (Self::Skill, "skill"),
        (Self::Settings, "settings"),
        (Self::Mcp, "mcp"),
        (Self::Instructions, "instructions"),
        (Self::Rule, "rule"),
        (Self::Hooks, "hooks"),
        (Self::Policy, "policy"),
        (Self::Plugin, "plugin"),
        (Self::Marketplace, "marketplace"),
    ];

    /// Returns the kind with this name in the data of clients.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// Returns whether the file is an agent.
    pub fn is_agent(self) -> bool {
        matches!(self, Self::Agent | Self::PluginAgent)
    }
}

/// Prints the kind as part of a message, as in "an agent".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agent | Self::PluginAgent => "an agent",
            Self::Command => "a command",
            Self::Skill => "a skill",
            Self::Settings => "the settings",
            Self::Mcp => "the list of MCP servers",
            Self::Instructions => "the instructions",
            Self::Rule => "a rule",
            Self::Hooks => "the hooks",
            Self::Policy => "a policy",
            Self::Plugin => "the manifest of a plugin",
            Self::Marketplace => "a marketplace",
        })
    }
}

//! What is rendered from the members of a team for a client.

use minds_clients::ClientId;
use minds_vfs::WorkspacePath;

use crate::jsonc::Dialect;

/// What a target of a client contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// Each member as an agent.
    Agents,
    /// The access lists of each member as permissions of a session.
    Permissions,
    /// The directory of the team as instructions.
    Rules,
    /// The program that judges tool calls.
    Hooks,
    /// Sessions in which the server of the team has the only tools.
    Confined,
}

/// A target of a client that is rendered from the members of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamTarget {
    /// What it contains.
    pub aspect: Aspect,
    /// The client.
    pub client: ClientId,
}

/// An entry of the table of targets.
struct Spec {
    target: TeamTarget,
    name: &'static str,
    /// The names of files for messages, and for the help of the command.
    files: &'static str,
    /// The files that it may write and remove as a whole: the directory, and the start and the end of the name.
    whole: &'static [(&'static str, &'static str, &'static str)],
    /// The files of which it writes a part.
    shared: &'static [&'static str],
}

const fn spec(
    aspect: Aspect,
    client: ClientId,
    name: &'static str,
    files: &'static str,
    whole: &'static [(&'static str, &'static str, &'static str)],
    shared: &'static [&'static str],
) -> Spec {
    Spec { target: TeamTarget { aspect, client }, name, files, whole, shared }
}

/// The targets by client.
static SPECS: &[Spec] = {
    use Aspect::{Agents, Confined, Hooks, Permissions, Rules};
    use ClientId::{ClaudeCode, Codex, Copilot, Cursor, Gemini, Opencode};
    &[
        spec(
            Agents,
            ClaudeCode,
            "agents:claude-code",
            "`.claude/agents/`, and common rules in `.claude/settings.json`",
            &[(".claude/agents", "", ".md")],
            &[".claude/settings.json"],
        ),
        spec(
            Permissions,
            ClaudeCode,
            "permissions:claude-code",
            "`.claude-MEMBER.json`, for sessions as one member",
            &[("", ".claude-", ".json")],
            &[],
        ),
        spec(
            Confined,
            ClaudeCode,
            "confined:claude-code",
            "`.claude-MEMBER.confined.json` and `.claude-MEMBER.confined.mcp.json`",
            &[("", ".claude-", ".confined.json"), ("", ".claude-", ".confined.mcp.json")],
            &[],
        ),
        spec(Rules, ClaudeCode, "rules:claude-code", "a section of `CLAUDE.md`", &[], &["CLAUDE.md"]),
        spec(
            Hooks,
            ClaudeCode,
            "hooks:claude-code",
            "a hook in `.claude/settings.json`",
            &[],
            &[".claude/settings.json"],
        ),
        spec(Agents, Codex, "agents:codex", "`.codex/agents/`", &[(".codex/agents", "", ".toml")], &[]),
        spec(
            Permissions,
            Codex,
            "permissions:codex",
            "profiles in `.codex/config.toml`, for sessions as one member",
            &[],
            &[".codex/config.toml"],
        ),
        spec(Rules, Codex, "rules:codex", "a section of `AGENTS.md`", &[], &["AGENTS.md"]),
        spec(Hooks, Codex, "hooks:codex", "a hook in `.codex/hooks.json`", &[], &[".codex/hooks.json"]),
        spec(
            Agents,
            Gemini,
            "agents:gemini",
            "`.gemini/agents/`, and their policy in `.gemini/minds.toml`",
            &[(".gemini/agents", "", ".md"), (".gemini", "minds", ".toml")],
            &[".gemini/settings.json"],
        ),
        spec(Rules, Gemini, "rules:gemini", "a section of `GEMINI.md`", &[], &["GEMINI.md"]),
        spec(
            Hooks,
            Gemini,
            "hooks:gemini",
            "a hook in `.gemini/settings.json`",
            &[],
            &[".gemini/settings.json"],
        ),
        spec(
            Agents,
            Opencode,
            "agents:opencode",
            "`.opencode/agents/`",
            &[(".opencode/agents", "", ".md")],
            &[],
        ),
        spec(
            Confined,
            Opencode,
            "confined:opencode",
            "`.opencode/agents/MEMBER.confined.md`, and a server for each member in `opencode.json`",
            &[(".opencode/agents", "", ".confined.md")],
            &["opencode.json"],
        ),
        spec(Rules, Opencode, "rules:opencode", "a section of `AGENTS.md`", &[], &["AGENTS.md"]),
        spec(
            Hooks,
            Opencode,
            "hooks:opencode",
            "the plugin `.opencode/plugins/minds.js`",
            &[(".opencode/plugins", "minds", ".js")],
            &[],
        ),
        spec(Agents, Cursor, "agents:cursor", "`.cursor/agents/`", &[(".cursor/agents", "", ".md")], &[]),
        spec(Rules, Cursor, "rules:cursor", "a section of `AGENTS.md`", &[], &["AGENTS.md"]),
        spec(Hooks, Cursor, "hooks:cursor", "hooks in `.cursor/hooks.json`", &[], &[".cursor/hooks.json"]),
        spec(
            Agents,
            Copilot,
            "agents:copilot",
            "`.github/agents/`",
            &[(".github/agents", "", ".agent.md")],
            &[],
        ),
        spec(Rules, Copilot, "rules:copilot", "a section of `AGENTS.md`", &[], &["AGENTS.md"]),
        spec(
            Hooks,
            Copilot,
            "hooks:copilot",
            "`.github/hooks/minds.json`",
            &[(".github/hooks", "minds", ".json")],
            &[],
        ),
    ]
};

impl TeamTarget {
    /// Returns every target.
    pub fn all() -> impl Iterator<Item = Self> {
        SPECS.iter().map(|spec| spec.target)
    }

    /// Returns the target with a name.
    pub fn find(name: &str) -> Option<Self> {
        SPECS.iter().find(|spec| spec.name == name).map(|spec| spec.target)
    }

    fn spec(self) -> Option<&'static Spec> {
        SPECS.iter().find(|spec| spec.target == self)
    }

    /// Returns the name of the target.
    pub fn name(self) -> &'static str {
        self.spec().map_or("", |spec| spec.name)
    }

    /// Returns what it writes, for people.
    pub fn summary(self) -> String {
        let files = self.spec().map_or("", |spec| spec.files);
        let what = match self.aspect {
            Aspect::Agents => "The members as agents of",
            Aspect::Permissions => "The access lists as permissions of",
            Aspect::Rules => "The directory of the team as instructions for",
            Aspect::Hooks => "The check of tool calls in",
            Aspect::Confined => "Sessions with no tools but those of `minds mcp --member` in",
        };
        format!("{what} {}: {files}", self.client.title())
    }

    /// Returns whether the target may write and remove a file. A manifest with another path is not used.
    pub(crate) fn may_write(self, path: &WorkspacePath, is_whole: bool) -> bool {
        let Some(spec) = self.spec() else { return false };
        if !is_whole {
            return spec.shared.contains(&path.as_str());
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        spec.whole.iter().any(|(directory, start, end)| {
            let is_named =
                name.strip_prefix(start).is_some_and(|rest| rest.len() >= end.len() && rest.ends_with(end));
            folder.as_str() == *directory && is_named && name != *end
        })
    }
}

/// Returns the dialect of a JSON file that several programs share.
pub(crate) fn dialect(path: &WorkspacePath) -> Dialect {
    match path.as_str() {
        ".gemini/settings.json" => Dialect::Comments,
        "opencode.json" => Dialect::StrictCommentsAndCommas,
        _ => Dialect::Json,
    }
}

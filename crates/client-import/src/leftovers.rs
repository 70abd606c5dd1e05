//! Files of clients that do not become a part of a team.

use std::collections::BTreeMap;

use minds_clients::{Client, ClientFile, ClientsFamily, Kind};
use minds_diagnostics::Span;

use crate::context::Context;
use crate::findings::place;

/// The directories and files at the top of a workspace whose existence means that a client is used.
const MARKERS: [(&str, &[&str]); 6] = [
    ("claude-code", &[".claude/agents/", ".claude/settings", ".mcp.json"]),
    ("codex", &[".codex/"]),
    ("gemini", &[".gemini/"]),
    ("opencode", &["opencode.json", ".opencode/"]),
    ("cursor", &[".cursor/agents/", ".cursor/cli.json", ".cursor/mcp.json"]),
    ("copilot", &[".github/agents/", ".github/mcp.json", ".vscode/mcp.json"]),
];

/// Returns the paths in which the agents, settings and servers of a client are searched.
pub(crate) fn markers(client: &str) -> &'static [&'static str] {
    MARKERS.iter().find(|(id, _)| *id == client).map_or(&[], |(_, paths)| paths)
}

/// Returns whether a workspace has agents, settings or servers of a client.
pub(crate) fn is_present(family: &ClientsFamily, client: &Client) -> bool {
    let paths = markers(client.id);
    family.files.iter().any(|file| paths.iter().any(|path| file.path.as_str().starts_with(path)))
}

/// Reports the files of the clients that were not read: once for each kind, at the first one.
pub(crate) fn report(cx: &mut Context<'_>, clients: &[&'static Client]) {
    let mut groups: BTreeMap<(&str, Kind, bool), Vec<&ClientFile>> = BTreeMap::new();
    for file in &cx.family.files {
        let is_of_client = clients.iter().any(|client| client.id == file.client.id)
            || (file.client.id == "vscode" && clients.iter().any(|client| client.id == "copilot"));
        if !is_of_client || cx.read.contains(file.path.as_str()) || file.is_page() && file.kind.is_agent() {
            continue;
        }
        let path = file.path.as_str();
        let is_below = file.kind != Kind::Skill && path.contains('/') && !path.starts_with('.');
        groups.entry((file.client.id, file.kind, is_below)).or_default().push(file);
    }
    for ((_, kind, is_below), files) in groups {
        let Some(first) = files.first() else { continue };
        let more = match files.len() - 1 {
            0 => String::new(),
            1 => " and one more file".to_owned(),
            more => format!(" and {more} more files"),
        };
        let name = first.path.as_str();
        let (why, help) = explain(kind, is_below);
        let at = place(first, Span::at(0));
        let message = format!("`{name}`{more} of {}: {why}", first.client.name);
        if matches!(kind, Kind::Hooks | Kind::Policy) {
            cx.findings.report_lost_limit(&at, message, help);
        } else {
            cx.findings.report_loss(&at, message, help);
        }
    }
}

/// Returns why a file does not become a part of a team, and what to do.
fn explain(kind: Kind, is_below: bool) -> (&'static str, &'static str) {
    match kind {
        Kind::Command => (
            "a team has no commands",
            "move what members have to know into the persona or knowledge of a member",
        ),
        Kind::Skill => {
            ("a team has no skills of its own", "the client still uses them; `minds source` installs skills")
        }
        Kind::Instructions | Kind::Rule => (
            "instructions for all agents do not become a part of a member",
            "move what a member has to know into `.minds/team/MEMBER/knowledge.md`",
        ),
        Kind::Hooks => (
            "what hooks deny is not denied to members",
            "write what they deny into the access lists of the members",
        ),
        Kind::Policy => (
            "what the policy denies is not denied to members",
            "write what it denies into the access lists of the members",
        ),
        Kind::Plugin | Kind::Marketplace | Kind::PluginAgent => (
            "a plugin belongs to the workspaces that install it",
            "copy its agents into the directory of the client's agents, and import again",
        ),
        Kind::Agent | Kind::Settings | Kind::Mcp if is_below => (
            "only the files at the top of the workspace are imported",
            "run `minds -C DIRECTORY init --from` in the directory to which it belongs",
        ),
        Kind::Agent | Kind::Settings | Kind::Mcp => (
            "the client does not use it for its agents",
            "move it to the directory in which the client reads it",
        ),
    }
}

//! Which files of a workspace belong to clients.

use std::collections::BTreeSet;

use minds_vfs::WorkspacePath;

use crate::client::{Client, clients};
use crate::kind::Kind;
use crate::pattern::matches;

/// The directory with the manifest of a plugin; its parent is the directory of the plugin.
const PLUGIN_FOLDER: &str = ".claude-plugin";

/// Directories of other families, and of programs that do not belong to the workspace.
const SKIPPED: [&str; 9] =
    [".git", ".minds", ".team", ".ateam", "node_modules", "target", "vendor", "__pycache__", ".venv"];

/// The directories with a leading dot in which clients read files.
const DOT_FOLDERS: [&str; 11] = [
    ".agent",
    ".agents",
    ".claude",
    ".claude-plugin",
    ".codex",
    ".cursor",
    ".gemini",
    ".github",
    ".opencode",
    ".vscode",
    ".copilot",
];

/// Names at the top of a workspace by which a search for its files is worthwhile outside of a repository.
pub const MARKERS: &[&str] = &[
    ".agents/mcp_config.json",
    ".claude",
    ".claude-plugin",
    ".codex",
    ".cursor",
    ".gemini",
    ".github/agents",
    ".github/copilot-instructions.md",
    ".github/instructions",
    ".github/mcp.json",
    ".mcp.json",
    ".opencode",
    ".vscode/mcp.json",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "opencode.json",
    "opencode.jsonc",
];

/// The maximum number of bytes of a file that is read.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns whether a directory with this name can contain files of clients.
pub fn may_contain(name: &str) -> bool {
    let is_package =
        name.len() > 4 && name.get(name.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(".tsk"));
    !SKIPPED.contains(&name) && !is_package && (!name.starts_with('.') || DOT_FOLDERS.contains(&name))
}

/// Returns whether a file with this name can belong to a client, which [`select`] decides.
pub fn is_candidate(name: &str) -> bool {
    [".md", ".mdc", ".json", ".jsonc", ".toml"].iter().any(|ending| name.ends_with(ending))
}

/// Returns whether a file is read even if it is ignored: settings of one user are not in the repository, and have an effect.
pub fn is_read_if_ignored(path: &WorkspacePath) -> bool {
    matches("**/.claude/settings.local.json", path.as_str())
}

/// Returns those of some files that clients read, each with the client to which it belongs and its kind.
pub fn select<'p>(
    paths: impl IntoIterator<Item = &'p WorkspacePath>,
) -> Vec<(&'p WorkspacePath, &'static Client, Kind)> {
    let candidates: Vec<&WorkspacePath> = paths
        .into_iter()
        .filter(|path| path.file_name().is_some_and(is_candidate) && parents(path.as_str()).all(may_contain))
        .collect();
    let plugins: BTreeSet<&str> =
        candidates.iter().filter_map(|path| plugin_of_manifest(path.as_str())).collect();
    let choose = |path: &'p WorkspacePath| {
        let (client, kind) = find(path.as_str()).or_else(|| find_in_plugin(path.as_str(), &plugins))?;
        Some((path, client, kind))
    };
    candidates.into_iter().filter_map(choose).collect()
}

fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit_once('/').map_or("", |(parents, _)| parents).split('/').filter(|name| !name.is_empty())
}

fn find(path: &str) -> Option<(&'static Client, Kind)> {
    clients().iter().find_map(|client| {
        let found = client.files.iter().find(|(_, pattern)| matches(pattern, path));
        found.filter(|(kind, _)| !is_skipped(client, *kind, path)).map(|(kind, _)| (client, *kind))
    })
}

/// Returns whether a client skips a file because of its name.
fn is_skipped(client: &Client, kind: Kind, path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    client.id == "gemini" && kind == Kind::Agent && name.starts_with('_')
}

/// Returns the directory of the plugin to which a manifest belongs; empty for the workspace.
fn plugin_of_manifest(path: &str) -> Option<&str> {
    let (folder, _) = path.rsplit_once('/')?;
    let plugin = folder.strip_suffix(PLUGIN_FOLDER)?;
    if plugin.is_empty() { Some("") } else { plugin.strip_suffix('/') }
}

fn find_in_plugin(path: &str, plugins: &BTreeSet<&str>) -> Option<(&'static Client, Kind)> {
    if plugins.is_empty() {
        return None;
    }
    // Only few files are in such directories, and each of their parents is looked up.
    let mut start = 0;
    loop {
        let plugin = path.get(..start.max(1) - 1).unwrap_or_default();
        let rest = path.get(start..).unwrap_or_default();
        if plugins.contains(plugin) {
            for client in clients() {
                let found = client.plugin_files.iter().find(|(_, pattern)| matches(pattern, rest));
                if let Some((kind, _)) = found {
                    return Some((client, *kind));
                }
            }
        }
        start += rest.find('/')? + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_their_clients() {
        let paths = [
            ".claude/agents/a.md",
            ".claude/agents/b/c.md",
            ".claude/settings.json",
            "apps/web/.claude/settings.local.json",
            "docs/agents/x.md",
            "plugins/p/.claude-plugin/plugin.json",
            "plugins/p/agents/y.md",
            "plugins/p/commands/z/w.md",
            "plugins/p/skills/s/SKILL.md",
            "plugins/q/agents/y.md",
            "node_modules/x/CLAUDE.md",
            "tasks/x.tsk/AGENTS.md",
            "a/AGENTS.md",
            ".codex/agents/r.toml",
            ".gemini/agents/r.md",
            ".gemini/agents/_draft.md",
            ".opencode/agent/r.md",
            ".cursor/rules/r.mdc",
            ".github/agents/r.agent.md",
            ".github/workflows/r.md",
            ".vscode/mcp.json",
            ".vscode/settings.json",
            "opencode.jsonc",
            "package.json",
        ]
        .map(|path| WorkspacePath::parse(path).unwrap());
        let found: Vec<String> = select(&paths)
            .into_iter()
            .map(|(path, client, kind)| format!("{path}: {} {kind:?}", client.id))
            .collect();
        insta::assert_snapshot!(found.join("\n"), @r"
        .claude/agents/a.md: claude-code Agent
        .claude/agents/b/c.md: claude-code Agent
        .claude/settings.json: claude-code Settings
        apps/web/.claude/settings.local.json: claude-code Settings
        plugins/p/.claude-plugin/plugin.json: claude-code Plugin
        plugins/p/agents/y.md: claude-code PluginAgent
        plugins/p/commands/z/w.md: claude-code Command
        plugins/p/skills/s/SKILL.md: claude-code Skill
        a/AGENTS.md: codex Instructions
        .codex/agents/r.toml: codex Agent
        .gemini/agents/r.md: gemini Agent
        .opencode/agent/r.md: opencode Agent
        .cursor/rules/r.mdc: cursor Rule
        .github/agents/r.agent.md: copilot Agent
        .vscode/mcp.json: vscode Mcp
        opencode.jsonc: opencode Settings
        ");
    }
}

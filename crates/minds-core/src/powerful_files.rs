//! Files of a workspace that control what agents may do or which programs are started.

use minds_access_control::{Access, ListKind, Pattern};

/// A file that gives additional capabilities to a member that can write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerfulFile {
    /// A representative path that is checked for write access.
    pub path: &'static str,
    /// The entry for `no_write_dirs` that protects it.
    pub entry: &'static str,
    /// Why writing it is dangerous, as the predicate of a sentence about the file.
    pub reason: &'static str,
}

const fn file(path: &'static str, entry: &'static str, reason: &'static str) -> PowerfulFile {
    PowerfulFile { path, entry, reason }
}

/// Representative files, sorted so that files that start programs without confirmation come first.
///
/// `.minds` and `.git` are not included because general tools never write there.
pub static POWERFUL_FILES: &[PowerfulFile] = &[
    file(".mcp.json", ".mcp.json", "names programs that MCP clients start"),
    file(".claude/settings.json", ".claude", "names hooks and permissions of Claude Code"),
    file("CLAUDE.md", "CLAUDE.md", "is read by Claude Code as instructions"),
    file("AGENTS.md", "AGENTS.md", "is read by many agents as instructions"),
    file(".vscode/tasks.json", ".vscode", "names programs and MCP servers that VS Code starts"),
    file(".codex/config.toml", ".codex", "names MCP servers and permissions of Codex"),
    file(".cursor/mcp.json", ".cursor", "names MCP servers, rules and hooks of Cursor"),
    file(".gemini/settings.json", ".gemini", "names MCP servers and permissions of Gemini CLI"),
    file("GEMINI.md", "GEMINI.md", "is read by Gemini CLI as instructions"),
    file("opencode.json", "opencode.json", "names MCP servers and permissions of opencode"),
    file(".opencode/opencode.json", ".opencode", "names agents, plugins and commands of opencode"),
    file(".github/mcp.json", ".github/mcp.json", "names MCP servers of Copilot"),
    file(".agents/mcp_config.json", ".agents", "names MCP servers of Antigravity"),
    file(
        ".github/workflows/ci.yml",
        ".github/workflows",
        "names programs that run with the rights of the repository",
    ),
    file(".gitlab-ci.yml", ".gitlab-ci.yml", "names programs that run with the rights of the repository"),
    file(".husky/pre-commit", ".husky", "runs at the next commit"),
    file(".pre-commit-config.yaml", ".pre-commit-config.yaml", "names programs that run at the next commit"),
    file(".gitmodules", ".gitmodules", "names repositories that git fetches"),
    file(".gitattributes", ".gitattributes", "names filters and drivers that git starts"),
    file(".envrc", ".envrc", "is run by direnv in interactive shells"),
    file(".devcontainer/devcontainer.json", ".devcontainer", "names commands that start with a container"),
    file(".zed/settings.json", ".zed", "names programs that Zed starts"),
    file(".helix/languages.toml", ".helix", "names programs that Helix starts"),
    file(".nvim.lua", ".nvim.lua", "is run by Neovim"),
    file(".ateam/project.yaml", ".ateam", "decides which tools the agents of a fleet have"),
    file(".team/team-compose.yaml", ".team", "decides how agents are started"),
    file("team-compose.yaml", "team-compose.yaml", "decides how agents are started"),
    file("mind.toml", "mind.toml", "names hooks and items that other projects install"),
    file(
        ".minds-manifest.json",
        ".minds-manifest.json",
        "lists the rendered entries that `minds` may replace",
    ),
];

/// Returns whether an entry denies writing one of these files or the configuration of the team. Such an entry is a useful
/// protection even if nothing allows writing there.
pub(crate) fn protects(list: ListKind, access: Access, entry: &str) -> bool {
    const RESERVED: [&str; 5] =
        [".minds/team.yaml", ".minds/llm.yaml", ".minds/mcp.yaml", ".minds/team", ".git"];
    let Ok(entry) = Pattern::parse(entry) else { return false };
    let files = POWERFUL_FILES.iter().flat_map(|file| [file.entry, file.path]).chain(RESERVED);
    let mut guarded = files.filter_map(|path| Pattern::parse(path).ok());
    (list, access) == (ListKind::Deny, Access::Write) && guarded.any(|guarded| entry.covers_folded(&guarded))
}

#[cfg(test)]
mod tests {
    use minds_access_control::Policy;
    use minds_vfs::WorkspacePath;

    use super::*;

    #[test]
    fn each_entry_protects_its_file_and_no_file_is_reserved() {
        let open = Policy::builder().build();
        for PowerfulFile { path, entry, reason } in POWERFUL_FILES {
            let place = WorkspacePath::parse(path).unwrap();
            assert!(open.check(Access::Write, &place).is_allowed(), "{path}");
            let closed = Policy::builder().deny(Access::Write, entry).unwrap().build();
            assert!(!closed.check(Access::Write, &place).is_allowed(), "{path}");
            assert!(!reason.is_empty() && !reason.ends_with('.'), "{path}");
        }
        let mut paths: Vec<_> = POWERFUL_FILES.iter().map(|file| file.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), POWERFUL_FILES.len());
    }

    #[test]
    fn protective_entries_are_recognized() {
        let check = |entry: &str, expected| {
            assert_eq!(protects(ListKind::Deny, Access::Write, entry), expected, "{entry}");
        };
        for entry in
            [".minds", ".minds/**", ".claude", ".CLAUDE", ".github", "AGENTS.md", "**", ".mcp.json", ".git"]
        {
            check(entry, true);
        }
        for entry in ["src", "archive", "docs/AGENTS.md", ".env", ".github/ISSUE_TEMPLATE"] {
            check(entry, false);
        }
        assert!(!protects(ListKind::Deny, Access::Read, ".claude"));
        assert!(!protects(ListKind::Allow, Access::Write, ".claude"));
    }
}

//! Any bytes in the files of clients are read without a panic, and give valid files.

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;

use crate::support::import_snapshot;

const PATHS: [&str; 16] = [
    ".claude/agents/a.md",
    ".claude/settings.json",
    ".mcp.json",
    ".codex/config.toml",
    ".codex/agents/a.toml",
    ".gemini/settings.json",
    ".gemini/agents/a.md",
    ".geminiignore",
    "opencode.json",
    ".opencode/agents/a.md",
    ".cursor/agents/a.md",
    ".cursor/cli.json",
    ".cursor/mcp.json",
    ".cursorignore",
    ".github/agents/a.agent.md",
    ".vscode/mcp.json",
];

/// Pieces of the formats, so that more than the first line is reached.
const PIECES: [&str; 56] = [
    "---\n",
    "name: a\n",
    "description: b\n",
    "tools: ",
    "Read, ",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "\"",
    "\n",
    " ",
    "\\",
    "é",
    "\u{202e}",
    "\u{0}",
    "mcpServers",
    "\"mcpServers\": {\"x\": {\"command\": \"y\", \"env\": {\"A_TOKEN\": \"z9Q8w7E6r5\"}}}",
    "\"permissions\": {\"deny\": [\"Read(/x/**)\"], \"allow\": [\"Edit(**)\"]}",
    "\"deny\": [",
    "\"allow\": [",
    "Read(",
    "Edit(",
    ")",
    "Bash(rm:*)",
    "mcp__x__y",
    "permission:\n  edit:\n    \"*\": deny\n    \"a*b?\": allow\n",
    "\"permission\": {\"read\": {\"*\": \"allow\", \"../x\": \"deny\"}}",
    "\"agent\": {\"a\": {\"permission\": \"ask\"}}",
    "name = \"a\"\n",
    "description = \"b\"\n",
    "developer_instructions = \"c\"\n",
    "default_permissions = \"p\"\n",
    "[permissions.p]\nextends = \":workspace\"\n",
    "[permissions.p.filesystem.\":workspace_roots\"]\n\"a/**\" = \"deny\"\n",
    "[mcp_servers.memory]\ncommand = \"c\"\n",
    "model: ",
    "model = \"x/y\"\n",
    "effort: high\n",
    "**/",
    "*.pem\n",
    "!x\n",
    "readonly: true\n",
    "user-invocable: false\n",
    "disallowedTools: Write\n",
    "\"servers\"",
    "${env:X}",
    "{env:Y}",
    "sk-ant-api03-",
    "\"tools\": {\"core\": [\"read_file\"]}",
    "temperature: 1e400\n",
    "'",
    "#",
    "~/x",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_gives_valid_files(files in prop::collection::vec((prop::sample::select(PATHS.to_vec()), text()), 1..6)) {
        let mut snapshot = Snapshot::new();
        for (path, text) in &files {
            let braces = path.ends_with("json") && !text.starts_with('{');
            let text = if braces { format!("{{{text}}}") } else { text.clone() };
            snapshot = snapshot.with_text(WorkspacePath::parse(path).unwrap(), &text);
        }
        let imported = import_snapshot(&snapshot, None);
        for (path, _) in &imported.files {
            prop_assert!(WorkspacePath::parse(path).is_ok(), "{}", path);
        }
        for member in imported.team.iter().flat_map(|team| &team.members) {
            prop_assert_eq!(minds_core::member_id_obstacle(&member.id), None);
        }
        for (path, text) in imported.files.iter().filter(|(path, _)| path.ends_with("yaml")) {
            let parsed = yaml::parse(&SourceFile::new(path.as_str(), text.as_str()));
            prop_assert!(parsed.value.is_some() && parsed.problems.is_empty(), "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..64), path in prop::sample::select(PATHS.to_vec())) {
        let snapshot = Snapshot::new().with_file(WorkspacePath::parse(path).unwrap(), bytes);
        let _ = import_snapshot(&snapshot, None);
    }
}

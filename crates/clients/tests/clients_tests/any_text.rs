//! Any text is read without panics, in every kind of file, and every finding is inside of its file.

use minds_clients::{ClientsFamily, check};
use minds_vfs::{Snapshot, WorkspacePath};
use proptest::prelude::*;

const PATHS: [&str; 16] = [
    ".claude/agents/a.md",
    ".claude/commands/a.md",
    ".claude/skills/a/SKILL.md",
    ".claude/settings.json",
    ".mcp.json",
    "CLAUDE.md",
    ".codex/config.toml",
    ".codex/agents/a.toml",
    "AGENTS.md",
    ".gemini/agents/a.md",
    ".gemini/settings.json",
    "opencode.json",
    ".opencode/agents/a.md",
    ".cursor/agents/a.md",
    ".github/agents/a.agent.md",
    ".claude-plugin/marketplace.json",
];

const PIECES: [&str; 44] = [
    "---\n",
    "name: ",
    "description",
    ": ",
    "tools:",
    " Read(",
    ")",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\n",
    "\r\n",
    "permission",
    "permissions",
    "\"deny\": [",
    "allow",
    "deny",
    "*",
    "2024",
    "Bash(cat:*)",
    "Write(",
    "model: sonet",
    "mcpServers",
    "env",
    "@docs/a.md",
    "`",
    "${x}",
    "é",
    "\u{202e}",
    "\u{feff}",
    "// x",
    "/*",
    "\\u12",
    "= ",
    "[[",
    "key",
    "mcp__a__b",
    "-",
    "!",
    "x",
];

proptest! {
    #[test]
    fn any_text_is_checked(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40)) {
        let text = pieces.concat();
        let mut snapshot = Snapshot::new();
        for path in PATHS {
            snapshot = snapshot.with_file(WorkspacePath::parse(path).unwrap(), &text);
        }
        let parsed = ClientsFamily::load(&snapshot);
        let mut found = parsed.problems.into_sorted();
        found.extend(check(&parsed.value).into_sorted());
        for label in found.iter().flat_map(|found| found.primary.iter().chain(&found.secondary)) {
            prop_assert!(label.span.start() <= label.span.end());
            prop_assert!(label.span.end() as usize <= text.len(), "{:?} of {:?}", label.span, text);
        }
    }
}

#[test]
fn large_files_take_linear_time() {
    let list = |entry: &str| vec![entry; 20_000].join(", ");
    let settings =
        format!("{{\"permissions\": {{\"allow\": [{0}], \"deny\": [{0}]}}}}", list("\"Read(/a/**)\""));
    let agent = format!(
        "---\nname: a\ndescription: b\ntools: {}\n---\n{}",
        list("Raed"),
        "@docs/x.md `y` ".repeat(20_000)
    );
    let keys: String = (0..20_000).map(|number| format!("\"{number}\": \"deny\", ")).collect();
    let permission = format!("{{\"permission\": {{\"read\": {{{keys}\"*\": \"allow\"}}}}}}");
    let snapshot = Snapshot::new()
        .with_file(WorkspacePath::parse(".claude/settings.json").unwrap(), settings)
        .with_file(WorkspacePath::parse(".claude/agents/a.md").unwrap(), &agent)
        .with_file(WorkspacePath::parse("CLAUDE.md").unwrap(), &agent)
        .with_file(WorkspacePath::parse("opencode.json").unwrap(), permission);
    let start = std::time::Instant::now();
    let parsed = ClientsFamily::load(&snapshot);
    assert!(!check(&parsed.value).into_sorted().is_empty());
    // Without optimization this takes about a second; quadratic work would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

//! Where the settings of clients are.

use minds_clients::ClientId;

/// Returns the paths that hold the settings of a client, with its hooks: a member that may write them can remove the guard. A
/// path covers everything below it.
pub(crate) fn settings(client: ClientId) -> &'static [&'static str] {
    match client {
        ClientId::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json", ".claude/hooks"],
        ClientId::Codex => &[".codex"],
        ClientId::Gemini => &[".gemini"],
        ClientId::Cursor => &[".cursor/hooks.json", ".cursor/hooks"],
        ClientId::Opencode => &[".opencode", "opencode.json", "opencode.jsonc"],
        ClientId::Copilot => &[".github/hooks", ".github/copilot"],
    }
}

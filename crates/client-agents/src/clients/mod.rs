//! One module for each client.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;

use minds_clients::ClientId;

use crate::compile::Context;

/// Adds the members as agents.
pub(crate) fn add_agents(context: &mut Context<'_, '_>) {
    match context.client {
        ClientId::ClaudeCode => claude_code::add_agents(context),
        ClientId::Codex => codex::add_agents(context),
        ClientId::Gemini => gemini::add_agents(context),
        ClientId::Cursor => cursor::add_agents(context),
        ClientId::Opencode => opencode::add_agents(context),
        ClientId::Copilot => copilot::add_agents(context),
    }
}

/// Adds the permissions of sessions as one member.
pub(crate) fn add_permissions(context: &mut Context<'_, '_>) {
    match context.client {
        ClientId::ClaudeCode => claude_code::add_permissions(context),
        ClientId::Codex => codex::add_permissions(context),
        // The permissions are in the files of agents, or there is no form for them.
        ClientId::Gemini | ClientId::Cursor | ClientId::Opencode | ClientId::Copilot => {}
    }
}

/// Returns the id of a server in the names of its tools; none if it cannot be written there.
pub(crate) fn server_spelling(client: ClientId, id: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match client {
        // The client divides the name at the first underscore.
        ClientId::Gemini => (id.chars().all(is_plain) && !id.contains('_')).then(|| id.to_owned()),
        ClientId::Copilot => (!id.contains(['/', '*', ','])).then(|| id.to_owned()),
        _ => Some(id.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()),
    }
}

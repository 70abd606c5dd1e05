//! The directory of the team, as instructions for the main agent of a client.

use minds_clients::ClientId;
use minds_render::parts::PartContent;

use crate::compile::Context;
use crate::team::Member;

/// Adds the section with the members and the manners of the team.
pub(crate) fn add(context: &mut Context<'_, '_>) {
    let file = match context.client {
        ClientId::ClaudeCode => "CLAUDE.md",
        ClientId::Gemini => "GEMINI.md",
        ClientId::Codex | ClientId::Cursor | ClientId::Opencode | ClientId::Copilot => "AGENTS.md",
    };
    let mut text =
        String::from("## Team\n\nThis workspace has a team of agents, which `.minds/team.yaml` defines.\n");
    let members: Vec<&Member<'_>> =
        context.team().members.iter().filter(|member| !member.is_hidden()).collect();
    if !members.is_empty() {
        text.push_str("Give a task to the member that it suits:\n\n");
        for member in members {
            text.push_str(&format_member(member));
        }
    }
    text.push_str(
        "\n- Do not change `.minds/` unless you are asked to: it decides what the members may do.\n\
         - Directories whose names end in `.tsk` are task packages: neither read nor change files in them directly.\n\
         - A refused tool call stays refused: choose another way, or ask.\n",
    );
    context.add(file, PartContent::Block(text));
}

fn format_member(member: &Member<'_>) -> String {
    format!("- `{}`: {}\n", member.id, member.description())
}

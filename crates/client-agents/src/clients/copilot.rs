//! GitHub Copilot CLI: agents have tools, and no limits for paths.

use minds_access_control::Access;
use minds_render::parts::PartContent;

use crate::compile::Context;
use crate::front_matter::FrontMatter;
use crate::report::place_of;
use crate::rights::{Hands, has_limits, translate_for_copilot};

/// The maximum number of characters of instructions.
const MAX_CHARACTERS: usize = 30_000;

pub(super) fn add_agents(context: &mut Context<'_, '_>) {
    let file = |id: &str| format!(".github/agents/{id}.agent.md");
    for member in context.members(file) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if member.id.starts_with('.') || !member.id.chars().all(is_plain) {
            let reason = "an agent of Copilot is a file with the id of its member, of ASCII letters, digits, `.`, `-` and `_`";
            context.reporter().leave_out(member, member.node, reason, "use another id");
            continue;
        }
        // The client has one tool for changing and creating files.
        let hands = Hands { writes: member.can_write_all(), ..member.hands };
        let has_limits = Access::ALL
            .into_iter()
            .any(|access| hands.has(access) && has_limits(&member.policy.policy, access));
        // With a shell, a member without lists may change everything anyway.
        let is_free = member.has_shell() && !has_limits;
        let obstacle = translate_for_copilot(&member.policy.policy, hands).err().filter(|_| !is_free);
        let obstacle = obstacle.map(|obstacle| (place_of(member, &obstacle), obstacle.reason));
        if !context.can_render(member, obstacle) {
            continue;
        }
        let body = member.instructions();
        if body.chars().count() > MAX_CHARACTERS {
            let reason = "Copilot reads at most 30,000 characters of instructions";
            context.reporter().leave_out(
                member,
                member.node,
                reason,
                "shorten the persona, knowledge or lessons",
            );
            continue;
        }
        let tools = context.tools(member);
        let mut matter = FrontMatter::default();
        matter.text("name", member.display_name().unwrap_or(member.id));
        matter.text("description", &member.description());
        matter.list("tools", &tools);
        if member.is_hidden() {
            matter.line(0, "user-invocable: false");
        }
        if member.text("model").is_some() {
            context.omit("`model`", member.place("model"));
        }
        context.omit_fields(member, &["model_params"]);
        context.add(&file(member.id), PartContent::File(matter.with_body(&body)));
    }
}

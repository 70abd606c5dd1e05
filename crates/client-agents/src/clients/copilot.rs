//! GitHub Copilot CLI: agents have tools, and no limits for paths.

use minds_render::parts::PartContent;

use crate::compile::Context;
use crate::front_matter::FrontMatter;

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
        let reason = "an agent of Copilot has tools, but no limits for paths";
        let obstacle = Context::first_limit(member, reason);
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

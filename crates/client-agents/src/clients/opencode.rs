//! opencode: each agent has its own permissions.

use minds_clients::permissions::Effect;
use minds_render::parts::PartContent;

use crate::compile::Context;
use crate::front_matter::{FrontMatter, quote};
use crate::rights::translate_for_opencode;

pub(super) fn add_agents(context: &mut Context<'_, '_>) {
    let file = |id: &str| format!(".opencode/agents/{id}.md");
    for member in context.members(file) {
        if !is_name(member.id) {
            let node = member.node;
            let reason = "opencode takes the path of the file as the name of the agent";
            context.reporter().leave_out(
                member,
                node,
                reason,
                "use letters, digits, `.`, `_` and `-` in the id",
            );
            continue;
        }
        let permissions =
            context.translate(member, translate_for_opencode(&member.policy.policy, member.hands));
        let Ok(rules) = permissions else { continue };
        // Denials are compared exactly here, and the lists of the team in any letter case.
        let folds = if context.request.folds_case {
            Context::first_limit(
                member,
                "opencode distinguishes letter case, and the file system here does not",
            )
        } else {
            None
        };
        if !context.can_render(member, folds) {
            continue;
        }
        let tools = context.tools(member);
        let mut matter = FrontMatter::default();
        matter.text("description", &member.description());
        matter.line(0, "mode: all");
        if let Some(model) = context.model(member) {
            matter.text("model", &model);
        }
        if let Some(effort) = member.effort() {
            matter.text("variant", effort);
        }
        for key in ["temperature", "top_p"] {
            if let Some(number) = member.model_number(key) {
                matter.line(0, &format!("{key}: {number}"));
            }
        }
        if member.is_hidden() {
            matter.line(0, "hidden: true");
        }
        matter.line(0, "permission:");
        matter.line(1, "\"*\": deny");
        for tool in &tools {
            let rules = match tool.as_str() {
                "read" | "list" => &rules.read,
                "edit" => &rules.edit,
                // All other tools are allowed as a whole.
                _ => {
                    matter.line(1, &format!("{}: allow", quote(tool)));
                    continue;
                }
            };
            add_rules(&mut matter, tool, rules);
        }
        if member.has_other_params(&["temperature", "top_p", "reasoning_effort", "effort"]) {
            context.omit("`model_params`", member.place("model_params"));
        }
        context.omit_fields(member, &[]);
        let text = matter.with_body(&member.instructions());
        context.add(&file(member.id), PartContent::File(text));
    }
}

fn add_rules(matter: &mut FrontMatter, permission: &str, rules: &[(String, Effect)]) {
    matter.line(1, &format!("{permission}:"));
    for (pattern, effect) in rules {
        matter.line(2, &format!("{}: {}", quote(pattern), effect.as_str()));
    }
}

/// Returns whether the id of a member is one segment of a path without special characters.
fn is_name(id: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    !id.starts_with(['.', '-']) && id.chars().all(is_plain)
}

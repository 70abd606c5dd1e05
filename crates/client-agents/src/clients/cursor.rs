//! Cursor: an agent is read-only or has all tools.

use minds_document::NodeId;
use minds_render::parts::PartContent;

use crate::compile::Context;
use crate::team::{Member, one_line};

pub(super) fn add_agents(context: &mut Context<'_, '_>) {
    // The client writes white space and `_` in names as `-`.
    let file = |id: &str| format!(".cursor/agents/{}.md", id.replace(['_', ' '], "-"));
    for member in context.members(file) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !member.id.chars().all(is_plain) {
            let reason = "names of agents of Cursor have ASCII letters, digits, `-` and `_`";
            context.reporter().leave_out(member, member.node, reason, "use another id");
            continue;
        }
        let is_read_only = !member.hands.writes && !member.has_shell();
        let obstacle = obstacle(member, is_read_only);
        if !context.can_render(member, obstacle) {
            continue;
        }
        // The reader of the client is not YAML: it takes the rest of a line as it is.
        let mut lines =
            format!("---\nname: {}\ndescription: {}\n", member.id, one_line(&member.description()));
        if is_read_only {
            lines.push_str("readonly: true\n");
        }
        if member.text("model").is_some() {
            context.omit("`model`", member.place("model"));
        }
        if is_read_only && !member.servers.is_empty() {
            context.omit("the MCP servers of a member that only reads", None);
        }
        context.omit_toolsets(member);
        context.omit_fields(member, &["hidden", "model_params"]);
        let body = member.instructions();
        let end = if body.ends_with('\n') { "" } else { "\n" };
        context.add(&file(member.id), PartContent::File(format!("{lines}---\n{body}{end}")));
    }
}

fn obstacle(member: &Member<'_>, is_read_only: bool) -> Option<(NodeId, String)> {
    let reason = "an agent of Cursor has no limits of its own except that it only reads";
    Context::first_limit(member, reason).or_else(|| {
        let has_all = member.can_write_all() && member.has_shell();
        let node = member.place("toolsets").unwrap_or(member.node);
        let reason = "an agent of Cursor that does not only read has all tools, and the member has not";
        (!is_read_only && !has_all).then(|| (node, reason.to_owned()))
    })
}

//! Claude Code: agents have tools, and a settings file has the permissions of a session.

use std::collections::BTreeSet;

use minds_access_control::Access;
use minds_render::jsonc::Json;
use minds_render::parts::{JsonPart, PartContent};

use crate::compile::Context;
use crate::front_matter::FrontMatter;
use crate::rights::{claude_code_reserved, translate_for_claude_code};
use crate::team::Member;

/// The efforts that the client knows.
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

pub(super) fn add_agents(context: &mut Context<'_, '_>) {
    let file = |id: &str| format!(".claude/agents/{id}.md");
    let members = context.members(file);
    let common = common_denials(&members);
    let mut first = None;
    for member in members {
        if !has_name(context, member) {
            continue;
        }
        // An agent has no permissions of its own: only what is common to all is in the settings.
        let needed = translate_for_claude_code(&member.policy.policy, member.hands);
        let is_common = needed.as_ref().is_ok_and(|made| {
            !limits_writing(member) && made.permissions.deny.iter().all(|rule| common.contains(rule))
        });
        let reason =
            "an agent of Claude Code has tools, but no paths: its rules for paths apply to the whole session";
        let obstacle = if is_common { None } else { Context::first_limit(member, reason) };
        if !context.can_render(member, obstacle) {
            continue;
        }
        first.get_or_insert(member);
        let tools = context.tools(member);
        let mut matter = FrontMatter::default();
        matter.text("name", member.id);
        matter.text("description", &member.description());
        matter.list("tools", &tools);
        if let Some(model) = context.model(member) {
            matter.text("model", &model);
        }
        match member.effort() {
            Some(effort) if EFFORTS.contains(&effort) => matter.text("effort", effort),
            Some(_) => context.omit("`model_params`", member.place("model_params")),
            None => {}
        }
        if member.has_other_params(&["reasoning_effort", "effort"]) {
            context.omit("`model_params`", member.place("model_params"));
        }
        context.omit_fields(member, &["hidden"]);
        context.add(&file(member.id), PartContent::File(matter.with_body(&member.instructions())));
    }
    if let Some(first) = first {
        let readers = context.data().map(|data| data.agent_readers.as_slice()).unwrap_or_default();
        context.reporter().name_readers(first, readers);
        let deny = |rule: String| JsonPart::Item(keys(&["permissions", "deny"]), Json::Text(rule));
        let reserved: BTreeSet<String> = claude_code_reserved().collect();
        let rules = claude_code_reserved().chain(common.difference(&reserved).cloned());
        context.add(".claude/settings.json", PartContent::Json(rules.map(deny).collect()));
    }
}

/// Returns the denials that hold for all members.
fn common_denials(members: &[&Member<'_>]) -> BTreeSet<String> {
    let denials = members.iter().filter(|member| member.hands.reads || member.hands.writes).map(|member| {
        let made = translate_for_claude_code(&member.policy.policy, member.hands);
        made.map(|made| made.permissions.deny.into_iter().collect::<BTreeSet<_>>()).unwrap_or_default()
    });
    denials.reduce(|common, denied| common.intersection(&denied).cloned().collect()).unwrap_or_default()
}

fn limits_writing(member: &Member<'_>) -> bool {
    let lists = member.policy.policy.lists(Access::Write);
    member.hands.writes && (!lists.allow.entries().is_empty() || !lists.allow_extensions.entries().is_empty())
}

pub(super) fn add_permissions(context: &mut Context<'_, '_>) {
    let file = |id: &str| format!(".claude-{id}.json");
    for member in context.members(file) {
        if !has_name(context, member) {
            continue;
        }
        let made = translate_for_claude_code(&member.policy.policy, member.hands);
        let permissions = match context.translate(member, made) {
            Ok(permissions) => permissions,
            Err((node, reason)) => {
                let help = "give the member `no_read_dirs` instead, or install the hook with `--target hooks:claude-code`";
                context.reporter().leave_out(member, node, &reason, help);
                continue;
            }
        };
        let mut allow = permissions.allow;
        let tools = context.tools(member);
        context.report_omissions(member);
        let is_for_paths = |tool: &str| tool != "Bash" && !tool.starts_with("mcp__");
        allow.extend(tools.iter().filter(|tool| !is_for_paths(tool)).cloned());
        let mut deny = permissions.deny;
        // An agent that this one starts has the tools of its own file.
        deny.push("Agent".to_owned());
        // A rule for paths allows every tool that reads, or every one that writes.
        let names = context.data().and_then(|data| data.agent_tools.as_ref()).map(|tools| &tools.names);
        deny.extend(names.into_iter().flatten().filter(|name| !tools.contains(name)).cloned());
        let texts = |rules: Vec<String>| Json::List(rules.into_iter().map(Json::Text).collect());
        let object = Json::Object(vec![(
            "permissions".to_owned(),
            Json::Object(vec![
                ("defaultMode".to_owned(), Json::Text("dontAsk".to_owned())),
                ("allow".to_owned(), texts(allow)),
                ("deny".to_owned(), texts(deny)),
            ]),
        )]);
        let text = object.print("\n", "  ", "") + "\n";
        context.add(&file(member.id), PartContent::File(text));
    }
}

/// Returns whether the client accepts the id of a member as a name, and reports it otherwise.
fn has_name(context: &mut Context<'_, '_>, member: &Member<'_>) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name = !member.id.starts_with('-') && member.id.chars().all(is_plain);
    if !is_name {
        let reason = "names of agents of Claude Code have ASCII letters, digits, `-` and `_`";
        context.reporter().leave_out(member, member.node, reason, "use another id");
    }
    is_name
}

fn keys(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

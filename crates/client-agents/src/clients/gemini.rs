//! Gemini CLI: agents have tools, and a policy file has the rules of each agent.

use minds_clients::permissions::GeminiRule;
use minds_render::jsonc::Json;
use minds_render::parts::{JsonPart, PartContent};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value, value};

use crate::compile::Context;
use crate::front_matter::FrontMatter;
use crate::rights::translate_for_gemini;
use crate::team::Member;

const POLICY: &str = ".gemini/minds.toml";
/// The policies of the user, which a list of policies in the workspace would replace.
const USER_POLICIES: &str = "~/.gemini/policies";

pub(super) fn add_agents(context: &mut Context<'_, '_>) {
    let file = |id: &str| format!(".gemini/agents/{id}.md");
    let mut rules = Vec::new();
    let mut is_any_rendered = false;
    for member in context.members(file) {
        if !can_be_named(context, member) {
            continue;
        }
        let made = translate_for_gemini(&member.policy.policy, member.hands, member.id);
        let Ok(own) = context.translate(member, made) else { continue };
        let body = member.instructions();
        if body.contains("${") {
            let reason = "Gemini CLI replaces `${` in instructions, and there is no way to write it";
            context.reporter().leave_out(
                member,
                member.node,
                reason,
                "write `$ {` in the files of the member",
            );
            continue;
        }
        is_any_rendered = true;
        rules.extend(own);
        let tools = context.tools(member);
        let mut matter = FrontMatter::default();
        matter.text("name", member.id);
        if let Some(name) = member.display_name() {
            matter.text("display_name", name);
        }
        matter.text("description", &member.description());
        matter.list("tools", &tools);
        if let Some(model) = context.model(member) {
            matter.text("model", &model);
        }
        context.omit_fields(member, &["hidden", "model_params"]);
        context.add(&file(member.id), PartContent::File(matter.with_body(&body)));
    }
    if is_any_rendered {
        context.add(POLICY, PartContent::File(policy(&rules)));
        let item = |path: &str| JsonPart::Item(vec!["policyPaths".to_owned()], Json::Text(path.to_owned()));
        context.add(".gemini/settings.json", PartContent::Json(vec![item(USER_POLICIES), item(POLICY)]));
    }
}

fn policy(rules: &[GeminiRule]) -> String {
    let mut tables = ArrayOfTables::new();
    for rule in rules {
        let mut table = Table::new();
        table.insert("toolName", value(rule.tools.iter().map(String::as_str).collect::<Value>()));
        if let Some(agent) = &rule.agent {
            table.insert("subagent", value(agent.as_str()));
        }
        if let Some(pattern) = &rule.arguments {
            table.insert("argsPattern", value(pattern.as_str()));
        }
        table.insert("decision", value(rule.effect.as_str()));
        table.insert("priority", value(i64::from(rule.priority)));
        tables.push(table);
    }
    let mut document = DocumentMut::new();
    document.insert("rule", Item::ArrayOfTables(tables));
    format!("# The access lists of `.minds/team.yaml`; change them there, and render again.\n\n{document}")
}

fn can_be_named(context: &mut Context<'_, '_>, member: &Member<'_>) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let is_name = !member.id.starts_with('_') && member.id.chars().all(is_plain);
    if !is_name {
        let reason = "names of agents of Gemini CLI have lower-case ASCII letters, digits, `-` and `_`";
        context.reporter().leave_out(member, member.node, reason, "use another id");
    }
    is_name
}

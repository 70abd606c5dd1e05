//! Codex: a role has neither tools nor limits; a profile limits a session.

use minds_access_control::{Access, ListKind};
use minds_clients::permissions::{CodexBase, CodexProfile};
use minds_core::catalog::Ability;
use minds_document::NodeId;
use minds_render::parts::PartContent;
use toml_edit::{DocumentMut, Item, Table, value};

use crate::compile::Context;
use crate::report::place;
use crate::rights::{Hands, translate_for_codex};
use crate::team::Member;

/// How deep wildcards are searched when a command starts.
const SCAN_DEPTH: i64 = 8;

pub(super) fn add_agents(context: &mut Context<'_, '_>) {
    let file = |id: &str| format!(".codex/agents/{id}.toml");
    for member in context.members(file) {
        if !has_name(context, member) {
            continue;
        }
        let obstacle = obstacle(member);
        if !context.can_render(member, obstacle) {
            continue;
        }
        let mut role = DocumentMut::new();
        role.insert("name", value(member.id));
        role.insert("description", value(member.description()));
        if let Some(model) = context.model(member) {
            role.insert("model", value(model));
        }
        if let Some(effort) = member.effort() {
            role.insert("model_reasoning_effort", value(effort));
        }
        role.insert("developer_instructions", value(member.instructions()));
        if member.abilities.is_empty() {
            role.insert("features", Item::Table(Table::from_iter([("shell_tool", value(false))])));
        }
        context.omit_toolsets(member);
        if member.has_other_params(&["reasoning_effort", "effort"]) {
            context.omit("`model_params`", member.place("model_params"));
        }
        context.omit_fields(member, &["hidden"]);
        context.add(&file(member.id), PartContent::File(role.to_string()));
    }
}

/// Returns what a role does not hold: lists, and tools that the member does not have.
fn obstacle(member: &Member<'_>) -> Option<(NodeId, String)> {
    let reason = "Codex ignores every limit in the file of a role";
    Context::first_limit(member, reason).or_else(|| {
        let missing = match (member.can_write_all(), member.has_shell()) {
            (true, true) => return None,
            (false, _) => "tools that change and create files",
            (true, false) => "shell",
        };
        let node = member.place("toolsets").unwrap_or(member.node);
        Some((node, format!("a role of Codex has all tools of its session, and the member has no {missing}")))
    })
}

pub(super) fn add_permissions(context: &mut Context<'_, '_>) {
    let mut tables = Vec::new();
    for member in context.members(str::to_owned) {
        if !has_name(context, member) {
            continue;
        }
        // Who may change a file there may create one too.
        let hands = Hands { writes: member.can_write_all(), ..member.hands };
        if hands != member.hands {
            let held = Ability::WRITING.iter().filter(|ability| member.abilities.contains(ability));
            held.for_each(|ability| context.omit(ability.phrase(), member.place("tools")));
            context.report_omissions(member);
        }
        let made = translate_for_codex(&member.policy.policy, hands);
        match context.translate(member, made) {
            Ok(profile) => {
                tables.push((vec!["permissions".to_owned(), member.id.to_owned()], table(&profile)));
            }
            Err((node, reason)) => {
                let node = if node == member.node {
                    place(member, ListKind::Allow.key(Access::Read), None)
                } else {
                    node
                };
                let help = if hands.reads {
                    "use lists of directories"
                } else {
                    "give the member a toolset that reads"
                };
                context.reporter().leave_out(member, node, &reason, help);
            }
        }
    }
    if !tables.is_empty() {
        context.add(".codex/config.toml", PartContent::Toml(tables));
    }
}

fn table(profile: &CodexProfile) -> String {
    let mut table = DocumentMut::new();
    let mut system = Table::new();
    let base = match profile.base {
        CodexBase::Minimal => None,
        CodexBase::ReadOnly => Some(":read-only"),
        CodexBase::Workspace => Some(":workspace"),
    };
    match base {
        Some(base) => table.insert("extends", value(base)),
        None => system.insert(":minimal", value("read")),
    };
    system.insert("glob_scan_max_depth", value(SCAN_DEPTH));
    let mut entries = Table::new();
    for (path, access) in &profile.entries {
        entries.insert(path, value(access.as_str()));
    }
    system.insert(":workspace_roots", Item::Table(entries));
    table.insert("filesystem", Item::Table(system));
    table.to_string()
}

/// Returns whether the client accepts the id of a member as a name, and reports it otherwise.
fn has_name(context: &mut Context<'_, '_>, member: &Member<'_>) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name = member.id.chars().all(is_plain);
    if !is_name {
        let reason = "a role is a file with the id of its member, of ASCII letters, digits, `-` and `_`";
        context.reporter().leave_out(member, member.node, reason, "use another id");
    }
    is_name
}

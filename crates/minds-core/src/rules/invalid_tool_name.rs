use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::NodeId;

use super::FileCheck;
use crate::mcp::affixes::unusable_after;
use crate::mcp::literal_tools::{LiteralTool, MAX_NAME_BYTES, is_name_character, why_no_name};
use crate::mcp::{Mcp, Server, Transform};

pub(crate) static RULE: Rule = Rule {
    code: "mcp/invalid-tool-name",
    summary: "a tool has a name that cannot be used, or gets one",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("invalid_tool_name.md"),
};

pub(super) fn check(check: &mut FileCheck<'_, Mcp>, tools: &[LiteralTool<'_>]) {
    let breaking: Vec<NodeId> =
        check.content.servers.iter().filter_map(|server| report_breaking_step(check, server)).collect();
    for tool in tools {
        let original = &tool.original.value;
        if let Some(reason) = why_no_name(original) {
            check.report(&RULE, tool.original, |_, label| {
                Diagnostic::new(&RULE, format!("`{original}` cannot be the name of a tool: {reason}"))
                    .primary(label.message("no tool is meant"))
                    .note("names have 1 to 64 ASCII letters, digits, `_` and `-`; `*` stands for any of them")
                    .help("write the name that the server gives the tool, before it is renamed")
            });
        } else if let Some(name) = &tool.name
            && let Some(reason) = why_no_name(name)
            && !breaking.contains(&tool.server.id.node)
        {
            check.report(&RULE, tool.original, |_, label| {
                Diagnostic::new(
                    &RULE,
                    format!("`{original}` becomes `{name}`, which cannot be used: {reason}"),
                )
                .primary(label.message("is left out"))
                .note("names have 1 to 64 ASCII letters, digits, `_` and `-`, also after `transform`")
                .help("change the entries of `transform`")
            });
        }
    }
}

/// Reports the step of a server after which no tool has a usable name, and returns the node of the server's id.
fn report_breaking_step(check: &mut FileCheck<'_, Mcp>, server: &Server) -> Option<NodeId> {
    let steps = server.fields.given()?.value.steps()?;
    let transforms: Vec<&Transform> = steps.iter().map(|step| &step.value).collect();
    let step = steps.get(unusable_after(&transforms)?)?;
    let id = &server.id.value;
    let (Transform::Prefix(text) | Transform::ReplacePrefix { add: text, .. } | Transform::Suffix(text)) =
        &step.value;
    let reason = text.chars().find(|c| !is_name_character(*c)).and_then(|_| why_no_name(text));
    let reason = reason.map(|reason| format!("{reason}, which names of tools do not have"));
    let reason = reason.unwrap_or_else(|| format!("names get longer than {MAX_NAME_BYTES} characters"));
    check.report(&RULE, step, |_, label| {
        Diagnostic::new(&RULE, format!("no tool of server `{id}` can be used after this step of `transform`"))
            .primary(label.message(reason))
            .note("names have 1 to 64 ASCII letters, digits, `_` and `-`, also after `transform`")
            .help("use a short prefix or suffix of these characters, such as `browser_`")
    });
    Some(server.id.node)
}

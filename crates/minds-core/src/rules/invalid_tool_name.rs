use minds_diagnostics::{Diagnostic, rule};
use minds_document::NodeId;

use super::FileCheck;
use crate::mcp::affixes::find_breaking_step;
use crate::mcp::literal_tools::{LiteralTool, MAX_NAME_BYTES, invalid_name_reason, is_name_character};
use crate::mcp::{Mcp, Server, Transform};

rule! {
    pub(crate) static RULE {
        code: "mcp/invalid-tool-name",
        summary: "a tool name is invalid, or becomes invalid by `transform`",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_tool_name.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>, tools: &[LiteralTool<'_>]) {
    let breaking: Vec<NodeId> =
        check.content.servers.iter().filter_map(|server| report_breaking_step(check, server)).collect();
    for tool in tools {
        let original = &tool.original.value;
        if let Some(reason) = invalid_name_reason(original) {
            check.report(&RULE, tool.original, |_, label| {
                Diagnostic::new(&RULE, format!("`{original}` cannot be the name of a tool: {reason}"))
                    .primary(label.message("matches no tool"))
                    .note("names have 1 to 64 ASCII letters, digits, `_` and `-`; `*` stands for any of them")
                    .help("write the name that the server gives the tool, before it is renamed")
            });
        } else if let Some(name) = &tool.name
            && let Some(reason) = invalid_name_reason(name)
            && !breaking.contains(&tool.server.id.node)
        {
            check.report(&RULE, tool.original, |_, label| {
                Diagnostic::new(
                    &RULE,
                    format!("`{original}` becomes `{name}`, which is not a valid tool name: {reason}"),
                )
                .primary(label.message("is not offered"))
                .note("names have 1 to 64 ASCII letters, digits, `_` and `-`, also after `transform`")
                .help("change the entries of `transform`")
            });
        }
    }
}

/// Reports the step of a server after which no tool has a usable name, and returns the node of the server's id.
fn report_breaking_step(check: &mut FileCheck<'_, Mcp>, server: &Server) -> Option<NodeId> {
    let steps = server.fields.as_given()?.value.steps()?;
    let transforms: Vec<&Transform> = steps.iter().map(|step| &step.value).collect();
    let step = steps.get(find_breaking_step(&transforms)?)?;
    let id = &server.id.value;
    let (Transform::Prefix(text) | Transform::ReplacePrefix { add: text, .. } | Transform::Suffix(text)) =
        &step.value;
    let reason = text.chars().find(|c| !is_name_character(*c)).and_then(|_| invalid_name_reason(text));
    let reason = reason.map(|reason| format!("{reason}, which is not valid in a tool name"));
    let reason = reason.unwrap_or_else(|| format!("names become longer than {MAX_NAME_BYTES} characters"));
    check.report(&RULE, step, |_, label| {
        Diagnostic::new(&RULE, format!("no tool of server `{id}` can be used after this step of `transform`"))
            .primary(label.message(reason))
            .note("names have 1 to 64 ASCII letters, digits, `_` and `-`, also after `transform`")
            .help("use a short prefix or suffix of these characters, such as `browser_`")
    });
    Some(server.id.node)
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::NodeId;

use super::FileCheck;
use crate::mcp::affixes::find_breaking_step;
use crate::mcp::exposure::{MAX_NAME_BYTES, SkipReason, invalid_name_reason, is_name_character};
use crate::mcp::literal_tools::LiteralTool;
use crate::mcp::transform::MAX_STEPS;
use crate::mcp::{Mcp, Server, Transform};

rule! {
    /// The name of a tool is not valid, before or after it is renamed.
    pub static RULE {
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
        match &tool.exposed {
            Some(Err(SkipReason::InvalidName { detail })) => {
                check.report(&RULE, tool.original, |_, label| {
                    Diagnostic::new(&RULE, format!("`{original}` cannot be the name of a tool: {detail}"))
                        .primary(label.message("matches no tool"))
                        .note("names have 1 to 64 ASCII letters, digits, `_` and `-`; `*` stands for any of them")
                        .help("write the name that the server gives the tool, before it is renamed")
                });
            }
            Some(Err(SkipReason::InvalidFinalName { name, detail }))
                if !breaking.contains(&tool.server.id.node) =>
            {
                let name = name.as_ref().map_or_else(|| "a name".to_owned(), |name| format!("`{name}`"));
                check.report(&RULE, tool.original, |_, label| {
                    Diagnostic::new(
                        &RULE,
                        format!("`{original}` becomes {name}, which is not a valid tool name: {detail}"),
                    )
                    .primary(label.message("is not offered"))
                    .note(NAMES)
                    .help("change the entries of `transform`")
                });
            }
            _ => {}
        }
    }
}

const NAMES: &str = "names have 1 to 64 ASCII letters, digits, `_` and `-`, also after `transform`";

/// Reports the step of a server after which no tool has a usable name, and returns the node of the server's id.
fn report_breaking_step(check: &mut FileCheck<'_, Mcp>, server: &Server) -> Option<NodeId> {
    let steps = server.fields.as_given()?.value.steps()?;
    let id = &server.id.value;
    if let Some(step) = steps.get(MAX_STEPS) {
        check.report(&RULE, step, |_, label| {
            Diagnostic::new(&RULE, format!("no tool of server `{id}` can be used: `transform` is too long"))
                .primary(label.message("one step too many"))
                .help(format!("write at most {MAX_STEPS} steps"))
        });
        return Some(server.id.node);
    }
    let transforms: Vec<&Transform> = steps.iter().map(|step| &step.value).collect();
    let step = steps.get(find_breaking_step(&transforms)?)?;
    let (Transform::Prefix(text) | Transform::ReplacePrefix { add: text, .. } | Transform::Suffix(text)) =
        &step.value;
    let reason = text.chars().find(|c| !is_name_character(*c)).and_then(|_| invalid_name_reason(text));
    let reason = reason.map(|reason| format!("{reason}, which is not valid in a tool name"));
    let reason = reason.unwrap_or_else(|| format!("names become longer than {MAX_NAME_BYTES} characters"));
    check.report(&RULE, step, |_, label| {
        Diagnostic::new(&RULE, format!("no tool of server `{id}` can be used after this step of `transform`"))
            .primary(label.message(reason))
            .note(NAMES)
            .help("use a short prefix or suffix of these characters, such as `browser_`")
    });
    Some(server.id.node)
}

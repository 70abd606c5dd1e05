use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::FileCheck;
use crate::mcp::Mcp;
use crate::mcp::literal_tools::{LiteralTool, why_no_name};

pub(crate) static RULE: Rule = Rule {
    code: "mcp/invalid-tool-name",
    summary: "a tool has a name that cannot be used, or gets one",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("invalid_tool_name.md"),
};

pub(super) fn check(check: &mut FileCheck<'_, Mcp>, tools: &[LiteralTool<'_>]) {
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

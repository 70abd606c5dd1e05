use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};

use super::FileCheck;
use crate::catalog;
use crate::mcp::Mcp;
use crate::mcp::literal_tools::{LiteralTool, invalid_name_reason};

rule! {
    pub(crate) static RULE {
        code: "mcp/tool-name-collision",
        summary: "two tools have the same name",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "tool_name_collision.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>, tools: &[LiteralTool<'_>]) {
    let mut first: BTreeMap<&str, &LiteralTool<'_>> = BTreeMap::new();
    for tool in tools {
        let Some(name) = tool.name.as_deref() else { continue };
        if invalid_name_reason(name).is_some() || invalid_name_reason(&tool.original.value).is_some() {
            continue;
        }
        if catalog::is_builtin_tool(name) {
            check.report(&RULE, tool.original, |_, label| {
                Diagnostic::new(
                    &RULE,
                    format!("{} is the name of a built-in tool", describe_name(name, tool)),
                )
                .primary(label.message("is not offered"))
                .help(HELP)
            });
            continue;
        }
        let earlier = *first.entry(name).or_insert(tool);
        let is_same = earlier.server.id.node == tool.server.id.node;
        // A tool that is listed twice is only one tool.
        if is_same && earlier.original.value == tool.original.value {
            continue;
        }
        check.report(&RULE, tool.original, |document, label| {
            let owner = if is_same {
                "of the same server".to_owned()
            } else {
                format!("of server `{}`", earlier.server.id.value)
            };
            let found = Diagnostic::new(
                &RULE,
                format!("{} is the name of a tool {owner}", describe_name(name, tool)),
            )
            .primary(label.message("is not offered"))
            .help(HELP);
            // If two servers share a list by an alias, both entries are at the same place.
            if earlier.original.node == tool.original.node {
                return found;
            }
            found.secondary(document.source().label(earlier.original.span).message("already has this name"))
        });
    }
}

const HELP: &str = "give the tools of this server unique names with `transform`";

/// Describes a tool by its name, and by its original name if it was renamed.
fn describe_name(name: &str, tool: &LiteralTool<'_>) -> String {
    if name == tool.original.value {
        format!("`{name}`")
    } else {
        format!("`{name}`, which `{}` becomes,", tool.original.value)
    }
}

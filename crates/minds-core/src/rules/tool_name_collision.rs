use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::FileCheck;
use crate::catalog;
use crate::mcp::Mcp;
use crate::mcp::literal_tools::{LiteralTool, why_no_name};

pub(crate) static RULE: Rule = Rule {
    code: "mcp/tool-name-collision",
    summary: "a tool has a name that another tool has already",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("tool_name_collision.md"),
};

pub(super) fn check(check: &mut FileCheck<'_, Mcp>, tools: &[LiteralTool<'_>]) {
    let mut first: BTreeMap<&str, &LiteralTool<'_>> = BTreeMap::new();
    for tool in tools {
        let Some(name) = tool.name.as_deref() else { continue };
        if why_no_name(name).is_some() || why_no_name(&tool.original.value).is_some() {
            continue;
        }
        if catalog::is_builtin_tool(name) {
            check.report(&RULE, tool.original, |_, label| {
                Diagnostic::new(&RULE, format!("{} is the name of a built-in tool", named(name, tool)))
                    .primary(label.message("is left out"))
                    .help(HELP)
            });
            continue;
        }
        let earlier = *first.entry(name).or_insert(tool);
        let is_same = earlier.server.id.node == tool.server.id.node;
        // A tool that is listed twice is still one tool.
        if is_same && earlier.original.value == tool.original.value {
            continue;
        }
        check.report(&RULE, tool.original, |document, label| {
            let owner = if is_same {
                "of the same server".to_owned()
            } else {
                format!("of server `{}`", earlier.server.id.value)
            };
            let found =
                Diagnostic::new(&RULE, format!("{} is the name of a tool {owner}", named(name, tool)))
                    .primary(label.message("is left out"))
                    .help(HELP);
            // A list that two servers share by an alias has one place.
            if earlier.original.node == tool.original.node {
                return found;
            }
            found.secondary(document.source().label(earlier.original.span).message("has the name already"))
        });
    }
}

const HELP: &str = "give the tools of this server a name of their own with `transform`";

/// Returns the name of a tool, and where it comes from if it was changed.
fn named(name: &str, tool: &LiteralTool<'_>) -> String {
    if name == tool.original.value {
        format!("`{name}`")
    } else {
        format!("`{name}`, which `{}` becomes,", tool.original.value)
    }
}

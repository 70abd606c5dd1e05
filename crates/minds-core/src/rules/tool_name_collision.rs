use minds_diagnostics::{Diagnostic, rule};

use super::FileCheck;
use crate::catalog;
use crate::mcp::Mcp;
use crate::mcp::exposure::SkipReason;
use crate::mcp::literal_tools::LiteralTool;

rule! {
    /// A tool has the name of another one.
    pub static RULE {
        code: "mcp/tool-name-collision",
        summary: "two tools have the same name",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "tool_name_collision.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Mcp>, tools: &[LiteralTool<'_>]) {
    for tool in tools {
        let (name, owner) = match &tool.exposed {
            Some(Err(SkipReason::Collision { name, .. })) if catalog::is_builtin_tool(name) => {
                (name, "a built-in tool".to_owned())
            }
            Some(Err(SkipReason::Collision { name, owner })) => (name, format!("a tool of server `{owner}`")),
            Some(Err(SkipReason::DuplicateInServer { name })) => {
                (name, "a tool of the same server".to_owned())
            }
            _ => continue,
        };
        check.report(&RULE, tool.original, |document, label| {
            let found =
                Diagnostic::new(&RULE, format!("{} is the name of {owner}", describe_name(name, tool)))
                    .primary(label.message("is not offered"))
                    .help("give the tools of this server unique names with `transform`");
            // If two servers share a list by an alias, both entries are at the same place.
            match tool.earlier.filter(|earlier| earlier.node != tool.original.node) {
                Some(earlier) => {
                    found.secondary(document.source().label(earlier.span).message("already has this name"))
                }
                None => found,
            }
        });
    }
}

/// Describes a tool by its name, and by its original name if it was renamed.
fn describe_name(name: &str, tool: &LiteralTool<'_>) -> String {
    if name == tool.original.value {
        format!("`{name}`")
    } else {
        format!("`{name}`, which `{}` becomes,", tool.original.value)
    }
}

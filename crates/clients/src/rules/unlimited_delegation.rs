use minds_diagnostics::{Diagnostic, rule};

use super::permissions::{self, List};
use super::{Check, tools};
use crate::client::Names;
use crate::family::ClientFile;
use crate::kind::Kind;

rule! {
    pub(crate) static RULE {
        code: "client/unlimited-delegation",
        summary: "an agent without writing tools can start agents that have them",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unlimited_delegation.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    let Some(known) = &file.client.tools else { return };
    if !file.kind.is_agent() {
        return;
    }
    let entries = tools::entries(file);
    let mut given = entries.iter().filter(|entry| entry.key == "tools");
    let is = |list: &[String], name: &str| list.iter().any(|known| known == name);
    // An agent that may write anyway gains nothing, and MCP servers may do anything.
    let is_limited = given.clone().all(|entry| {
        !is(&known.writing, entry.name()) && entry.name() != "*" && !entry.name().starts_with("mcp__")
    });
    let Some(way_out) = given.find(|entry| is(&known.delegating, entry.name())) else { return };
    if !is_limited || is_denied(check, known) {
        return;
    }
    check.report(&RULE, file, way_out.span, |label| {
        Diagnostic::new(&RULE, "the agent has no tool that writes, and can start agents that have one")
            .primary(label.message("starts any agent, such as `general-purpose`"))
            .note("an agent that is started has its own tools, not those of the agent that starts it")
            .help(format!(
                "remove `{}`, or deny `Agent(general-purpose)` in `permissions` of `.claude/settings.json`",
                way_out.name()
            ))
    });
}

/// Returns whether settings of the workspace deny to start agents, or the one that has every tool.
fn is_denied(check: &Check<'_>, known: &Names) -> bool {
    check.family.of("claude-code", Kind::Settings).flat_map(permissions::of_file).any(|rule| {
        rule.list == List::Deny
            && known.delegating.iter().any(|tool| tool == rule.tool)
            && (rule.is_whole() || rule.specifier == Some("general-purpose"))
    })
}

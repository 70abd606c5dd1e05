use minds_diagnostics::{Diagnostic, rule};

use super::Check;
use crate::tools::{Denial, MergedToolLists};

rule! {
    pub(crate) static RULE {
        code: "fleet/withheld-tool",
        summary: "an agent allows a tool that the project does not allow",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "withheld_tool.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let (project, entries) = ([family.project_tools()], family.tool_entries());
    for readable in check.readable() {
        let Some(lists) = readable.agent.tools.as_given() else { continue };
        let Some(allow) = lists.value.allow.as_given() else { continue };
        for entry in &allow.value.items {
            let (why, denying) = match MergedToolLists::evaluate_restrictions(&project, &entry.value) {
                Err(Denial::Denied(_, by)) => ("the project denies it", entries.node_of(by)),
                Err(Denial::NotAllowed(_)) => ("the project allows only other tools", None),
                // The unreadable list was reported.
                Ok(()) | Err(Denial::Unreadable(_)) => continue,
            };
            check.report(&RULE, readable.document, entry, |label| {
                let mut found =
                    Diagnostic::new(&RULE, format!("`{}` is withheld from the agent", entry.value))
                        .primary(label.message(why))
                        .note("an agent has the tools that the project and its own list both allow")
                        .help("change `tools` in the `tools.yaml` of that layer, or remove the entry");
                if let Some(node) = denying {
                    found = found.secondary(node.label().message("denied here"));
                }
                found
            });
        }
    }
}

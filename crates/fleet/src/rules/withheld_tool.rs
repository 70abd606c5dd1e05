use minds_diagnostics::Diagnostic;

use super::{Check, rule};
use crate::tools::{Denial, Stand};

rule!(
    "fleet/withheld-tool",
    Warning,
    true,
    "an agent allows a tool that the project does not allow",
    "withheld_tool.md"
);

pub(super) fn check(check: &mut Check<'_>) {
    let project = [check.family.project_tools()];
    for readable in check.readable() {
        let Some(lists) = readable.agent.tools.given() else { continue };
        let Some(allow) = lists.value.allow.given() else { continue };
        for entry in &allow.value.items {
            let why = match Stand::judge(&project, &entry.value) {
                Err(Denial::Denied(..)) => "the project denies it",
                Err(Denial::NotAllowed(_)) => "the project allows others only",
                // Why the list cannot be read was said.
                Ok(()) | Err(Denial::Unreadable(_)) => continue,
            };
            check.report(&RULE, readable.document, entry, |label| {
                Diagnostic::new(&RULE, format!("`{}` is withheld from the agent", entry.value))
                    .primary(label.message(why))
                    .note("an agent has the tools that `.ateam/tools.yaml` and its own list both allow")
                    .help("change `tools` in `.ateam/tools.yaml`, or remove the entry")
            });
        }
    }
}

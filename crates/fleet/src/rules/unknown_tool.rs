use minds_diagnostics::{Diagnostic, did_you_mean, rule};

use minds_document::Field;

use super::Check;
use crate::tools::{BUILTIN, ToolName, find_builtin};

rule! {
    pub(crate) static RULE {
        code: "fleet/unknown-tool",
        summary: "a list of tools names one that is not built in",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_tool.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for (document, lists) in check.tool_lists() {
        let named = [&lists.allow, &lists.deny, &lists.confirm].into_iter().filter_map(Field::as_given);
        for entry in named.flat_map(|list| &list.value.items) {
            // The tools of servers are defined by other files.
            if entry.value.is_foreign() || find_builtin(&entry.value).is_some() {
                continue;
            }
            check.report(&RULE, document, entry, |label| {
                let first =
                    ToolName::parse(entry.value.name()).ok().filter(|first| find_builtin(first).is_some());
                if let Some(first) = first {
                    return Diagnostic::new(
                        &RULE,
                        format!("`{first}` has no version {}", entry.value.version()),
                    )
                    .primary(label)
                    .help(format!("write `{first}`"));
                }
                let help = did_you_mean(entry.value.name(), BUILTIN.iter().map(|tool| tool.name))
                    .unwrap_or_else(|| "write the name of a built-in tool, or remove the entry".to_owned());
                Diagnostic::new(&RULE, format!("unknown tool `{}`", entry.value))
                    .primary(label.message("no built-in tool"))
                    .help(help)
            });
        }
    }
}

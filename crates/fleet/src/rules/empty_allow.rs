use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "fleet/empty-allow",
        summary: "a list of allowed tools is empty",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "empty_allow.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for (document, lists) in check.tool_lists() {
        let Some(allow) = lists.allow.as_given() else { continue };
        if !allow.value.items.is_empty() || !allow.value.is_complete {
            continue;
        }
        check.report(&RULE, document, allow, |label| {
            Diagnostic::new(&RULE, "an empty list allows no tool")
                .primary(label.message("nothing is allowed"))
                .help("add tools, or remove the key to allow all tools")
        });
    }
}

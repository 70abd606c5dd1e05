use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "fleet/contradictory-tool",
        summary: "a tool is allowed and denied at the same place",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "contradictory_tool.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for (document, lists) in check.tool_lists() {
        let (Some(allow), Some(deny)) = (lists.allow.as_given(), lists.deny.as_given()) else { continue };
        let by_name: BTreeMap<_, _> = deny.value.items.iter().map(|denied| (&denied.value, denied)).collect();
        for entry in &allow.value.items {
            let Some(denied) = by_name.get(&entry.value) else { continue };
            check.report(&RULE, document, entry, |label| {
                Diagnostic::new(&RULE, format!("`{}` is allowed and denied", entry.value))
                    .primary(label.message("has no effect"))
                    .secondary(
                        document.source().label(denied.span).message("denied here, which takes precedence"),
                    )
                    .help("remove one of them")
            });
        }
    }
}

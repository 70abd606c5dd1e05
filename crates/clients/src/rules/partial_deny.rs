use minds_diagnostics::{Diagnostic, rule};

use super::Check;
use super::permissions::{List, Permission};

rule! {
    pub(crate) static RULE {
        code: "client/partial-deny",
        summary: "one of the tools that write is denied, and another one is not",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "partial_deny.md",
    }
}

/// Tools that change files in the same way.
const WRITING: [&str; 2] = ["Edit", "Write"];

pub(super) fn check(check: &mut Check<'_>, rules: &[Permission<'_>]) {
    let is_denied =
        |tool: &str| rules.iter().any(|rule| rule.list == List::Deny && rule.tool == tool && rule.is_whole());
    // Without `Read`, nothing can be written either.
    if is_denied("Read") {
        return;
    }
    for rule in rules.iter().filter(|rule| rule.list == List::Deny && rule.specifier.is_none()) {
        let Some(other) = WRITING.iter().find(|tool| **tool != rule.tool && WRITING.contains(&rule.tool))
        else {
            continue;
        };
        if is_denied(other) {
            continue;
        }
        check.report(&RULE, rule.file, rule.span, |label| {
            Diagnostic::new(
                &RULE,
                format!("denying `{}` leaves `{other}`, which changes files as well", rule.tool),
            )
            .primary(label)
            .note("the name of a tool without a path denies this tool only")
            .help(format!(
                "deny `{other}` as well, or deny `Edit(/**)`, which governs every tool that writes"
            ))
        });
    }
}

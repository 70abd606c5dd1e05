use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "access/uncompared-lists",
        summary: "access lists are too long, or have too many wildcards, to compare their entries",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "uncompared_lists.md",
    }
}

/// The maximum cost of comparing entries in one run, in steps of about ten nanoseconds: less than 50 milliseconds. All
/// rules that compare entries share this budget.
pub(super) const MAX_STEPS: usize = 3_000_000;

/// Reports once that the budget is exhausted, at a list that was not compared.
pub(super) fn report(check: &mut Check<'_>, place: &Spanned<()>) {
    if std::mem::replace(&mut check.has_uncompared_lists, true) {
        return;
    }
    check.report(&RULE, place, |_, label| {
        Diagnostic::new(
            &RULE,
            "access lists are too long, or have too many wildcards, to compare their entries",
        )
        .primary(label.message("this list or a later one"))
        .note("the rules about redundant entries and dropped deny lists could not check all entries")
        .help("list directories instead of individual files")
    });
}

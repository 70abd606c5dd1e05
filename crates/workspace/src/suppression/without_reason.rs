use minds_diagnostics::{Diagnostic, SuppressionComment, rule};

use super::Check;

rule! {
    pub(super) static RULE {
        code: "allow/without-reason",
        summary: "a suppression has no reason",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "without_reason.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, comment: &SuppressionComment) {
    if comment.has_reason || comment.flaw.is_some() {
        return;
    }
    check.report_comment(&RULE, comment, |label| {
        Diagnostic::new(&RULE, "this suppression has no reason")
            .primary(label.message("no reason"))
            .note("without a reason, nothing is suppressed")
            .help("write the reason after the parentheses")
    });
}

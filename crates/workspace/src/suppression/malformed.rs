use minds_diagnostics::{Diagnostic, SuppressionComment, SuppressionFlaw, rule};

use super::Check;

rule! {
    pub(super) static RULE {
        code: "allow/malformed",
        summary: "a comment that begins with `minds:` is not a valid suppression",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "malformed.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, comment: &SuppressionComment) {
    let Some(flaw) = comment.flaw else { return };
    let detail = match flaw {
        SuppressionFlaw::UnknownKeyword => "`allow` is the only valid keyword here",
        SuppressionFlaw::NoParentheses => "no code in parentheses",
        SuppressionFlaw::NotClosed => "`)` is missing",
        SuppressionFlaw::MissingCode => "a code is missing",
    };
    check.report_comment(&RULE, comment, |label| {
        Diagnostic::new(&RULE, "this comment is not a valid suppression and has no effect")
            .primary(label.message(detail))
            .help("write `# minds: allow(CODE) reason`")
    });
}

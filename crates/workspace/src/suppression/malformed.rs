use minds_diagnostics::{AllowComment, AllowFlaw, Diagnostic, Rule, Severity};

use super::Check;

pub(super) static RULE: Rule = Rule {
    code: "allow/malformed",
    summary: "a comment that begins with `minds:` is not a valid suppression",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("malformed.md"),
};

pub(super) fn check(check: &mut Check<'_>, comment: &AllowComment) {
    let Some(flaw) = comment.flaw else { return };
    let detail = match flaw {
        AllowFlaw::OtherWord => "`allow` is the only valid keyword here",
        AllowFlaw::NoParentheses => "no code in parentheses",
        AllowFlaw::NotClosed => "`)` is missing",
        AllowFlaw::MissingCode => "a code is missing",
    };
    check.report_comment(&RULE, comment, |label| {
        Diagnostic::new(&RULE, "this comment is not a valid suppression and has no effect")
            .primary(label.message(detail))
            .help("write `# minds: allow(CODE) reason`")
    });
}

use minds_diagnostics::{AllowedCode, Diagnostic, Rule, Severity};

use super::{Check, RULES};

pub(super) static RULE: Rule = Rule {
    code: "allow/not-allowable",
    summary: "a comment allows findings that no comment can allow",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("not_allowable.md"),
};

pub(super) fn check(check: &mut Check<'_>, code: &AllowedCode) {
    let name = check.text(code);
    check.report_code(&RULE, code, |label| {
        let (why, what) = if RULES.iter().any(|rule| rule.code == name) {
            ("a comment cannot allow what is wrong with a comment", "mend the other comment")
        } else {
            ("its findings say that something is not read, and more depends on that", "mend what it finds")
        };
        Diagnostic::new(&RULE, format!("`{name}` cannot be allowed"))
            .primary(label.message("allows nothing"))
            .note(why)
            .help(format!("{what}, and remove the code"))
    });
}

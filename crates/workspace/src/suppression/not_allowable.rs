use minds_diagnostics::{Diagnostic, Origin, SuppressedCode, rule};

use super::{Check, RULES};

rule! {
    pub(super) static RULE {
        code: "allow/not-allowable",
        summary: "a suppression names a rule that cannot be suppressed",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "not_allowable.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, code: &SuppressedCode) {
    let name = check.text(code);
    let is_at_run_time = check.rule(code).is_some_and(|rule| rule.origin == Origin::RunTime);
    check.report_code(&RULE, code, |label| {
        let (why, what) = if RULES.iter().any(|rule| rule.code == name) {
            ("findings about suppressions cannot be suppressed", "fix the other comment")
        } else if is_at_run_time {
            ("it is found at run time, when no comment is read", "fix the cause")
        } else {
            (
                "its findings mean that something could not be read, and other checks depend on it",
                "fix the finding",
            )
        };
        Diagnostic::new(&RULE, format!("`{name}` cannot be suppressed"))
            .primary(label.message("suppresses nothing"))
            .note(why)
            .help(format!("{what}, and remove the code"))
    });
}

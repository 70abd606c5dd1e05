use minds_diagnostics::{Diagnostic, SuppressedCode, did_you_mean, rule};

use super::Check;
use crate::rules::replacement;

rule! {
    pub(super) static RULE {
        code: "allow/unknown-code",
        summary: "a suppression names an unknown rule",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "unknown_code.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, code: &SuppressedCode) {
    let (name, rules) = (check.text(code), check.rules);
    check.report_code(&RULE, code, |label| {
        let help = if name.split_whitespace().nth(1).is_some() {
            "write commas between codes".to_owned()
        } else if let Some(code) = replacement(name) {
            format!("the rule was replaced by `{code}`")
        } else {
            did_you_mean(name, rules.iter().map(|rule| rule.code))
                .unwrap_or_else(|| "write the code that is shown in brackets in the finding".to_owned())
        };
        Diagnostic::new(&RULE, format!("unknown rule `{name}`"))
            .primary(label.message("suppresses nothing"))
            .help(help)
    });
}

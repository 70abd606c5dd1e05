use minds_access_control::Remark;
use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::{Check, ListedPattern};

pub(crate) static RULE: Rule = Rule {
    code: "access/backslash",
    summary: "a pattern contains a backslash, which is read as a slash",
    default_severity: Severity::Warning,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("backslash.md"),
};

pub(super) fn check(check: &mut Check<'_>, remarkable: &[ListedPattern<'_>]) {
    for (_, entry) in remarkable {
        let remarks = entry.value.remarks();
        if !remarks.iter().any(|remark| matches!(remark, Remark::Backslash { .. })) {
            continue;
        }
        check.report(&RULE, entry, |document, label| {
            let written = entry.value.as_written();
            let fixed = written.replace('\\', "/");
            let found = Diagnostic::new(&RULE, format!("the backslash in `{written}` is read as `/`"))
                .primary(label.message(format!("means `{}`", entry.value)))
                .help(format!("write `{fixed}`"));
            if fixed.contains('\'') || !document.node(entry.node).is_rewritable() {
                return found;
            }
            found.fix("write slashes", document.source(), entry.span, format!("'{fixed}'"))
        });
    }
}

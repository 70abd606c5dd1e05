use minds_access_control::Remark;
use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ListedPattern};

rule! {
    pub(crate) static RULE {
        code: "access/backslash",
        summary: "a pattern contains a backslash, which is read as a slash",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "backslash.md",
    }
}

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

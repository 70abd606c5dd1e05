use minds_diagnostics::rule;

use super::Check;
use super::missing_provider::report_missing;

rule! {
    pub(crate) static RULE {
        code: "team/missing-model",
        summary: "a member has no model",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "missing_model.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    report_missing(check, &RULE, "model", |fields| &fields.model);
}

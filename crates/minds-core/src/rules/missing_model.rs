use minds_diagnostics::{Rule, Severity};

use super::Check;
use super::missing_provider::report_missing;

pub(crate) static RULE: Rule = Rule {
    code: "team/missing-model",
    summary: "a member has no model",
    default_severity: Severity::Error,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("missing_model.md"),
};

pub(super) fn check(check: &mut Check<'_>) {
    report_missing(check, &RULE, "model", |fields| &fields.model);
}

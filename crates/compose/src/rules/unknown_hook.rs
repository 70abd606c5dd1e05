use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};
use minds_document::{Document, List, Spanned};

use super::{Check, ProjectCheck, hook_names};
use crate::RawScalar;
use crate::agents::AgentRef;
use crate::model::Compose;

rule! {
    pub(super) static RULE {
        code: "compose/unknown-hook",
        summary: "a reference names an unknown hook",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_hook.md",
    }
}

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    let Some(limits) = compose.rate_limits.as_given() else { return };
    if let (Some(hooks), Some(named)) = (hook_names(compose), limits.value.default_on_hit.as_given()) {
        check_names(check, document, &hooks, named);
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let family = check.family;
    let Some(hooks) = family.readable().filter(|(_, document)| !document.is_partial()) else { return };
    let Some(hooks) = hook_names(hooks.0) else { return };
    for fields in project.agents.iter().filter_map(AgentRef::fields) {
        if let Some(named) = fields.on_rate_limit.as_given() {
            check_names(check, project.document, &hooks, named);
        }
    }
}

fn check_names<'f>(
    check: &mut Check<'f>,
    document: &'f Document,
    hooks: &[&str],
    named: &'f Spanned<List<RawScalar>>,
) {
    let candidates = LazyCell::new(|| Candidates::new(hooks.iter().copied()));
    for name in named.value.items.iter().filter(|name| !hooks.contains(&&*name.value)) {
        check.report(document, &RULE, name, |label| {
            let help = candidates
                .did_you_mean(&name.value)
                .unwrap_or_else(|| format!("define `{}` in `rate_limits.hooks`", name.value));
            Diagnostic::new(&RULE, format!("unknown hook `{}`", name.value))
                .primary(label.message("not in `rate_limits.hooks`"))
                .help(help)
        });
    }
}

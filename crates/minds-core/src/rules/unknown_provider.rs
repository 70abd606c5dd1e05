use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::{Check, non_empty};

rule! {
    pub(crate) static RULE {
        code: "team/unknown-provider",
        summary: "a member names a provider that is neither built in nor in `llm.yaml`",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_provider.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let providers = &check.family.providers;
    if providers.is_incomplete() {
        return;
    }
    let candidates = LazyCell::new(|| Candidates::new(providers.keys()));
    for provider in check.team.field_groups().filter_map(|fields| non_empty(&fields.provider)) {
        if providers.find(&provider.value).is_none() {
            check.report(&RULE, provider, |_, label| {
                Diagnostic::new(&RULE, format!("unknown provider `{}`", provider.value))
                    .primary(label.message("neither built in nor in `.minds/llm.yaml`"))
                    .help(
                        candidates
                            .did_you_mean(&provider.value)
                            .unwrap_or_else(|| "add it to `providers` in `.minds/llm.yaml`".to_owned()),
                    )
            });
        }
    }
}

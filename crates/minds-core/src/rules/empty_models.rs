use minds_diagnostics::{Diagnostic, rule};

use super::FileCheck;
use crate::llm::Llm;

rule! {
    pub(crate) static RULE {
        code: "llm/empty-models",
        summary: "a provider has no models",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "empty_models.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Llm>) {
    if check.document.is_partial() {
        return;
    }
    for provider in &check.content.providers {
        let Some(models) = provider.fields.as_given().and_then(|fields| fields.value.models.as_given())
        else {
            continue;
        };
        if !models.value.items.is_empty() || !models.value.is_complete {
            continue;
        }
        check.report(&RULE, models, |_, label| {
            let found = Diagnostic::new(&RULE, format!("provider `{}` has no models", provider.key.value))
                .primary(label.message("empty"))
                .help("add a model, or remove the provider");
            if crate::catalog::find_provider(&provider.key.value).is_some() {
                return found.note("it replaces the built-in provider with this key, including its models");
            }
            found
        });
    }
}

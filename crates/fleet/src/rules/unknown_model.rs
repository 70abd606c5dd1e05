use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::{Check, shorten};

rule! {
    pub(crate) static RULE {
        code: "fleet/unknown-model",
        summary: "an agent names a model that no layer defines",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_model.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let models = check.family.models();
    if !models.is_complete {
        return;
    }
    let candidates = LazyCell::new(|| Candidates::new(models.by_id.keys().copied()));
    for readable in check.readable() {
        let Some(model) = readable.agent.model.as_given() else { continue };
        if models.by_id.contains_key(model.value.as_str()) {
            continue;
        }
        check.report(&RULE, readable.document, model, |label| {
            let help = candidates.did_you_mean(&model.value);
            Diagnostic::new(&RULE, format!("unknown model `{}`", shorten(&model.value)))
                .primary(label.message("not defined in any `models.yaml`"))
                .help(
                    help.unwrap_or_else(|| {
                        "add it to `.ateam/models.yaml`, or use an existing model".to_owned()
                    }),
                )
        });
    }
}

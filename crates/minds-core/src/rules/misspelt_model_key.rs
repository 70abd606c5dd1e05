use minds_diagnostics::{Diagnostic, Rule, Severity, misspelling};

use super::FileCheck;
use crate::llm::{Llm, ModelFields};

pub(crate) static RULE: Rule = Rule {
    code: "llm/misspelt-model-key",
    summary: "a key of a model is almost one that the format knows",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("misspelt_model_key.md"),
};

pub(super) fn check(check: &mut FileCheck<'_, Llm>) {
    let (llm, document) = (check.content, check.document);
    for model in llm.models() {
        // A key that is there already was not meant by another one.
        let present: Vec<&str> = document.node(model.node).entries().map(|entry| entry.key).collect();
        let free = ModelFields::KEYS.into_iter().filter(|key| !present.contains(key));
        let free: Vec<&str> = free.collect();
        for key in &model.value.other_keys {
            let Some(meant) = misspelling(&key.value, free.iter().copied()) else { continue };
            check.report(&RULE, key, |_, label| {
                Diagnostic::new(&RULE, format!("`{}` is not `{meant}`", key.value))
                    .primary(label.message("is not read"))
                    .note("models may have keys of their own, so this is no error")
                    .help(format!("write `{meant}` if that is meant"))
            });
        }
    }
}

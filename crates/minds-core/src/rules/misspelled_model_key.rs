use minds_diagnostics::{Diagnostic, find_misspelled, rule};
use minds_document::Keys as _;

use super::FileCheck;
use crate::llm::{Llm, ModelFields};

rule! {
    pub(crate) static RULE {
        code: "llm/misspelt-model-key",
        summary: "a key of a model is similar to a known key",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "misspelled_model_key.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Llm>) {
    let (llm, document) = (check.content, check.document);
    for model in llm.models() {
        // A key that is already present is not the intended one.
        let present: Vec<&str> = document.node(model.node).entries().map(|entry| entry.key).collect();
        let free = ModelFields::KEYS.iter().map(|key| key.name).filter(|key| !present.contains(key));
        let free: Vec<&str> = free.collect();
        for key in &model.value.other_keys {
            let Some(known_key) = find_misspelled(&key.value, free.iter().copied()) else { continue };
            check.report(&RULE, key, |_, label| {
                Diagnostic::new(&RULE, format!("`{}` is similar to the known key `{known_key}`", key.value))
                    .primary(label.message("this key is ignored"))
                    .note("models may have custom keys, so this is not an error")
                    .help(format!("write `{known_key}` if that key is intended"))
            });
        }
    }
}

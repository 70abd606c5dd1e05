use minds_diagnostics::{Diagnostic, rule};

use super::FileCheck;
use crate::llm::Llm;

rule! {
    pub(crate) static RULE {
        code: "llm/length-order",
        summary: "the input or output length of a model exceeds its context length",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "length_order.md",
    }
}

pub(super) fn check(check: &mut FileCheck<'_, Llm>) {
    let llm = check.content;
    for model in llm.models() {
        let Some(whole) = model.value.context_length.as_given() else { continue };
        let parts =
            [("input_length", &model.value.input_length), ("output_length", &model.value.output_length)];
        for (key, part) in parts {
            let Some(part) = part.as_given().filter(|part| part.value > whole.value) else { continue };
            check.report(&RULE, part, |document, label| {
                Diagnostic::new(&RULE, format!("`{key}` is larger than `context_length`"))
                    .primary(label.message("this length"))
                    .secondary(document.source().label(whole.span).message("the total length"))
                    .note("`context_length` is the length of input and output together")
                    .help("check which of the two values is correct")
            });
        }
    }
}

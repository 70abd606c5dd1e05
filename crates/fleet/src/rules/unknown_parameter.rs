use minds_diagnostics::{Diagnostic, did_you_mean};
use minds_document::{Context, Entry};

use super::rule;

rule!("fleet/unknown-parameter", Warning, true, "a model has an unknown parameter", "unknown_parameter.md");

/// The known parameters.
const PARAMETERS: [&str; 7] = ["max_tokens", "stream", "temperature", "top_p", "top_k", "seed", "stop"];

pub(crate) fn report(entry: &Entry<'_>, cx: &mut Context) {
    cx.report(entry.key_node, &RULE, || {
        let help = did_you_mean(entry.key, PARAMETERS);
        Diagnostic::new(&RULE, format!("unknown parameter `{}`", entry.key))
            .primary(entry.key_node.label())
            .help(
                help.unwrap_or_else(|| {
                    "move it to `model_settings` if it belongs to the provider".to_owned()
                }),
            )
    });
}

use minds_diagnostics::{Diagnostic, did_you_mean, rule};
use minds_document::{Context, Entry, Keys as _};

use crate::model::Inference;

rule! {
    pub(crate) static RULE {
        code: "fleet/unknown-parameter",
        summary: "a model has an unknown parameter",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_parameter.md",
    }
}

pub(crate) fn report(entry: &Entry<'_>, cx: &mut Context) {
    cx.report(entry.key_node, &RULE, || {
        let help = did_you_mean(entry.key, Inference::KEYS.iter().map(|key| key.name));
        Diagnostic::new(&RULE, format!("unknown parameter `{}`", entry.key))
            .primary(entry.key_node.label())
            .help(
                help.unwrap_or_else(|| {
                    "move it to `model_settings` if it belongs to the provider".to_owned()
                }),
            )
    });
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Decode as _, Expression, Node, Text};

use super::shorten;

rule! {
    pub(crate) static RULE {
        code: "fleet/invalid-pattern",
        summary: "an entry of `redact` is not a valid regular expression",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_pattern.md",
    }
}

/// Reads a regular expression.
pub(crate) fn decode(node: Node<'_>, cx: &mut Context) -> Option<String> {
    let text = Text::decode(node, cx)?;
    match Expression::parse(&text) {
        Ok(_) => Some(text),
        Err(error) => {
            cx.report(node, &RULE, || {
                Diagnostic::new(
                    &RULE,
                    format!("`{}` is not a valid regular expression: {error}", shorten(&text)),
                )
                .primary(node.label())
                .note("until this is fixed, nothing is redacted by this entry")
                .help(error.help())
            });
            None
        }
    }
}

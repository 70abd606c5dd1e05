use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Decode as _, Expression, Node};

use crate::RawScalar;

rule! {
    pub(super) static RULE {
        code: "compose/invalid-pattern",
        summary: "a rate limit pattern is not a valid regular expression, or captures nothing",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_pattern.md",
    }
}

/// Decodes the expression for lines of output.
pub(crate) fn decode_match(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    let (text, _) = decode_expression(node, cx)?;
    if text.trim().is_empty() {
        cx.report(node, &RULE, || {
            Diagnostic::new(&RULE, "a blank pattern matches lines that do not report a rate limit")
                .primary(node.label())
                .help("write the text that the runtime prints when it reaches a rate limit")
        });
        return None;
    }
    Some(text)
}

/// Decodes an expression whose group captures when a limit ends.
pub(crate) fn decode_capture(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    let (text, expression) = decode_expression(node, cx)?;
    if expression.groups == 0 {
        cx.report(node, &RULE, || {
            Diagnostic::new(&RULE, "the expression has no group, so it captures nothing")
                .primary(node.label())
                .help("put parentheses around the time, as in `resets at (\\S+)`")
        });
        return None;
    }
    Some(text)
}

fn decode_expression(node: Node<'_>, cx: &mut Context) -> Option<(RawScalar, Expression)> {
    let text = RawScalar::decode(node, cx)?;
    match Expression::parse(&text) {
        Ok(expression) => Some((text, expression)),
        Err(error) => {
            cx.report(node, &RULE, || {
                Diagnostic::new(&RULE, format!("invalid regular expression: {error}"))
                    .primary(node.label())
                    .note("until this is fixed, the pattern does not detect any rate limit")
                    .help(error.help())
            });
            None
        }
    }
}

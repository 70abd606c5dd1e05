use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Context, Decode as _, Expression, Node};

use crate::Spelled;

pub(super) static RULE: Rule = Rule {
    code: "compose/invalid-pattern",
    summary: "a pattern of a runtime is no regular expression, or catches nothing",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("invalid_pattern.md"),
};

/// Reads the expression that a line of a runtime is compared with.
pub(crate) fn matching(node: Node<'_>, cx: &mut Context) -> Option<Spelled> {
    let (text, _) = expression(node, cx)?;
    if text.trim().is_empty() {
        cx.report(node, &RULE, || {
            Diagnostic::new(&RULE, "a blank pattern fits lines that say nothing of a limit")
                .primary(node.label())
                .help("write what the runtime prints at its limit")
        });
        return None;
    }
    Some(text)
}

/// Reads the expression that catches when a limit ends: in a group.
pub(crate) fn capturing(node: Node<'_>, cx: &mut Context) -> Option<Spelled> {
    let (text, expression) = expression(node, cx)?;
    if expression.groups == 0 {
        cx.report(node, &RULE, || {
            Diagnostic::new(&RULE, "the expression has no group, so it catches nothing")
                .primary(node.label())
                .help("put brackets around what says the time, as in `resets at (\\S+)`")
        });
        return None;
    }
    Some(text)
}

fn expression(node: Node<'_>, cx: &mut Context) -> Option<(Spelled, Expression)> {
    let text = Spelled::decode(node, cx)?;
    match Expression::parse(&text) {
        Ok(expression) => Some((text, expression)),
        Err(error) => {
            cx.report(node, &RULE, || {
                Diagnostic::new(&RULE, format!("this is no regular expression: {error}"))
                    .primary(node.label())
                    .note("until it is mended, no limit is seen by it")
                    .help(error.help())
            });
            None
        }
    }
}

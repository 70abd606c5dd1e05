use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::rule;

rule!("fleet/legacy-form", Warning, true, "something is written in an older form", "legacy_form.md");

/// Reports an older form; `more` adds the current form.
pub(crate) fn report(
    node: Node<'_>,
    message: &str,
    cx: &mut Context,
    more: impl FnOnce(Diagnostic) -> Diagnostic,
) {
    cx.report(node, &RULE, || {
        more(Diagnostic::new(&RULE, message).primary(node.label().message("read, but never written")))
    });
}

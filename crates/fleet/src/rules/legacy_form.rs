use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

rule! {
    pub(crate) static RULE {
        code: "fleet/legacy-form",
        summary: "a file uses an older form",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "legacy_form.md",
    }
}

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

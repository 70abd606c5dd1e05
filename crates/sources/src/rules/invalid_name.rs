use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use super::escape;
use crate::NameError;

rule! {
    pub(crate) static RULE {
        code: "source/invalid-name",
        summary: "the name of an item, or a prefix, is not valid in a file name",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_name.md",
    }
}

/// Reports an invalid name; `what` is the kind of name: "the name of an item", "a prefix".
pub(crate) fn report(node: Node<'_>, name: &str, what: &str, error: NameError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` cannot be {what}: {error}", escape(name)))
            .primary(node.label())
            .note("the name is used for files in the store and in every agent home")
            .help("write letters, digits and `-`, such as `code-review`")
    });
}

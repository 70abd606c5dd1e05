use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{escape, rule};
use crate::NameError;

rule!(
    "source/invalid-name",
    Error,
    false,
    "the name of an item, or a prefix, is not valid in a file name",
    "invalid_name.md"
);

/// Reports an invalid name; `what` is the kind of name: "the name of an item", "a prefix".
pub(crate) fn report(node: Node<'_>, name: &str, what: &str, error: NameError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("`{}` cannot be {what}: {error}", escape(name)))
            .primary(node.label())
            .note("the name is used for files in the store and in every agent home")
            .help("write letters, digits and `-`, such as `code-review`")
    });
}

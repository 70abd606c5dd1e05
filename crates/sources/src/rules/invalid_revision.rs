use minds_diagnostics::Diagnostic;
use minds_document::{Context, Node};

use super::{escape, rule};
use crate::RevisionError;

rule!(
    "source/invalid-revision",
    Error,
    false,
    "a pin is not a valid branch, tag or commit",
    "invalid_revision.md"
);

pub(crate) fn report(node: Node<'_>, text: &str, error: RevisionError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("invalid revision `{}`: {error}", escape(text)))
            .primary(node.label())
            .help("write the name of a branch or tag, or the hash of a commit")
    });
}

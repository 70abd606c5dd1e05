use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Node};

use super::escape;
use crate::RevisionError;

rule! {
    pub(crate) static RULE {
        code: "source/invalid-revision",
        summary: "a pin is not a valid branch, tag or commit",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_revision.md",
    }
}

pub(crate) fn report(node: Node<'_>, text: &str, error: RevisionError, cx: &mut Context) {
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, format!("invalid revision `{}`: {error}", escape(text)))
            .primary(node.label())
            .help("write the name of a branch or tag, or the hash of a commit")
    });
}

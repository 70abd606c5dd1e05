use minds_diagnostics::Diagnostic;
use minds_document::{Context, Document};

use super::rule;
use crate::manifest::Manifest;

rule!(
    "source/unused-roots",
    Warning,
    true,
    "a source has roots for the convention, and lists its items",
    "unused_roots.md"
);

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let Some(roots) = manifest.head().and_then(|head| head.roots.given()) else { return };
    if !manifest.is_authoritative() {
        return;
    }
    let node = document.node(roots.node);
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, "`roots` is not used, because the file lists the items itself")
            .primary(node.label().message("nothing is looked for here"))
            .note("paths of `[[items]]` and patterns of `[discover]` start at the top of the source")
            .help("remove `roots`, or the lists")
    });
}

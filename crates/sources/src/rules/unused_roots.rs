use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document};

use crate::manifest::Manifest;

rule! {
    pub(crate) static RULE {
        code: "source/unused-roots",
        summary: "a source sets `roots`, although it lists its items",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unused_roots.md",
    }
}

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let Some(roots) = manifest.source_table().and_then(|head| head.roots.as_given()) else { return };
    if !manifest.is_authoritative() {
        return;
    }
    let node = document.node(roots.node);
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, "`roots` has no effect, because the file lists the items")
            .primary(node.label().message("has no effect"))
            .note("paths of `[[items]]` and patterns of `[discover]` are relative to the root of the source")
            .help("remove `roots`, or the listed items")
    });
}

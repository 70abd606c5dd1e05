use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document};

use crate::manifest::Manifest;

rule! {
    pub(crate) static RULE {
        code: "source/deprecated-install",
        summary: "a source defines its hook with a deprecated key",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "deprecated_install.md",
    }
}

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let Some(install) = manifest.source_table().and_then(|head| head.install.place()) else { return };
    let node = document.node(install.node);
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, "`source.install` is deprecated")
            .primary(node.label().message("runs before all `[[hooks]]`"))
            .help("use `[[hooks]]` with the key `run`")
    });
}

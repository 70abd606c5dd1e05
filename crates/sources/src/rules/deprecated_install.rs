use minds_diagnostics::Diagnostic;
use minds_document::{Context, Document};

use super::rule;
use crate::manifest::Manifest;

rule!(
    "source/deprecated-install",
    Warning,
    true,
    "a source names its hook in the old way",
    "deprecated_install.md"
);

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let Some(install) = manifest.head().and_then(|head| head.install.place()) else { return };
    let node = document.node(install.node);
    cx.report(node, &RULE, || {
        Diagnostic::new(&RULE, "`source.install` is the old way to name a hook")
            .primary(node.label().message("runs before all hooks of `[[hooks]]`"))
            .help("write a table `[[hooks]]` with the key `run`")
    });
}

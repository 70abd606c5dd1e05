use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document};

use super::invalid_spec;
use crate::manifest::Manifest;

rule! {
    pub(crate) static RULE {
        code: "source/repeated-source",
        summary: "a nested source is listed twice, and the second entry has no effect",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "repeated_source.md",
    }
}

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let sources = manifest.discover.as_given().and_then(|discover| discover.value.sources.as_given());
    let mut seen = BTreeMap::new();
    for entry in sources.into_iter().flat_map(|list| &list.value.items) {
        let source = &entry.value.source;
        let Some(key) = invalid_spec::source_key(&source.value) else { continue };
        let Some(first) = seen.get(&key) else {
            seen.insert(key, source);
            continue;
        };
        let (node, before) = (document.node(source.node), document.node(first.node));
        cx.report(node, &RULE, || {
            Diagnostic::new(&RULE, "the source is listed twice; only the first entry has an effect")
                .primary(node.label().message("second entry"))
                .secondary(before.label().message("first entry"))
                .help("remove one of the entries")
        });
    }
}

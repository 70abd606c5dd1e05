use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document};
use minds_vfs::portable;

use crate::manifest::Manifest;

rule! {
    pub(crate) static RULE {
        code: "source/duplicate-item",
        summary: "a source has two items with the same kind and name",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "duplicate_item.md",
    }
}

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let mut seen = BTreeMap::new();
    for item in manifest.items.as_given().into_iter().flat_map(|list| &list.value.items) {
        let item = &item.value;
        // Some file systems are case-insensitive.
        let key = (item.kind.value, portable::fold(item.name.value.as_str()));
        let Some(first) = seen.insert(key.clone(), item) else { continue };
        let (node, before) = (document.node(item.name.node), document.node(first.name.node));
        cx.report(node, &RULE, || {
            let message = format!("the {} `{}` is defined twice", item.kind.value, item.name.value);
            Diagnostic::new(&RULE, message)
                .primary(node.label().message(format!("defined again, with path `{}`", item.path.value)))
                .secondary(
                    before.label().message(format!("first definition, with path `{}`", first.path.value)),
                )
                .help("rename one of them")
        });
        seen.insert(key, first);
    }
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Context, Document};

use crate::ItemKind;
use crate::manifest::Manifest;

rule! {
    pub(crate) static RULE {
        code: "source/unused-exclude",
        summary: "an `exclude` list without `include`",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unused_exclude.md",
    }
}

pub(crate) fn check(document: &Document, manifest: &Manifest, cx: &mut Context) {
    let Some(discover) = manifest.discover.as_given() else { return };
    for kind in ItemKind::ALL {
        let Some(globs) = discover.value.globs(kind).as_given().map(|globs| &globs.value) else { continue };
        let Some(exclude) = globs.exclude.as_given().filter(|list| !list.value.items.is_empty()) else {
            continue;
        };
        let includes_nothing = match globs.include.as_given() {
            Some(list) => list.value.items.is_empty() && list.value.is_complete,
            None => globs.include.is_absent(),
        };
        if !includes_nothing {
            continue;
        }
        let node = document.node(exclude.node);
        cx.report(node, &RULE, || {
            let folder = kind.folder();
            Diagnostic::new(&RULE, format!("`exclude` of `{folder}` has no effect without `include`"))
                .primary(node.label().message("has no effect"))
                .note(format!("without `include`, {folder} are found by convention"))
                .help("add `include` with patterns of the items to offer")
        });
    }
}

use minds_diagnostics::{Diagnostic, Severity, rule};
use minds_document::{Context, Field, List, Node};

use crate::ItemKey;

rule! {
    pub(crate) static RULE {
        code: "source/conflicting-selection",
        summary: "a nested source selects both all and some of its items",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "conflicting_selection.md",
    }
}

pub(crate) fn check(node: Node<'_>, install: &Field<bool>, items: &Field<List<ItemKey>>, cx: &mut Context) {
    let Some(all) = install.as_given().filter(|install| install.value) else { return };
    let Some(part) = items.as_given() else { return };
    let (all, place) = (node.document().node(all.node), node.document().node(part.node));
    let is_empty = part.value.items.is_empty() && part.value.is_complete;
    cx.report(place, &RULE, || {
        let found = Diagnostic::new(&RULE, "`install = true` and `install-items` cannot be combined")
            .secondary(all.label().message("all of its items"));
        if is_empty {
            return found
                .severity(Severity::Warning)
                .primary(place.label().message("none of its items, which takes precedence"))
                .help("remove `install-items`, or write only `install = false`");
        }
        found
            .primary(place.label().message("some of its items"))
            .help("keep `install-items` for these, or `install = true` for all")
    });
}

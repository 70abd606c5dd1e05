use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;

use super::{Check, ProjectCheck};
use crate::RawScalar;

rule! {
    pub(super) static RULE {
        code: "compose/ambiguous-channel",
        summary: "a channel name is blank or not unique",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "ambiguous_channel.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let channels = project.project.channels.as_given().into_iter().flat_map(|channels| &channels.value.items);
    let mut seen: BTreeMap<&str, &Spanned<RawScalar>> = BTreeMap::new();
    for name in channels.filter_map(|channel| channel.value.name.as_given()) {
        if name.value.trim().is_empty() {
            check.report(project.document, &RULE, name, |label| {
                Diagnostic::new(&RULE, "a channel has a blank name")
                    .primary(label.message("blank"))
                    .help("give the channel a name")
            });
            continue;
        }
        let Some(first) = seen.get(&*name.value) else {
            seen.insert(&name.value, name);
            continue;
        };
        let first = project.document.source().label(first.span).message("first definition");
        check.report(project.document, &RULE, name, |label| {
            Diagnostic::new(&RULE, format!("duplicate channel name `{}`", name.value))
                .primary(label.message("second definition"))
                .secondary(first)
                .note("the members of the last definition are used")
                .help("rename one of them, or put all members into one channel")
        });
    }
}

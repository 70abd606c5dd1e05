use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::Spanned;

use super::{Check, ProjectCheck};
use crate::Spelled;

pub(super) static RULE: Rule = Rule {
    code: "compose/ambiguous-channel",
    summary: "a channel has no name of its own",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("ambiguous_channel.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let channels = project.project.channels.given().into_iter().flat_map(|channels| &channels.value.items);
    let mut seen: BTreeMap<&str, &Spanned<Spelled>> = BTreeMap::new();
    for name in channels.filter_map(|channel| channel.value.name.given()) {
        if name.value.trim().is_empty() {
            check.report(project.document, &RULE, name, |label| {
                Diagnostic::new(&RULE, "a channel has a blank name")
                    .primary(label.message("blank"))
                    .help("give the channel a name by which agents can write to it")
            });
            continue;
        }
        let Some(first) = seen.get(&*name.value) else {
            seen.insert(&name.value, name);
            continue;
        };
        let first = project.document.source().label(first.span).message("first here");
        check.report(project.document, &RULE, name, |label| {
            Diagnostic::new(&RULE, format!("the channel `{}` is there twice", name.value))
                .primary(label.message("and here again"))
                .secondary(first)
                .note("the members of the last one count")
                .help("put all members into one of them")
        });
    }
}

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Document, Spanned};

use super::Check;
use crate::Spelled;
use crate::model::{Compose, Hook};

pub(super) static RULE: Rule = Rule {
    code: "compose/unreachable-hook",
    summary: "another hook has the same name and runs instead",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("unreachable_hook.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    let hooks = compose.rate_limits.given().and_then(|limits| limits.value.hooks.given());
    let mut seen: BTreeMap<&str, &Spanned<Spelled>> = BTreeMap::new();
    for hook in hooks.into_iter().flat_map(|hooks| &hooks.value.items) {
        let Some(name) = hook.value.name.given() else { continue };
        let first = seen.insert(&name.value, name);
        if *name.value == *Hook::BUILT_IN {
            // One that says what the built-in one does changes nothing.
            let is_same = hook.value.action.given().is_none_or(|action| *action.value == *Hook::BUILT_IN);
            if !is_same {
                check.report(document, &RULE, name, |label| {
                    Diagnostic::new(&RULE, "the hook `wait` is built in, and this one never runs")
                        .primary(label.message("the name of the built-in one"))
                        .help("give it another name")
                });
            }
        } else if let Some(first) = first {
            // All are told by the first, which runs.
            seen.insert(&name.value, first);
            check.report(document, &RULE, name, |label| {
                Diagnostic::new(&RULE, format!("there are two hooks `{}`, and only one can run", name.value))
                    .primary(label.message("named again"))
                    .secondary(document.source().label(first.span).message("first named here"))
                    .help("give one of them another name, or remove it")
            });
        }
    }
}

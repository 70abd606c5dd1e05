use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Spanned};

use super::Check;
use crate::RawScalar;
use crate::model::{Compose, Hook};

rule! {
    pub(super) static RULE {
        code: "compose/unreachable-hook",
        summary: "another hook has the same name and runs instead",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unreachable_hook.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    let hooks = compose.rate_limits.as_given().and_then(|limits| limits.value.hooks.as_given());
    let mut seen: BTreeMap<&str, &Spanned<RawScalar>> = BTreeMap::new();
    for hook in hooks.into_iter().flat_map(|hooks| &hooks.value.items) {
        let Some(name) = hook.value.name.as_given() else { continue };
        let first = seen.insert(&name.value, name);
        if *name.value == *Hook::BUILT_IN {
            // A hook with the same action as the built-in hook changes nothing.
            let is_same = hook.value.action.as_given().is_none_or(|action| *action.value == *Hook::BUILT_IN);
            if !is_same {
                check.report(document, &RULE, name, |label| {
                    Diagnostic::new(&RULE, "the hook `wait` is built in, so this hook never runs")
                        .primary(label.message("the name of the built-in hook"))
                        .help("rename the hook")
                });
            }
        } else if let Some(first) = first {
            // Report all duplicates relative to the first hook, which runs.
            seen.insert(&name.value, first);
            check.report(document, &RULE, name, |label| {
                Diagnostic::new(
                    &RULE,
                    format!("duplicate hook name `{}`: only the first hook runs", name.value),
                )
                .primary(label.message("named again"))
                .secondary(document.source().label(first.span).message("first definition"))
                .help("rename or remove one of them")
            });
        }
    }
}

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{List, Spanned};

use super::Check;
use crate::catalog;

rule! {
    pub(crate) static RULE {
        code: "team/unassignable-toolset",
        summary: "a toolset that only the runtime can provide is granted",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unassignable_toolset.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, lists: &[&Spanned<List<String>>]) {
    for entry in lists.iter().flat_map(|list| &list.value.items) {
        if catalog::find_toolset(&entry.value).is_some_and(|toolset| !toolset.is_assignable) {
            check.report(&RULE, entry, |_, label| {
                Diagnostic::new(&RULE, format!("the toolset `{}` cannot be granted", entry.value))
                    .primary(label.message("provided by the runtime when needed"))
                    .help("remove the entry")
            });
        }
    }
}

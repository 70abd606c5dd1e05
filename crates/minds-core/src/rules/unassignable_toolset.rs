use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{List, Spanned};

use super::Check;
use crate::catalog;

pub(crate) static RULE: Rule = Rule {
    code: "team/unassignable-toolset",
    summary: "a toolset that only the runtime can provide is granted",
    default_severity: Severity::Error,
    is_suppressible: true,
    since: "0.1.0",
    page: include_str!("unassignable_toolset.md"),
};

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

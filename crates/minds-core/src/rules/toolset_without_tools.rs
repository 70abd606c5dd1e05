use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::{List, Spanned};

use super::Check;
use crate::catalog;

rule! {
    pub(crate) static RULE {
        code: "team/toolset-without-tools",
        summary: "a granted toolset has no tools in `minds mcp`",
        severity: Info,
        suppressible: true,
        since: "0.1.0",
        page: "toolset_without_tools.md",
    }
}

/// Reports all such toolsets of the file in one finding, at the first entry.
pub(super) fn check(check: &mut Check<'_>, lists: &[&Spanned<List<String>>]) {
    let mut first = None;
    let mut names = BTreeSet::new();
    for list in lists {
        let entries = &list.value.items;
        let is_excluded = |name: &str| {
            entries
                .iter()
                .filter_map(|entry| entry.value.strip_prefix('!'))
                .any(|entry| catalog::find_toolset(entry).is_some_and(|toolset| toolset.name == name))
        };
        for entry in entries {
            let Some(toolset) = catalog::find_toolset(&entry.value) else { continue };
            // Toolsets that cannot be granted are reported by another rule.
            if toolset.has_tools || !toolset.is_assignable || is_excluded(toolset.name) {
                continue;
            }
            first.get_or_insert(entry);
            names.insert(toolset.name);
        }
    }
    let Some(first) = first else { return };
    check.report(&RULE, first, |_, label| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("granted toolsets without tools in `minds mcp`: {}", names.join(", "));
        Diagnostic::new(&RULE, message)
            .primary(label.message("the first one"))
            .help("remove the entries, unless another runtime of the agents provides these tools")
    });
}

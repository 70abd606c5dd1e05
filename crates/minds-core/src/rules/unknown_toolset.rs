use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};
use minds_document::{List, Spanned};

use super::Check;
use crate::catalog;

rule! {
    pub(crate) static RULE {
        code: "team/unknown-toolset",
        summary: "an entry of `toolsets` is neither a known toolset nor an MCP server",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_toolset.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, lists: &[&Spanned<List<String>>]) {
    let servers = &check.family.servers;
    let candidates = LazyCell::new(|| Candidates::new(catalog::toolset_names().chain(servers.ids())));
    for entry in lists.iter().flat_map(|list| &list.value.items) {
        let name = entry.value.strip_prefix('!').unwrap_or(&entry.value);
        if entry.value == "*" || catalog::find_toolset(name).is_some() || servers.may_have(name) {
            continue;
        }
        check.report(&RULE, entry, |_, label| {
            if name.trim().is_empty() {
                return Diagnostic::new(&RULE, format!("`{}` does not name a toolset", entry.value))
                    .primary(label.message("the name is missing"))
                    .help("remove the entry");
            }
            let effect =
                if entry.value.starts_with('!') { "nothing is excluded" } else { "nothing is granted" };
            Diagnostic::new(&RULE, format!("unknown toolset `{name}`")).primary(label.message(effect)).help(
                candidates
                    .did_you_mean(name)
                    .unwrap_or_else(|| format!("declare an MCP server `{name}` in `.minds/mcp.yaml`")),
            )
        });
    }
}

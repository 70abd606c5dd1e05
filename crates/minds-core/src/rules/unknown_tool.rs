use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::Check;
use crate::catalog;

rule! {
    pub(crate) static RULE {
        code: "team/unknown-tool",
        summary: "an entry of `tools` is not a known tool",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_tool.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    if !check.family.servers.is_empty() {
        // The tools of MCP servers are not known from files.
        return;
    }
    let lists = check.lists(|fields| &fields.tools);
    let tools = || catalog::TOOLSETS.iter().flat_map(|toolset| toolset.tools.iter().copied());
    let candidates = LazyCell::new(|| Candidates::new(tools()));
    for entry in lists.into_iter().flat_map(|list| &list.value.items) {
        if catalog::is_builtin_tool(&entry.value) {
            continue;
        }
        check.report(&RULE, entry, |_, label| {
            let help = candidates.did_you_mean(&entry.value).or_else(|| {
                catalog::find_toolset(&entry.value)
                    .map(|toolset| format!("`{}` is a toolset: move it to `toolsets`", toolset.name))
            });
            let help =
                help.unwrap_or_else(|| "write the name of a built-in tool, or remove the entry".to_owned());
            Diagnostic::new(&RULE, format!("unknown tool `{}`", entry.value))
                .primary(label.message("nothing is granted"))
                .help(help)
        });
    }
}

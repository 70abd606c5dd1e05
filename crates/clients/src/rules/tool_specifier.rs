use minds_diagnostics::{Diagnostic, rule};

use super::{Check, tools, version_note};
use crate::family::ClientFile;

rule! {
    pub(crate) static RULE {
        code: "client/tool-specifier",
        summary: "a list of tools limits a tool to paths, which has no effect there",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "tool_specifier.md",
    }
}

/// The keys in which an entry is a whole tool.
const KEYS: [&str; 2] = ["tools", "disallowedTools"];
/// The tools of files.
const FILE_TOOLS: [&str; 6] = ["Read", "Edit", "Write", "NotebookEdit", "Grep", "Glob"];

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    if !file.kind.is_agent() || file.client.id != "claude-code" {
        return;
    }
    for entry in tools::entries(file) {
        let name = entry.name();
        if entry.specifier().is_none() || !KEYS.contains(&entry.key) || !FILE_TOOLS.contains(&name) {
            continue;
        }
        check.report(&RULE, file, entry.span, |label| {
            let message = if entry.key == "tools" {
                format!("`{}` gives the agent all of `{name}`", entry.text)
            } else {
                format!("`{}` takes all of `{name}` away", entry.text)
            };
            Diagnostic::new(&RULE, message)
                .primary(label.message("the path has no effect"))
                .note(version_note(file))
                .help(format!(
                    "write `{name}`, and put path rules into `permissions` of `.claude/settings.json`"
                ))
        });
    }
}

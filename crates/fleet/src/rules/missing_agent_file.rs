use minds_diagnostics::{Diagnostic, SourceFile, Span, rule};

use super::Check;
use crate::model::is_name;
use crate::stack::AGENT_FILE;

rule! {
    pub(crate) static RULE {
        code: "fleet/missing-agent-file",
        summary: "the directory of an agent has no `agent.yaml`",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "missing_agent_file.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let lacking: Vec<(bool, String)> = check
        .agents
        .iter()
        .filter(|(_, (_, agent))| agent.lacks_file)
        .map(|(name, (_, agent))| (is_name(name), format!("{}/{AGENT_FILE}", agent.folder)))
        .collect();
    for (has_name, path) in lacking {
        let help = if has_name {
            "write the file, or move the directory elsewhere"
        } else {
            "move the directory elsewhere, or rename it and write the file: a name has letters, digits, `_` and `-`"
        };
        let source = SourceFile::new(path, "");
        check.report_text(&RULE, &source, Span::at(0), |label| {
            Diagnostic::new(&RULE, format!("`{}` does not exist", source.name()))
                .primary(label)
                .note("every directory below `.ateam/agents/` is an agent")
                .help(help)
        });
    }
}

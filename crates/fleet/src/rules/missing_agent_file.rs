use minds_diagnostics::{Diagnostic, SourceFile, Span};

use super::{Check, rule};
use crate::stack::AGENT_FILE;

rule!(
    "fleet/missing-agent-file",
    Error,
    false,
    "the directory of an agent has no `agent.yaml`",
    "missing_agent_file.md"
);

pub(super) fn check(check: &mut Check<'_>) {
    let lacking: Vec<String> = check
        .agents
        .values()
        .filter(|(_, agent)| agent.lacks_file)
        .map(|(_, agent)| format!("{}/{AGENT_FILE}", agent.folder))
        .collect();
    for path in lacking {
        let source = SourceFile::new(path, "");
        check.report_text(&RULE, &source, Span::at(0), |label| {
            Diagnostic::new(&RULE, format!("`{}` is not there", source.name()))
                .primary(label)
                .note("every directory below `.ateam/agents/` is an agent")
                .help("write the file, or move the directory elsewhere")
        });
    }
}

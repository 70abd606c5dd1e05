use minds_diagnostics::{Diagnostic, SourceFile, rule};

use super::{Check, span};
use crate::prompt::{Block, Blocks, TOOLBOX};

rule! {
    pub(crate) static RULE {
        code: "fleet/repeated-toolbox",
        summary: "a prompt has more than one block for its tools",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "repeated_toolbox.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let agents: Vec<_> = check.agents.values().map(|(_, agent)| *agent).collect();
    for agent in agents {
        let mut first: Option<(&SourceFile, Block)> = None;
        for source in agent.named_prompts() {
            let found = Blocks::find(source.text().unwrap_or_default());
            for block in found.blocks.into_iter().filter(|block| block.name == TOOLBOX) {
                let Some((shown, shown_block)) = &first else {
                    first = Some((source, block));
                    continue;
                };
                let end = block.body.start.saturating_sub(1).max(block.range.start);
                check.report_text(&RULE, source, span(&(block.range.start..end)), |label| {
                    Diagnostic::new(&RULE, "this block for the tools is omitted")
                        .primary(label)
                        .secondary(
                            shown
                                .label(span(&(shown_block.range.start..shown_block.body.start)))
                                .message("this one is shown"),
                        )
                        .help("remove one of them")
                });
            }
        }
    }
}

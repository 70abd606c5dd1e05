use minds_diagnostics::{Diagnostic, SourceFile};

use super::{Check, rule, span};
use crate::prompt::{Block, Blocks, TOOLBOX};

rule!(
    "fleet/repeated-toolbox",
    Warning,
    false,
    "a prompt has more than one block for its tools",
    "repeated_toolbox.md"
);

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

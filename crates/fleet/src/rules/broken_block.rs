use minds_diagnostics::{Diagnostic, rule};

use super::{Check, span};
use crate::prompt::{Blocks, BrokenKind};

rule! {
    pub(crate) static RULE {
        code: "fleet/broken-block",
        summary: "the marks of protected blocks in a prompt do not match",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "broken_block.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let prompts: Vec<_> = check.agents.values().flat_map(|(_, agent)| agent.named_prompts()).collect();
    for source in prompts {
        let text = source.text().unwrap_or_default();
        for broken in Blocks::find(text).broken {
            check.report_text(&RULE, source, span(&broken.range), |label| {
                let help = match &broken.kind {
                    BrokenKind::Unclosed(name)
                    | BrokenKind::NameMismatch(name, _)
                    | BrokenKind::Nested(name, _) => {
                        format!("put `<!-- ateam-protect:end:{name} -->` where the block ends, on a line of its own")
                    }
                    BrokenKind::StrayEnd(_) => "remove the line, or put the mark of the beginning above".to_owned(),
                    BrokenKind::NoMark => {
                        "put the mark on a line of its own, with a name of lower-case letters, or say it in other words"
                            .to_owned()
                    }
                };
                Diagnostic::new(&RULE, broken.kind.to_string()).primary(label).help(help)
            });
        }
    }
}

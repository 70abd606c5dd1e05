use minds_diagnostics::{Diagnostic, rule};

use super::{Check, span};
use crate::prompt::{Blocks, MarkerProblem};

rule! {
    pub(crate) static RULE {
        code: "fleet/broken-block",
        summary: "the markers of protected blocks in a prompt do not match",
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
                    MarkerProblem::Unclosed(name)
                    | MarkerProblem::NameMismatch(name, _)
                    | MarkerProblem::Nested(name, _) => {
                        format!("put `<!-- ateam-protect:end:{name} -->` where the block ends, on a line of its own")
                    }
                    MarkerProblem::StrayEnd(_) => "remove the line, or add the start marker above it".to_owned(),
                    MarkerProblem::NotAMarker => {
                        "put the marker on a line of its own, with a name of lower-case letters, or rephrase the line"
                            .to_owned()
                    }
                };
                Diagnostic::new(&RULE, broken.kind.to_string()).primary(label).help(help)
            });
        }
    }
}

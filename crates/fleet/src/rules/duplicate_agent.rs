use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "fleet/duplicate-agent",
        summary: "two agents of `agents.yaml` have the same id",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "duplicate_agent.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    for repeated in family.layers.iter().flat_map(|layer| &layer.repeated) {
        let (Some(ids), Some(document)) = (&repeated.content, family.document(repeated)) else { continue };
        check.report(&RULE, document, &ids.again, |label| {
            Diagnostic::new(&RULE, format!("duplicate agent id `{}`", ids.again.value))
                .primary(label.message("defined again, and ignored"))
                .secondary(document.source().label(ids.first.span).message("first defined here"))
                .help("remove one of them, or give it another id")
        });
    }
}

use minds_diagnostics::{Diagnostic, did_you_mean, rule};

use super::{Check, shorten};

rule! {
    pub(crate) static RULE {
        code: "fleet/unknown-default-agent",
        summary: "the default agent does not exist",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unknown_default_agent.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    let has_all = family.has_all_agents();
    for layer in &family.layers {
        let Some(default) = &layer.default_agent else { continue };
        let Some(source) = &default.source else { continue };
        let is_known = check.agents.contains_key(default.name.as_str());
        if is_known || (!has_all && !default.name.is_empty()) {
            continue;
        }
        let names: Vec<&str> = check.agents.keys().copied().collect();
        check.report_text(&RULE, source, default.span, |label| {
            if default.name.is_empty() {
                return Diagnostic::new(&RULE, "the file is empty")
                    .primary(label)
                    .help("write the name of an agent, or remove the file");
            }
            let help = did_you_mean(&default.name, names.iter().copied());
            Diagnostic::new(&RULE, format!("there is no agent `{}`", shorten(&default.name)))
                .primary(label.message("no directory below `.ateam/agents/` has this name"))
                .maybe_help(help)
        });
    }
}

//! Checks the providers of fleet models.
//!
//! This rule is not part of the fleet family, because the providers are defined by the team family.

use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Problems, Rule, did_you_mean, rule};
use minds_fleet::FleetFamily;
use minds_fleet::model::SCRIPTED;

rule! {
    pub(crate) static RULE {
        code: "fleet/unknown-provider",
        summary: "a model of a fleet names a provider that is neither built in nor in `llm.yaml`",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "fleet_provider.md",
    }
}

/// The rules of this module.
pub(crate) static RULES: &[&Rule] = &[&RULE];

pub(crate) fn check(team: &TeamFamily, fleet: &FleetFamily) -> Problems {
    let mut problems = Problems::new();
    let providers = &team.providers;
    if providers.is_incomplete() {
        return problems;
    }
    for place in fleet.models().by_id.values().flatten() {
        let Some(provider) =
            place.model.fields.as_given().and_then(|fields| fields.value.provider.as_given())
        else {
            continue;
        };
        let name = &provider.value;
        if name == SCRIPTED || providers.find(name).is_some() {
            continue;
        }
        let source = place.document.source();
        problems.report(source, provider.span, &RULE, || {
            let names = providers.keys().chain([SCRIPTED]);
            Diagnostic::new(&RULE, format!("unknown provider `{name}`"))
                .primary(source.label(provider.span).message("neither built in nor in `.minds/llm.yaml`"))
                .help(
                    did_you_mean(name, names)
                        .unwrap_or_else(|| "add it to `providers` in `.minds/llm.yaml`".to_owned()),
                )
                .pointer(place.document.node(provider.node).pointer())
        });
    }
    problems
}

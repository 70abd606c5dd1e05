//! Everything that can be found.

use minds_diagnostics::{Problems, Rule};

use crate::{allow, fleet_provider};

/// Returns every rule of every family, by code.
pub fn rules() -> Vec<&'static Rule> {
    let all = [
        allow::RULES,
        Problems::rules(),
        minds_document::rules::ALL,
        minds_core::rules::ALL,
        minds_taskdoc::rules::ALL,
        minds_taskdoc::verification::RULES,
        minds_compose::rules::ALL,
        minds_fleet::rules::ALL,
        fleet_provider::RULES,
        minds_render::clients::rules::ALL,
        minds_render::services::rules::ALL,
        minds_sources::rules::ALL,
    ];
    let mut rules: Vec<&'static Rule> = all.into_iter().flatten().copied().collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

/// The codes of rules that were replaced, and of the rules that took their place.
const REPLACED: &[(&str, &str)] = &[("access/unguarded-minds", "access/writable-configuration")];

/// Returns the rule with a code; for the code of a rule that was replaced, the one that took its place.
pub fn find_rule(code: &str) -> Option<&'static Rule> {
    let code = replacement(code).unwrap_or(code);
    rules().into_iter().find(|rule| rule.code == code)
}

/// Returns the code of the rule that took the place of another one.
pub(crate) fn replacement(code: &str) -> Option<&'static str> {
    REPLACED.iter().find(|(old, _)| *old == code).map(|(_, new)| *new)
}

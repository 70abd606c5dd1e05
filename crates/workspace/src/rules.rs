//! The registry of all rules.

use minds_diagnostics::{Problems, Rule};

use crate::{fleet_provider, suppression};

/// Returns the rules of all families, sorted by code.
pub fn rules() -> Vec<&'static Rule> {
    let all = [
        suppression::RULES,
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

/// The codes of replaced rules, each with the code of its replacement.
const REPLACED: &[(&str, &str)] = &[("access/unguarded-minds", "access/writable-configuration")];

/// Returns the rule with a code; for the code of a replaced rule, its replacement.
pub fn find_rule(code: &str) -> Option<&'static Rule> {
    let code = replacement(code).unwrap_or(code);
    rules().into_iter().find(|rule| rule.code == code)
}

/// Returns the code of the rule that replaced another one.
pub(crate) fn replacement(code: &str) -> Option<&'static str> {
    REPLACED.iter().find(|(old, _)| *old == code).map(|(_, new)| *new)
}

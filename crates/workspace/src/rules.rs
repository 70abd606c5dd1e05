//! The registry of all rules.

use minds_diagnostics::{Problems, Rule};

#[cfg(feature = "fleet")]
use crate::fleet_member;
#[cfg(feature = "fleet")]
use crate::fleet_provider;
use crate::suppression;

/// Whether all families are included. Otherwise rules are missing, so a code that is not found may still exist.
pub(crate) const IS_COMPLETE: bool =
    cfg!(all(feature = "clients", feature = "render", feature = "sources", feature = "tasks"));

/// Returns the rules of all families that are included, sorted by code.
pub fn rules() -> Vec<&'static Rule> {
    let all = [
        suppression::RULES,
        Problems::rules(),
        minds_vfs::rules::ALL,
        minds_document::rules::ALL,
        minds_core::rules::ALL,
        #[cfg(feature = "tasks")]
        minds_taskdoc::rules::ALL,
        #[cfg(feature = "tasks")]
        minds_taskdoc::verification::RULES,
        #[cfg(feature = "clients")]
        minds_clients::rules::ALL,
        #[cfg(feature = "clients")]
        minds_client_import::rules::ALL,
        #[cfg(feature = "compose")]
        minds_compose::rules::ALL,
        #[cfg(feature = "fleet")]
        minds_fleet::rules::ALL,
        #[cfg(feature = "fleet")]
        fleet_provider::RULES,
        #[cfg(feature = "fleet")]
        fleet_member::RULES,
        #[cfg(feature = "render")]
        minds_client_agents::rules::ALL,
        #[cfg(feature = "render")]
        minds_render::clients::rules::ALL,
        #[cfg(feature = "render")]
        minds_render::services::rules::ALL,
    ];
    let mut rules: Vec<&'static Rule> = all.into_iter().flatten().copied().collect();
    #[cfg(feature = "sources")]
    rules.extend(minds_sources::rules::all());
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

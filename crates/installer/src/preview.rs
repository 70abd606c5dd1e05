//! Previews of plans.

use std::collections::BTreeSet;

use minds_inventory::plan::{InstallStep, Occupant, Plan, PlannedHook, Reason, RemoveStep};
use minds_sources::{Identity, ItemKey};

use crate::hooks::Hooks;
use crate::{ItemChange, ItemStep, Preview, SourceStep};

/// Returns the preview of a plan, with its hooks.
pub(crate) fn preview(
    sources: Vec<SourceStep>,
    plan: &Plan,
    hooks: &Hooks<'_>,
    is_named: &dyn Fn(&Identity) -> bool,
    source_hooks: &[(PlannedHook, bool)],
) -> Preview {
    let renamed: BTreeSet<&ItemKey> =
        plan.installs.iter().filter_map(|step| step.renamed_from.as_ref()).collect();
    let removed = plan.removals.iter().filter(|step| !renamed.contains(&step.record.key));
    let items = removed.map(removal_step).chain(plan.installs.iter().map(install_step)).collect();
    let of_items = plan.hooks().map(|hook| hooks.step(hook, is_named(&hook.source)));
    let of_sources = source_hooks.iter().map(|(hook, is_named)| hooks.step(hook, *is_named));
    let steps = of_sources.chain(of_items).collect::<Vec<_>>();
    let warnings = hooks.unmatched_hash_warnings(&steps);
    Preview { sources, items, hooks: steps, warnings }
}

/// Returns the step for an item that is installed.
pub(crate) fn install_step(step: &InstallStep) -> ItemStep {
    let change = match (&step.renamed_from, &step.found) {
        (Some(_), _) => ItemChange::Rename,
        (None, Occupant::Nothing) => ItemChange::Install,
        (None, _) => ItemChange::Replace,
    };
    ItemStep {
        key: step.record.key.clone(),
        source: step.record.source.to_string(),
        change,
        is_dependency: step.reason == Reason::Needed,
        links: step.links.iter().map(|link| link.at.to_string()).collect(),
        replaces: step.links.iter().filter(|link| link.is_forced).map(|link| link.at.to_string()).collect(),
    }
}

/// Returns the step for an item that is removed.
pub(crate) fn removal_step(step: &RemoveStep) -> ItemStep {
    ItemStep {
        key: step.record.key.clone(),
        source: step.record.source.to_string(),
        change: ItemChange::Remove,
        is_dependency: false,
        links: step.unlinks.iter().map(|unlink| unlink.at.to_string()).collect(),
        replaces: Vec::new(),
    }
}

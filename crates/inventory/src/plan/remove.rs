//! Planning removals.

use std::collections::{BTreeMap, BTreeSet};

use minds_sources::{Identity, ItemKey, Refusal, RefusalKind};

use super::consent::version_of;
use super::install::is_own_occupant;
use super::step::{KeptPath, Plan, RemoveStep, Unlink};
use super::{HookOwner, InventoryContext, Occupant, Places, PlannedHook};
use crate::reference::ambiguous;
use crate::{AbsolutePath, InstalledItem, InstalledItems, Reference};

/// The items to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoveRequest {
    /// The items, by kind and the name under which they are installed.
    pub items: BTreeSet<ItemKey>,
    /// Whether modified files are removed.
    pub is_forced: bool,
}

impl RemoveRequest {
    /// Creates a request for the installed items that `reference` matches.
    ///
    /// # Errors
    ///
    /// Fails if no item matches, or several match and the reference is not a pattern.
    pub fn by_reference(
        installed: &InstalledItems,
        reference: &Reference,
        is_forced: bool,
    ) -> Result<Self, Refusal> {
        let found = installed.items.values().filter(|item| reference.matches(&item.source, &item.key));
        let found: Vec<&InstalledItem> = found.collect();
        match found.as_slice() {
            [] => {
                let message = format!("no installed item matches `{}`", reference.as_str());
                Err(Refusal::new(RefusalKind::NotFound, message))
            }
            [_, _, ..] if !reference.is_pattern() => {
                let names = found.iter().map(|item| format!("{}#{}", item.source, item.key));
                Err(ambiguous(reference.as_str(), names))
            }
            _ => Ok(Self { items: found.iter().map(|item| item.key.clone()).collect(), is_forced }),
        }
    }

    /// Creates a request for everything that is installed from a source.
    pub fn of_source(installed: &InstalledItems, source: &Identity, is_forced: bool) -> Self {
        Self { items: installed.of(source).map(|item| item.key.clone()).collect(), is_forced }
    }

    /// Returns the remaining items that depend on removed ones, each with these dependencies.
    pub fn dependents(&self, installed: &InstalledItems) -> BTreeMap<ItemKey, Vec<ItemKey>> {
        let remaining = installed.items.values().filter(|item| !self.items.contains(&item.key));
        let needed = |item: &InstalledItem| -> Vec<ItemKey> {
            item.dependencies.iter().filter(|key| self.items.contains(key)).cloned().collect()
        };
        remaining
            .map(|item| (item.key.clone(), needed(item)))
            .filter(|(_, needed)| !needed.is_empty())
            .collect()
    }

    /// Returns the paths whose occupants are needed for planning.
    pub fn places(&self, context: &InventoryContext<'_>) -> BTreeSet<AbsolutePath> {
        let items = self.items.iter().filter_map(|key| context.installed.get(key));
        items.flat_map(|item| item.placed.keys().cloned().chain([context.store_path(&item.key)])).collect()
    }
}

/// Plans a removal. `places` has the occupants of all of [`RemoveRequest::places`].
///
/// Only what this program placed is removed: links to where the item is stored, and copies with the copied
/// bytes. Anything else is kept, and listed in the plan. An item whose stored files were modified is refused
/// without `is_forced`.
pub fn remove(context: &InventoryContext<'_>, request: &RemoveRequest, places: &Places) -> Plan {
    let mut plan = Plan::default();
    for key in sort_by_dependents(context.installed, &request.items) {
        let Some(record) = context.installed.get(&key) else {
            plan.refusals
                .push((key.clone(), Refusal::new(RefusalKind::NotFound, format!("{key} is not installed"))));
            continue;
        };
        let step = remove_step(context, record, places);
        if step.drifted_from.is_some() && !request.is_forced {
            let at = context.store_path(&key);
            let message =
                format!("the installed files of {key} in `{at}` were modified; `--force` removes them");
            plan.refusals.push((key, Refusal::new(RefusalKind::Drifted, message)));
        } else {
            plan.removals.push(step);
        }
    }
    plan
}

pub(super) fn remove_step(
    context: &InventoryContext<'_>,
    record: &InstalledItem,
    places: &Places,
) -> RemoveStep {
    let at = context.store_path(&record.key);
    let found = places.get(&at).cloned().unwrap_or(Occupant::Other);
    let is_as_stored = matches!(&found, Occupant::Content(hash) if *hash == record.stored);
    let mut step = RemoveStep {
        store: record.store_path(),
        drifted_from: (!is_as_stored && found != Occupant::Nothing).then_some(record.stored),
        found,
        unlinks: Vec::new(),
        kept: Vec::new(),
        hooks: Vec::new(),
        record: record.clone(),
    };
    for at in record.placed.keys() {
        match places.get(at) {
            Some(Occupant::Nothing) => {}
            Some(found) if is_own_occupant(context, Some(record), at, found) => {
                step.unlinks.push(Unlink { at: at.clone(), found: found.clone() });
            }
            found => step.kept.push(KeptPath { at: at.clone(), found: found.cloned() }),
        }
    }
    let owner = || HookOwner::Item(record.key.clone());
    let hooks = record.uninstall.iter().cloned();
    let version = match step.found {
        Occupant::Content(files) => version_of(record.commit.as_deref(), files),
        _ => "no files".to_owned(),
    };
    step.hooks =
        hooks.map(|hook| PlannedHook::new(record.source.clone(), owner(), hook, version.clone())).collect();
    step
}

/// Returns the items with dependents first; in a cycle, sorted by name.
fn sort_by_dependents(installed: &InstalledItems, items: &BTreeSet<ItemKey>) -> Vec<ItemKey> {
    let needs =
        |key: &ItemKey| installed.get(key).map(|item| item.dependencies.as_slice()).unwrap_or_default();
    let mut order = Vec::with_capacity(items.len());
    let mut seen: BTreeSet<&ItemKey> = BTreeSet::new();
    for start in items {
        if !seen.insert(start) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((key, next)) = stack.pop() {
            let Some(need) = needs(key).get(next) else {
                order.push(key.clone());
                continue;
            };
            stack.push((key, next + 1));
            if items.contains(need) && seen.insert(need) {
                stack.push((need, 0));
            }
        }
    }
    order.reverse();
    order
}

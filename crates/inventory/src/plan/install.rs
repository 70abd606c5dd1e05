//! Planning installations.

use std::collections::{BTreeMap, BTreeSet};

use minds_sources::{
    Hook, HookEvent, ItemContent, ItemKey, OfferedItem, Refusal, RefusalKind, Renderer, SourceItems,
};
use minds_vfs::{ContentHash, WorkspacePath};

use super::claims::Claims;
use super::consent::version_of;
use super::remove::remove_step;
use super::select::Origins;
use super::step::{InstallStep, LinkStep, Plan, Reason, RemoveStep, Unlink};
use super::{HookOwner, InstallRequest, InventoryContext, Occupant, Places, PlannedHook, SelectedItem};
use crate::{AbsolutePath, InstalledItem, LobeMode, Placement, placement};

/// Plans an installation. `places` has the occupants of all of [`InstallRequest::places`].
///
/// An item that cannot be installed is refused with the reason, and the other requested items of its source
/// are withheld, except in an upgrade, where items are independent of each other. The result is
/// deterministic.
pub fn install(context: &InventoryContext<'_>, request: &InstallRequest, places: &Places) -> Plan {
    let mut planner = Planner {
        context,
        places,
        is_forced: request.is_forced,
        origins: Origins::of(context.installed),
        claims: Claims::of(context.installed),
        renderers: BTreeMap::new(),
        plan: Plan::default(),
    };
    let mut refused_sources = BTreeSet::new();
    let mut refused = BTreeSet::new();
    let mut keys = Vec::new();
    for selected in &request.items {
        let Some((source, offered)) = context.inventory.get(selected.at) else { continue };
        let needs = source.graph.needs(selected.at.item);
        let missing = needs.iter().find(|need| refused.contains(&(selected.at.source, **need)));
        let step = match missing.and_then(|need| source.items.get(*need)) {
            Some(need) => {
                let message = format!("{} depends on {}, which is refused", offered.key, need.key);
                Err(Refusal::new(RefusalKind::UnresolvedReference, message))
            }
            None => planner.step(selected, source, offered),
        };
        match step {
            Ok(Step::Unchanged) => planner.plan.unchanged.push(offered.key.clone()),
            Ok(Step::Install(step, removals)) => {
                keys.push((selected.at.source, selected.reason));
                planner.plan.installs.push(*step);
                planner.plan.removals.extend(removals);
            }
            Err(refusal) => {
                refused.insert((selected.at.source, selected.at.item));
                if selected.reason != Reason::Outdated {
                    refused_sources.insert(selected.at.source);
                }
                planner.plan.refusals.push((offered.key.clone(), refusal));
            }
        }
    }
    withhold(planner.plan, &keys, &refused_sources)
}

/// Removes the steps that install items of a refused source, and the removals of their previous names.
fn withhold(mut plan: Plan, keys: &[(usize, Reason)], refused: &BTreeSet<usize>) -> Plan {
    let mut index = 0;
    let mut renamed = BTreeSet::new();
    plan.installs.retain(|step| {
        let is_withheld = keys
            .get(index)
            .is_some_and(|(source, reason)| refused.contains(source) && *reason != Reason::Outdated);
        index += 1;
        if is_withheld {
            plan.withheld.push(step.record.key.clone());
            renamed.extend(step.renamed_from.clone());
        }
        !is_withheld
    });
    plan.removals.retain(|step| !renamed.contains(&step.record.key));
    plan
}

enum Step {
    Unchanged,
    Install(Box<InstallStep>, Vec<RemoveStep>),
}

struct Planner<'p> {
    context: &'p InventoryContext<'p>,
    places: &'p Places,
    is_forced: bool,
    origins: Origins<'p>,
    claims: Claims,
    renderers: BTreeMap<usize, Renderer<'p>>,
    plan: Plan,
}

impl<'p> Planner<'p> {
    fn step(
        &mut self,
        selected: &SelectedItem,
        source: &SourceItems,
        offered: &OfferedItem,
    ) -> Result<Step, Refusal> {
        if let Some(problem) = source.graph.problem(selected.at.item) {
            offered.content.as_ref().map_err(Clone::clone)?;
            return Err(problem.clone());
        }
        let (content, rendered) = self.render(selected, offered)?;
        let hash = offered.hash.unwrap_or(rendered);
        let previous = self.find_previous(source, offered)?;
        let place = placement(offered.key.kind, &offered.key.name, offered.item.link.as_ref())
            .map_err(|error| Refusal::new(RefusalKind::BadLink, format!("{}: {error}", offered.key)))?;
        let found = self.check_store(&offered.key, previous)?;
        let links = self.plan_links(&offered.key, place.as_ref(), previous, rendered)?;
        let is_same = previous.is_some_and(|record| {
            record.key == offered.key
                && record.hash == hash
                && record.rendered == rendered
                && record.link == offered.item.link
                && found == Occupant::Content(record.stored)
                && links.iter().all(|link| is_placed(record, link))
        });
        if is_same {
            self.claims.claim(&offered.key, links.iter().map(|link| &link.at))?;
            return Ok(Step::Unchanged);
        }
        let record = new_record(source, selected, offered, hash, rendered);
        let version = version_of(source.commit.as_deref(), rendered);
        let mut step = InstallStep {
            reason: selected.reason,
            record,
            content,
            found,
            renamed_from: previous.map(|record| &record.key).filter(|key| **key != offered.key).cloned(),
            links,
            unlinks: Vec::new(),
            build: None,
            hooks: plan_hooks(source, &offered.key, &offered.item.hooks, &version),
        };
        step.build = offered.item.build.as_ref().map(|run| {
            let hook = Hook { run: run.clone(), name: None, is_optional: false, event: HookEvent::Install };
            PlannedHook::new(source.identity.clone(), HookOwner::Build(offered.key.clone()), hook, version)
        });
        for link in &step.links {
            step.record.placed.insert(link.at.clone(), placement_for(link.mode, rendered));
        }
        self.claims.claim(&offered.key, step.links.iter().map(|link| &link.at))?;
        let removals = self.supersede(&mut step, place.as_ref(), previous);
        Ok(Step::Install(Box::new(step), removals))
    }

    /// Returns the content that is installed for an item, and its hash.
    fn render(
        &mut self,
        selected: &SelectedItem,
        offered: &OfferedItem,
    ) -> Result<(ItemContent, ContentHash), Refusal> {
        let Some(source) = self.context.inventory.sources().get(selected.at.source) else {
            return Err(Refusal::new(RefusalKind::BrokenSource, "its source was not read"));
        };
        let home = self.context.home.display_with_home(self.context.user_home);
        let renderer =
            self.renderers.entry(selected.at.source).or_insert_with(|| Renderer::new(source, home));
        Ok((renderer.render(offered)?, renderer.hash(offered)?))
    }

    /// Returns what was previously installed from the item; refuses one whose name belongs to another item.
    fn find_previous(
        &self,
        source: &SourceItems,
        offered: &OfferedItem,
    ) -> Result<Option<&'p InstalledItem>, Refusal> {
        let installed = self.origins.installed_from(&source.identity, &offered.item);
        let previous = installed.iter().find(|item| item.key == offered.key).or(installed.first()).copied();
        self.claims.check_name(&offered.key, previous.map(|item| &item.key))?;
        Ok(previous)
    }

    /// Returns the occupant of the path in the store; refuses to overwrite modified files.
    fn check_store(&self, key: &ItemKey, previous: Option<&InstalledItem>) -> Result<Occupant, Refusal> {
        let at = self.context.store_path(key);
        let found = self.places.get(&at).cloned().unwrap_or(Occupant::Other);
        let expected = previous.filter(|record| record.key == *key).map(|record| record.stored);
        match (&found, expected) {
            (Occupant::Nothing, _) => Ok(found),
            (Occupant::Content(hash), Some(stored)) if *hash == stored => Ok(found),
            _ if self.is_forced => Ok(found),
            (_, Some(_)) => Err(Refusal::new(
                RefusalKind::Drifted,
                format!("the installed files of {key} in `{at}` were modified; `--force` replaces them"),
            )),
            (_, None) => Err(Refusal::new(
                RefusalKind::Occupied,
                format!("`{at}`, where {key} would be stored, already exists; `--force` replaces it"),
            )),
        }
    }

    fn plan_links(
        &self,
        key: &ItemKey,
        place: Option<&WorkspacePath>,
        previous: Option<&InstalledItem>,
        rendered: ContentHash,
    ) -> Result<Vec<LinkStep>, Refusal> {
        let Some(place) = place else { return Ok(Vec::new()) };
        let target = self.context.store_path(key);
        let mut links = Vec::with_capacity(self.context.lobes.len());
        for lobe in self.context.lobes {
            let at = lobe.path.join(place);
            self.claims.check_place(key, previous.map(|item| &item.key), &at)?;
            let found = self.places.get(&at).cloned().unwrap_or(Occupant::Other);
            let is_ours = match &found {
                Occupant::Nothing => true,
                Occupant::Link(to) => {
                    *to == target.as_str() || is_own_occupant(self.context, previous, &at, &found)
                }
                // No data is lost if the bytes are the same.
                Occupant::Content(hash) => {
                    *hash == rendered || is_own_occupant(self.context, previous, &at, &found)
                }
                Occupant::Other => false,
            };
            if !is_ours {
                let may_replace = self.is_forced && found != Occupant::Other;
                if !may_replace {
                    return Err(occupied_error(key, &at, previous, &found));
                }
            }
            links.push(LinkStep { at, mode: lobe.mode, target: target.clone(), found, is_forced: !is_ours });
        }
        Ok(links)
    }

    /// Plans to clear what the previous item leaves: everything if it was renamed, otherwise paths at which
    /// it is no longer placed. Paths in homes that are no longer configured stay, because their links still
    /// work.
    fn supersede(
        &self,
        step: &mut InstallStep,
        place: Option<&WorkspacePath>,
        previous: Option<&InstalledItem>,
    ) -> Vec<RemoveStep> {
        let Some(previous) = previous else { return Vec::new() };
        let is_new = |at: &AbsolutePath, step: &InstallStep| step.links.iter().any(|link| link.at == *at);
        if previous.key != step.record.key {
            let mut removal = remove_step(self.context, previous, self.places);
            removal.unlinks.retain(|unlink| !is_new(&unlink.at, step));
            removal.kept.retain(|kept| !is_new(&kept.at, step));
            // This is a renaming, not a removal, so no hooks run.
            removal.hooks.clear();
            return vec![removal];
        }
        let old_place =
            placement(previous.key.kind, &previous.key.name, previous.link.as_ref()).ok().flatten();
        let has_moved = old_place.as_ref() != place;
        for (at, placed) in &previous.placed {
            if is_new(at, step) {
                continue;
            }
            let found = self.places.get(at).cloned().unwrap_or(Occupant::Other);
            if !has_moved {
                step.record.placed.insert(at.clone(), *placed);
            } else if is_own_occupant(self.context, Some(previous), at, &found) {
                step.unlinks.push(Unlink { at: at.clone(), found });
            }
        }
        Vec::new()
    }
}

/// Returns whether the occupant of `at` was placed there for `record`: a link to where it is stored, or a
/// copy with the copied bytes.
pub(super) fn is_own_occupant(
    context: &InventoryContext<'_>,
    record: Option<&InstalledItem>,
    at: &AbsolutePath,
    found: &Occupant,
) -> bool {
    let Some(record) = record else { return false };
    match (record.placed.get(at), found) {
        (Some(Placement::Link), Occupant::Link(to)) => *to == context.store_path(&record.key).as_str(),
        (Some(Placement::Copy(hash)), Occupant::Content(found)) => hash == found,
        _ => false,
    }
}

fn is_placed(record: &InstalledItem, link: &LinkStep) -> bool {
    match (record.placed.get(&link.at), link.mode, &link.found) {
        (Some(Placement::Link), LobeMode::Link, Occupant::Link(to)) => *to == link.target.as_str(),
        (Some(Placement::Copy(hash)), LobeMode::Copy, Occupant::Content(found)) => hash == found,
        _ => false,
    }
}

fn placement_for(mode: LobeMode, rendered: ContentHash) -> Placement {
    match mode {
        LobeMode::Link => Placement::Link,
        LobeMode::Copy => Placement::Copy(rendered),
    }
}

fn occupied_error(
    key: &ItemKey,
    at: &AbsolutePath,
    previous: Option<&InstalledItem>,
    found: &Occupant,
) -> Refusal {
    let is_changed_copy =
        previous.is_some_and(|record| matches!(record.placed.get(at), Some(Placement::Copy(_))));
    if is_changed_copy && matches!(found, Occupant::Content(_)) {
        let message = format!("the copy of {key} in `{at}` was modified; `--force` replaces it");
        return Refusal::new(RefusalKind::Drifted, message);
    }
    let help = match found {
        Occupant::Other => "move it to another path",
        _ => "move it to another path, or replace it with `--force`",
    };
    Refusal::new(
        RefusalKind::Occupied,
        format!("`{at}`, where {key} would be linked, is already taken; {help}"),
    )
}

fn plan_hooks(source: &SourceItems, key: &ItemKey, hooks: &[Hook], version: &str) -> Vec<PlannedHook> {
    let hooks = hooks.iter().filter(|hook| hook.event == HookEvent::Install).cloned();
    let owner = || HookOwner::Item(key.clone());
    hooks.map(|hook| PlannedHook::new(source.identity.clone(), owner(), hook, version.to_owned())).collect()
}

fn new_record(
    source: &SourceItems,
    selected: &SelectedItem,
    offered: &OfferedItem,
    hash: ContentHash,
    rendered: ContentHash,
) -> InstalledItem {
    let needs = source.graph.needs(selected.at.item).iter();
    let uninstall = offered.item.hooks.iter().filter(|hook| hook.event == HookEvent::Uninstall);
    InstalledItem {
        key: offered.key.clone(),
        bare_name: offered.item.name.clone(),
        source: source.identity.clone(),
        commit: source.commit.clone(),
        hash,
        rendered,
        stored: rendered,
        placed: BTreeMap::new(),
        link: offered.item.link.clone(),
        description: offered.item.description.clone(),
        dependencies: needs.filter_map(|need| source.items.get(*need)).map(|need| need.key.clone()).collect(),
        uninstall: uninstall.cloned().collect(),
    }
}

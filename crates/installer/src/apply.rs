//! Applying a plan, with the hooks of its items.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use minds_fs::install::PlaceState;
use minds_inventory::plan::{InstallStep, Occupant, Plan};
use minds_inventory::{AbsolutePath, InstalledItem, InstalledItems, Placement, Registry};
use minds_sources::{HookEvent, Identity, ItemContent, ItemKey};
use minds_vfs::WorkspacePath;

use crate::home::{Home, std_path};
use crate::staging::{Staging, changed_since_plan, replace_content, set_stored, split_home};
use crate::{HookDecision, HookStep, Outcome, SourceError, content, hooks, preview};

/// Applies a plan: runs builds, then uninstall hooks, then changes all files in one transaction, and then
/// runs install hooks. If a hook fails, its item is rolled back to its previous state.
///
/// `steps` are the hooks as they were shown, with their decisions.
///
/// # Errors
///
/// Fails before anything is changed. Failures of single items are reported in the outcome.
pub(crate) fn apply_plan(
    home: &Home,
    mut staging: Staging<'_>,
    mut plan: Plan,
    registry: Option<&Registry>,
    steps: &[HookStep],
    outcome: &mut Outcome,
) -> Result<InstalledItems, SourceError> {
    build(home, &mut staging, &mut plan, steps, outcome)?;
    expect_unchanged_since_plan(home, &plan)?;
    run_uninstall_hooks(home, &mut staging, &mut plan, steps, outcome)?;
    let hooked: BTreeSet<ItemKey> =
        steps.iter().filter(|step| runs_after(step)).filter_map(|step| step.item.clone()).collect();
    let previous = read_previous_contents(home, &plan, &hooked)?;
    let mut installed = staging.stage_plan(&plan, &home.installed)?;
    staging.commit(registry, Some(&installed))?;
    let failed = run_install_hooks(home, &mut installed, &plan, &previous, registry, steps, outcome)?;
    for step in &plan.installs {
        if !failed.contains(&step.record.key) {
            outcome.installed.push(preview::install_step(step));
        }
    }
    let renamed: BTreeSet<&ItemKey> =
        plan.installs.iter().filter_map(|step| step.renamed_from.as_ref()).collect();
    for step in &plan.removals {
        for kept in &step.kept {
            outcome
                .notes
                .push(format!("`{}` is kept, because minds did not create it or it was modified", kept.at));
        }
        if !renamed.contains(&step.record.key) {
            outcome.removed.push(preview::removal_step(step));
        }
    }
    for (key, refusal) in std::mem::take(&mut plan.refusals) {
        outcome.failures.push(SourceError::from(refusal).with_target(key));
    }
    Ok(installed)
}

fn runs_after(step: &HookStep) -> bool {
    step.decision == HookDecision::Accepted && step.event == Some(HookEvent::Install) && step.item.is_some()
}

/// Returns the hooks of an item at an event; without an event, those of its build.
fn hooks_of_item<'s>(
    steps: &'s [HookStep],
    key: &ItemKey,
    source: &Identity,
    event: Option<HookEvent>,
) -> impl Iterator<Item = &'s HookStep> {
    let (key, source) = (key.clone(), source.to_string());
    steps
        .iter()
        .filter(move |step| step.item.as_ref() == Some(&key) && step.source == source && step.event == event)
}

/// Notes that a hook did not run because the user did not consent.
fn note_skipped_hook(step: &HookStep, outcome: &mut Outcome) {
    let whose = step.item.as_ref().map_or_else(|| step.source.clone(), ToString::to_string);
    let event = step.event.map_or("build", HookEvent::name);
    outcome.notes.push(format!(
        "the {event} hook of {whose} did not run, so it may not work; use `--accept-hooks {}` to run it: {}",
        step.hash, step.run
    ));
}

/// Builds tools, each in a temporary folder. A tool whose build fails is not installed.
fn build(
    home: &Home,
    staging: &mut Staging<'_>,
    plan: &mut Plan,
    steps: &[HookStep],
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let mut failed = BTreeSet::new();
    for install in &mut plan.installs {
        let (key, source) = (install.record.key.clone(), install.record.source.clone());
        for step in hooks_of_item(steps, &key, &source, None) {
            if step.decision != HookDecision::Accepted {
                note_skipped_hook(step, outcome);
                continue;
            }
            let at = staging.new_path("build")?;
            let folder = staging.write(&at, &install.content)?;
            let (run, result) = hooks::run(step, &folder);
            outcome.ran.push(run);
            let built =
                result.and_then(|()| read_content(home, &at).map_err(|error| error.with_target(&key)));
            match built {
                Ok(Some(content)) => replace_content(install, content),
                Ok(None) => {}
                Err(error) => {
                    failed.insert(key.clone());
                    outcome.failures.push(error);
                }
            }
        }
    }
    drop_items(plan, &failed);
    Ok(())
}

/// Runs uninstall hooks. An item whose hook fails is not removed.
pub(crate) fn run_uninstall_hooks(
    home: &Home,
    staging: &mut Staging<'_>,
    plan: &mut Plan,
    steps: &[HookStep],
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let mut failed = BTreeSet::new();
    for removal in plan.removals.iter().filter(|removal| !removal.hooks.is_empty()) {
        let (key, source) = (&removal.record.key, &removal.record.source);
        let mut has_run = false;
        for step in hooks_of_item(steps, key, source, Some(HookEvent::Uninstall)) {
            if step.decision != HookDecision::Accepted {
                note_skipped_hook(step, outcome);
                continue;
            }
            let is_planned = has_run || removal.found == occupant(home, &removal.store);
            has_run = true;
            let folder = folder_of(home, staging, key, &removal.store)?;
            let result = run_planned(is_planned, step, &folder, outcome);
            if let Err(error) = result {
                failed.insert(key.clone());
                outcome.failures.push(error);
                break;
            }
        }
    }
    plan.removals.retain(|removal| !failed.contains(&removal.record.key));
    Ok(())
}

/// Runs a hook if its files are still those that consent was given for.
fn run_planned(
    is_planned: bool,
    step: &HookStep,
    folder: &Path,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    if !is_planned {
        return Err(changed_since_plan(&folder.to_string_lossy()));
    }
    let (run, result) = hooks::run(step, folder);
    outcome.ran.push(run);
    result
}

/// Returns the occupant of a path in the store.
fn occupant(home: &Home, at: &WorkspacePath) -> Occupant {
    match read_content(home, at) {
        Ok(Some(content)) => Occupant::Content(content.hash()),
        Ok(None) => Occupant::Nothing,
        Err(_) => Occupant::Other,
    }
}

/// Returns the folder in which hooks of an item run: its own folder in the store, or for a file a temporary
/// folder with a copy.
fn folder_of(
    home: &Home,
    staging: &mut Staging<'_>,
    key: &ItemKey,
    store: &WorkspacePath,
) -> Result<std::path::PathBuf, SourceError> {
    if key.kind.is_folder() {
        return Ok(std_path(&home.place.join(store)));
    }
    let folder = staging.new_path("hook")?;
    let file = WorkspacePath::parse(&format!("{}.md", key.name)).unwrap_or_default();
    let files = match read_content(home, store)? {
        Some(ItemContent::File(content)) => BTreeMap::from([(file, content)]),
        _ => BTreeMap::new(),
    };
    staging.write(&folder, &ItemContent::Folder(files))
}

/// Checks that the files that a plan replaces or removes did not change since, for example while the user was
/// asked.
fn expect_unchanged_since_plan(home: &Home, plan: &Plan) -> Result<(), SourceError> {
    let replaced = plan.replaced_occupants(&home.place);
    let now = home.occupants(&replaced.keys().cloned().collect())?;
    match replaced.iter().find(|(at, planned)| now.get(*at) != Some(*planned)) {
        Some((at, _)) => Err(changed_since_plan(at.as_str())),
        None => Ok(()),
    }
}

/// Returns the stored content of items with hooks, to restore it if a hook fails.
fn read_previous_contents(
    home: &Home,
    plan: &Plan,
    hooked: &BTreeSet<ItemKey>,
) -> Result<BTreeMap<ItemKey, ItemContent>, SourceError> {
    let mut previous = BTreeMap::new();
    for step in plan.installs.iter().filter(|step| hooked.contains(&step.record.key)) {
        let key = step.renamed_from.as_ref().unwrap_or(&step.record.key);
        let Some(record) = home.installed.get(key) else { continue };
        if let Some(content) = read_content(home, &record.store_path())? {
            previous.insert(step.record.key.clone(), content);
        }
    }
    Ok(previous)
}

/// Runs install hooks, and rolls back the items whose hook fails.
fn run_install_hooks(
    home: &Home,
    installed: &mut InstalledItems,
    plan: &Plan,
    previous: &BTreeMap<ItemKey, ItemContent>,
    registry: Option<&Registry>,
    steps: &[HookStep],
    outcome: &mut Outcome,
) -> Result<BTreeSet<ItemKey>, SourceError> {
    let mut failed = BTreeSet::new();
    let hooked = plan.installs.iter().filter(|step| !step.hooks.is_empty());
    let mut staging: Option<Staging<'_>> = None;
    let mut is_changed = false;
    for install in hooked {
        let (key, source) = (&install.record.key, &install.record.source);
        let mut has_run = false;
        for step in hooks_of_item(steps, key, source, Some(HookEvent::Install)) {
            if step.decision != HookDecision::Accepted {
                note_skipped_hook(step, outcome);
                continue;
            }
            // Changes by the previous hook of the item are expected.
            let found = || occupant(home, &install.record.store_path());
            let is_planned = has_run || found() == Occupant::Content(install.record.stored);
            has_run = true;
            let staging = match &mut staging {
                Some(staging) => staging,
                none => none.insert(Staging::begin(home)?),
            };
            let folder = folder_of(home, staging, key, &install.record.store_path())?;
            let result = run_planned(is_planned, step, &folder, outcome);
            if let Err(error) = result {
                roll_back_item(home, staging, installed, install, previous.get(key))?;
                failed.insert(key.clone());
                outcome.failures.push(error);
                is_changed = true;
                break;
            }
        }
        if has_run && !failed.contains(key) {
            let stored = read_content(home, &install.record.store_path()).ok().flatten();
            if let (Some(content), Some(record)) = (stored, installed.items.get_mut(key)) {
                let hash = content.hash();
                if record.stored != hash {
                    let staging = match &mut staging {
                        Some(staging) => staging,
                        none => none.insert(Staging::begin(home)?),
                    };
                    refresh_copies(staging, record)?;
                    set_stored(record, hash);
                    is_changed = true;
                }
            }
        }
    }
    if is_changed {
        let staging = match staging {
            Some(staging) => staging,
            None => Staging::begin(home)?,
        };
        // The lock file depends on the registry and the installed items.
        staging.commit(registry, Some(installed))?;
    }
    Ok(failed)
}

/// Stages new copies of an item after its hooks changed the stored content.
fn refresh_copies(staging: &mut Staging<'_>, record: &InstalledItem) -> Result<(), SourceError> {
    let copies = record.placed.iter().filter(|(_, placed)| matches!(placed, Placement::Copy(_)));
    for (at, _) in copies {
        let (lobe, inside) = split_home(at)?;
        let now = minds_fs::install::inspect(&lobe, &inside)?;
        staging.transaction.copy(&lobe, inside, record.store_path(), now);
    }
    Ok(())
}

/// Stages the restoration of an item to its state before the installation: the previous version, or nothing.
fn roll_back_item(
    home: &Home,
    staging: &mut Staging<'_>,
    installed: &mut InstalledItems,
    install: &InstallStep,
    previous: Option<&ItemContent>,
) -> Result<(), SourceError> {
    let key = &install.record.key;
    let old_key = install.renamed_from.as_ref().unwrap_or(key);
    let old = home.installed.get(old_key).zip(previous);
    let is_kept = |at: &AbsolutePath| old.is_some_and(|(record, _)| record.placed.contains_key(at));
    for link in &install.links {
        let (lobe, inside) = split_home(&link.at)?;
        let now = minds_fs::install::inspect(&lobe, &inside)?;
        let was_nothing = matches!(link.found, Occupant::Nothing);
        if !is_kept(&link.at) && was_nothing && now != PlaceState::Nothing {
            staging.transaction.unlink(&lobe, inside, now);
        }
    }
    installed.items.remove(key);
    match old {
        Some((record, content)) => {
            let at = staging.new_path("earlier")?;
            staging.write(&at, content)?;
            staging.transaction.put(at, record.store_path());
            if record.key != *key {
                staging.transaction.remove(install.record.store_path());
            }
            for (at, placed) in &record.placed {
                let (lobe, inside) = split_home(at)?;
                let now = minds_fs::install::inspect(&lobe, &inside)?;
                match placed {
                    Placement::Link => {
                        let target = home.place.join(&record.store_path());
                        staging.transaction.link(&lobe, inside, target.as_str(), now);
                    }
                    Placement::Copy(_) => staging.transaction.copy(&lobe, inside, record.store_path(), now),
                }
            }
            let mut record = record.clone();
            set_stored(&mut record, content.hash());
            installed.items.insert(record.key.clone(), record);
        }
        None => staging.transaction.remove(install.record.store_path()),
    }
    Ok(())
}

/// Removes items from a plan, with the removals that their installation implies.
pub(crate) fn drop_items(plan: &mut Plan, dropped: &BTreeSet<ItemKey>) {
    let mut renamed = BTreeSet::new();
    plan.installs.retain(|step| {
        let is_dropped = dropped.contains(&step.record.key);
        if is_dropped {
            renamed.extend(step.renamed_from.clone());
        }
        !is_dropped
    });
    plan.removals.retain(|step| !renamed.contains(&step.record.key));
}

/// Reads the content of an item at a path in the data directory.
fn read_content(home: &Home, at: &WorkspacePath) -> Result<Option<ItemContent>, SourceError> {
    let root = home.root()?;
    let found = content::read(&mut |survey| Ok(root.survey(survey)), &[(at.clone(), true)])?;
    Ok(found.into_iter().next().unwrap_or(Ok(None))?)
}

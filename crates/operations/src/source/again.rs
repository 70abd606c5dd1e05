//! Melding a source that is already registered.

use std::collections::BTreeSet;

use minds_sources::plan::{Plan, install};
use minds_sources::{Alias, HookRecord, Identity, Inventory, Registry, Selection};

use super::act::act;
use super::clones::Clones;
use super::execute::Execution;
use super::files::{self, ReadSource};
use super::gather::{Gathered, Gathering};
use super::home::Home;
use super::hooks::{self, Hooks};
use super::learn::world;
use super::melding::{Melding, refusals, step};
use super::source_hooks::{note_versions, of_install, remember};
use super::{Consent, Desk, MeldRequest, Outcome, SourceError, SourceStep, Terms, shown};

/// Melds a source that is already registered: installs its missing items, and changes its prefix if one is
/// given.
pub(super) fn again(
    home: &Home,
    identity: &Identity,
    request: &MeldRequest,
    alias: &Alias,
    consent: &Consent,
    terms: &Terms,
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let mut outcome = Outcome::new("meld", Some(identity.to_string()));
    let mut registry: Registry = home.registry.clone();
    for (is_given, flag) in [
        (request.pin.is_some(), "the pin"),
        (!request.roots.is_empty(), "`--root`"),
        (request.install_hook.is_some(), "`--install-hook`"),
    ] {
        if is_given {
            let message = format!(
                "{identity} is already registered, so {flag} has no effect; remove it first with `minds source unmeld`"
            );
            outcome.notes.push(message);
        }
    }
    if let Some(known) = registry.find_mut(identity).filter(|_| request.alias.is_some()) {
        if known.alias != *alias {
            outcome.notes.push(match alias {
                Alias::Prefix(prefix) => format!("{identity} now has the prefix `{prefix}`"),
                Alias::Declared | Alias::None => format!("{identity} now has no prefix"),
            });
        }
        known.alias = alias.clone();
    }
    let Some(known) = registry.find(identity).cloned() else { return Ok(outcome) };
    let mut git = None;
    let execution = Execution::begin(home)?;
    let mut clones = Clones::below(execution.transaction.folder().clone());
    let mut read = files::read(home, &mut git, &known)?;
    read.registered = known;
    let mut gathered = Gathered::default();
    let mut gathering =
        Gathering { home, git: &mut git, clones: &mut clones, terms: *terms, desk: &mut *desk };
    gathering.bring_along_new(std::slice::from_ref(&read), &mut gathered);
    outcome.notes.append(&mut gathered.notes);
    outcome.skipped.append(&mut gathered.skipped);
    outcome.failures.append(&mut gathered.failures);
    let rest: BTreeSet<&Identity> =
        gathered.known.iter().map(|(known, _)| known).filter(|known| *known != identity).collect();
    let others = super::learn::inventory_of(home, &mut git, &rest, &mut outcome);
    let mut offered = vec![read.items()?];
    for source in &gathered.sources {
        offered.push(source.read.items()?);
    }
    offered.extend(others.sources().to_vec());
    let inventory = Inventory::new(offered);
    let melding = Melding {
        home,
        consent,
        request,
        execution,
        clones,
        first: Some(identity.clone()),
        is_strict: false,
    };
    let installs = consent.yes || consent.dry_run || desk.is_attended();
    let chain: Vec<(Identity, Selection)> = std::iter::once((identity.clone(), Selection::All))
        .chain(
            gathered
                .sources
                .iter()
                .map(|source| (source.read.registered.identity.clone(), source.selection.clone())),
        )
        .chain(gathered.known.iter().filter(|(known, _)| known != identity).cloned())
        .collect();
    let (plan, warnings) = if installs && !request.link_only {
        melding.plan(&inventory, &chain, &mut outcome)?
    } else if request.alias.is_some() {
        (rename(home, &inventory, identity, consent)?, Vec::new())
    } else {
        (Plan::default(), Vec::new())
    };
    outcome.notes.extend(warnings);
    finish(melding, &read, &gathered, plan, registry, desk, &mut outcome)?;
    if outcome.outcome == "no-op" {
        outcome.outcome = "already-melded";
    }
    Ok(outcome)
}

/// Plans the renaming of the installed items of a source.
fn rename(
    home: &Home,
    inventory: &Inventory,
    identity: &Identity,
    consent: &Consent,
) -> Result<Plan, SourceError> {
    let world = world(home, inventory);
    let wanted = minds_sources::plan::upgrade_request(&world, consent.force, |item| item.source == *identity);
    let places = home.occupants(&wanted.places(&world))?;
    Ok(install(&world, &wanted, &places))
}

fn finish(
    mut melding: Melding<'_>,
    own: &ReadSource,
    gathered: &Gathered,
    mut plan: Plan,
    mut registry: Registry,
    desk: &mut dyn Desk,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let new = gathered.sources.iter().map(|source| &source.read);
    let reads: Vec<&ReadSource> = std::iter::once(own).chain(new).collect();
    let mut source_hooks = melding.source_hooks(&reads);
    // Hooks that have already run are not offered again.
    source_hooks.retain(|(hook, _)| {
        let records = registry.find(&hook.source).map(|known| known.install_hooks.as_slice());
        let ran = |record: &HookRecord| record.hash == hook.hash && record.ran_at.is_some();
        !records.unwrap_or_default().iter().any(ran)
    });
    note_versions(&mut source_hooks, &reads)?;
    let steps: Vec<SourceStep> = gathered.sources.iter().map(step).collect();
    let sources = registry.sources.iter().chain(reads.iter().map(|read| &read.registered));
    let decide = Hooks::new(melding.consent, desk, sources);
    let first = melding.first.clone();
    let is_named = move |source: &Identity| Some(source) == first.as_ref();
    outcome.preview = shown::preview(steps, &plan, &decide, &is_named, &source_hooks);
    let is_same = outcome.preview.is_empty() && registry == melding.home.registry;
    if is_same {
        if melding.consent.dry_run {
            outcome.outcome = "dry-run";
        }
        refusals(plan, outcome);
        return Ok(());
    }
    if !melding.is_agreed(&mut plan, desk, outcome) {
        return Ok(());
    }
    let mut hook_steps = outcome.preview.hooks.clone();
    hooks::ask(&mut hook_steps, desk);
    let (records, broken) = melding.run_source_hooks(&reads, &source_hooks, &hook_steps, outcome)?;
    if let Some(known) = registry.find_mut(&own.registered.identity) {
        let records = records.get(&own.registered.identity).map(Vec::as_slice);
        remember(known, &of_install(own), records.unwrap_or_default());
    }
    melding.register(&gathered.sources, &(records, broken), &mut plan, &mut registry, outcome)?;
    act(melding.home, melding.execution, plan, Some(&registry), &hook_steps, outcome)?;
    Ok(())
}

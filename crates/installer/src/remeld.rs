//! Melding a source that is already registered.

use std::collections::BTreeSet;

use minds_inventory::plan::{Plan, install};
use minds_inventory::{Alias, HookRecord, Inventory, Registry};
use minds_sources::{Identity, Selection};

use crate::apply::apply_plan;
use crate::clones::Clones;
use crate::files::{self, ReadSource};
use crate::gather::{GatheredSources, Gatherer};
use crate::home::Home;
use crate::hooks::{self, Hooks};
use crate::learn::context;
use crate::registration::{Registration, refusals, step};
use crate::source_hooks::{of_install, record_hook_runs, set_versions};
use crate::staging::Staging;
use crate::{
    Action, Consent, FetchSettings, Interaction, MeldRequest, Outcome, OutcomeKind, SourceError, SourceStep,
    preview,
};

/// Melds a source that is already registered: installs its missing items, and changes its prefix if one is
/// given.
pub(crate) fn remeld(
    home: &Home,
    identity: &Identity,
    request: &MeldRequest,
    alias: &Alias,
    consent: &Consent,
    terms: &FetchSettings,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let mut outcome = Outcome::new(Action::Meld, Some(identity.to_string()));
    let mut registry: Registry = home.registry.clone();
    for (is_given, flag) in [
        (request.pin.is_some(), "the pin"),
        (!request.roots.is_empty(), "`--root`"),
        (request.install_hook.is_some(), "`--install-hook`"),
    ] {
        if is_given {
            let message = format!(
                "{identity} is already registered, so {flag} has no effect; remove it first with `minds source remove`"
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
    let staging = Staging::begin(home)?;
    let mut clones = Clones::new(staging.transaction.folder().clone());
    let mut read = files::read(home, &mut git, &known)?;
    read.registered = known;
    let mut gathered = GatheredSources::default();
    let mut collector =
        Gatherer { home, git: &mut git, clones: &mut clones, terms: *terms, interaction: &mut *interaction };
    collector.gather_nested(std::slice::from_ref(&read), &mut gathered);
    outcome.notes.append(&mut gathered.notes);
    outcome.skipped.append(&mut gathered.skipped);
    outcome.failures.append(&mut gathered.failures);
    let rest: BTreeSet<&Identity> =
        gathered.known.iter().map(|(known, _)| known).filter(|known| *known != identity).collect();
    let registered = crate::learn::inventory_of(home, &mut git, &rest, &mut outcome.failures);
    let mut offered = vec![read.items()?];
    for source in &gathered.sources {
        offered.push(source.read.items()?);
    }
    offered.extend(registered.sources().to_vec());
    let inventory = Inventory::new(offered);
    let registration = Registration {
        home,
        consent,
        request,
        staging,
        clones,
        first: Some(identity.clone()),
        is_strict: false,
    };
    let installs = consent.yes || consent.dry_run || interaction.is_interactive();
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
        registration.plan(&inventory, &chain, &mut outcome)?
    } else if request.alias.is_some() {
        (rename(home, &inventory, identity, consent)?, Vec::new())
    } else {
        (Plan::default(), Vec::new())
    };
    outcome.notes.extend(warnings);
    finish(registration, &read, &gathered, plan, registry, interaction, &mut outcome)?;
    if outcome.outcome == OutcomeKind::NoOp {
        outcome.outcome = OutcomeKind::AlreadyMelded;
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
    let context = context(home, inventory);
    let wanted =
        minds_inventory::plan::upgrade_request(&context, consent.force, |item| item.source == *identity);
    let places = home.occupants(&wanted.places(&context))?;
    Ok(install(&context, &wanted, &places))
}

fn finish(
    mut registration: Registration<'_>,
    own: &ReadSource,
    gathered: &GatheredSources,
    mut plan: Plan,
    mut registry: Registry,
    interaction: &mut dyn Interaction,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let new = gathered.sources.iter().map(|source| &source.read);
    let reads: Vec<&ReadSource> = std::iter::once(own).chain(new).collect();
    let mut source_hooks = registration.source_hooks(&reads);
    // Hooks that have already run are not offered again.
    source_hooks.retain(|(hook, _)| {
        let records = registry.find(&hook.source).map(|known| known.install_hooks.as_slice());
        let ran = |record: &HookRecord| record.hash == hook.hash && record.ran_at.is_some();
        !records.unwrap_or_default().iter().any(ran)
    });
    set_versions(&mut source_hooks, &reads)?;
    let steps: Vec<SourceStep> = gathered.sources.iter().map(step).collect();
    let sources = registry.sources.iter().chain(reads.iter().map(|read| &read.registered));
    let decide = Hooks::new(registration.consent, interaction, sources);
    let first = registration.first.clone();
    let is_named = move |source: &Identity| Some(source) == first.as_ref();
    outcome.preview = preview::preview(steps, &plan, &decide, &is_named, &source_hooks);
    let is_same = outcome.preview.is_empty() && registry == registration.home.registry;
    if is_same {
        if registration.consent.dry_run {
            outcome.outcome = OutcomeKind::DryRun;
        }
        refusals(plan, outcome);
        return Ok(());
    }
    if !registration.has_consent(&mut plan, interaction, outcome) {
        return Ok(());
    }
    let mut hook_steps = outcome.preview.hooks.clone();
    hooks::ask(&mut hook_steps, interaction);
    let (records, broken) = registration.run_source_hooks(&reads, &source_hooks, &hook_steps, outcome)?;
    if let Some(known) = registry.find_mut(&own.registered.identity) {
        let records = records.get(&own.registered.identity).map(Vec::as_slice);
        record_hook_runs(known, &of_install(own), records.unwrap_or_default());
    }
    registration.register(&gathered.sources, &(records, broken), &mut plan, &mut registry, outcome)?;
    apply_plan(registration.home, registration.staging, plan, Some(&registry), &hook_steps, outcome)?;
    Ok(())
}

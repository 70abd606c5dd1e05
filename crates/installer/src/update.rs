//! Updating registered sources, their nested sources and their installed items as one plan, with one consent.

use std::collections::{BTreeMap, BTreeSet};

use minds_inventory::plan::{
    InstallRequest, InventoryContext, Plan, PlannedHook, Reason, Staleness, install, staleness,
};
use minds_inventory::{Inventory, Position, Reference, Registry};
use minds_sources::{Identity, ItemKey, RefusalKind};

use crate::apply::{apply_plan, drop_items};
use crate::clones::Clones;
use crate::consent::{Answer, ask_consent};
use crate::files::{ReadSource, clone_of};
use crate::gather::NewSource;
use crate::home::Home;
use crate::hooks::{self, Hooks};
use crate::learn::{context, names_source};
use crate::registration::{refusals, step};
use crate::scan::scan_plan;
use crate::staging::Staging;
use crate::{
    Consent, HookDecision, Interaction, Outcome, OutcomeKind, SourceError, SourceErrorKind, SourceStep,
    preview, source_hooks,
};

/// The items to upgrade, with the hooks of their sources.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UpdateScope<'r> {
    Nothing,
    All,
    MisspelledKeys(&'r Reference),
}

impl UpdateScope<'_> {
    fn includes(self, source: &Identity, key: &ItemKey) -> bool {
        match self {
            Self::Nothing => false,
            Self::All => true,
            Self::MisspelledKeys(reference) => reference.matches(source, key),
        }
    }

    /// Returns whether the command line names the sources of these items.
    fn names_sources(self) -> bool {
        matches!(self, Self::MisspelledKeys(reference) if names_source(Some(reference.as_str())))
    }

    /// Returns whether the command line names the sources themselves, including their own hooks.
    fn names_whole_sources(self) -> bool {
        matches!(self, Self::MisspelledKeys(reference) if reference.as_str().contains('#'))
    }

    /// Returns whether the hooks of a source are offered.
    fn includes_source(self, home: &Home, source: &Identity) -> bool {
        let mut items = home.installed.items.values();
        match self {
            Self::Nothing => false,
            Self::All => true,
            Self::MisspelledKeys(_) => {
                items.any(|item| item.source == *source && self.includes(source, &item.key))
            }
        }
    }
}

/// The current state of the sources, and the changes.
pub(crate) struct SourceUpdate<'r> {
    pub(crate) home: &'r Home,
    pub(crate) consent: &'r Consent,
    pub(crate) staging: Staging<'r>,
    pub(crate) clones: Clones,
    /// The registered sources that could be read, in their current state.
    pub(crate) known: Vec<ReadSource>,
    /// The new registry if no hook fails, without new sources.
    pub(crate) registry: Registry,
    /// The changes to registered sources.
    pub(crate) steps: Vec<SourceStep>,
    /// The registered sources with a staged new clone.
    pub(crate) fetched: BTreeSet<Identity>,
    /// Nested sources that are not registered yet.
    pub(crate) new: Vec<NewSource>,
    pub(crate) items: UpdateScope<'r>,
    pub(crate) question: &'static str,
}

impl SourceUpdate<'_> {
    /// Plans, asks for consent, and applies the plan. A source whose hook fails stays unchanged with its
    /// items; other sources are not affected.
    ///
    /// # Errors
    ///
    /// Fails without any change, or if consent is missing.
    pub(crate) fn finish(
        self,
        interaction: &mut dyn Interaction,
        outcome: &mut Outcome,
    ) -> Result<(), SourceError> {
        let (plan, warnings) = self.plan(outcome)?;
        let mut planned = self.hooks();
        let reads: Vec<&ReadSource> =
            self.known.iter().chain(self.new.iter().map(|source| &source.read)).collect();
        source_hooks::set_versions(&mut planned, &reads)?;
        let steps: Vec<SourceStep> = self.steps.iter().cloned().chain(self.new.iter().map(step)).collect();
        let is_named = |_: &Identity| self.items.names_sources();
        let decide = Hooks::new(self.consent, interaction, reads.iter().map(|read| &read.registered));
        outcome.preview = preview::preview(steps, &plan, &decide, &is_named, &planned);
        outcome.preview.warnings.extend(warnings);
        let is_left = outcome.preview.hooks.iter().any(|hook| hook.decision != HookDecision::Accepted);
        if self.consent.skip_hook_check && is_left {
            outcome.notes.push(
                "`--dangerously-skip-install-hook-check` covers hooks of sources that the command line names; other hooks \
                 need `--accept-hooks HASH`"
                    .to_owned(),
            );
        }
        match self.ask_consent(&plan, interaction, outcome)? {
            Answer::Yes => return self.apply(plan, &planned, interaction, outcome),
            Answer::No => outcome.outcome = OutcomeKind::Cancelled,
            Answer::Planned => {
                outcome.outcome = OutcomeKind::DryRun;
                refusals(plan, outcome);
            }
        }
        Ok(())
    }

    /// Plans which items are upgraded: those that differ from their source, or are missing in an agent home.
    fn plan(&self, outcome: &mut Outcome) -> Result<(Plan, Vec<String>), SourceError> {
        if matches!(self.items, UpdateScope::Nothing) {
            return Ok((Plan::default(), Vec::new()));
        }
        let mut offered = Vec::new();
        for source in &self.known {
            match source.items() {
                Ok(items) => offered.push(items),
                Err(error) => outcome.failures.push(error.with_target(&source.registered.identity)),
            }
        }
        let inventory = Inventory::new(offered);
        let context = InventoryContext { registry: &self.registry, ..context(self.home, &inventory) };
        let stale = staleness(&context);
        let wanted = self.select_items(&inventory, &stale, outcome);
        let selected = InstallRequest::of(&context, &wanted, self.consent.force);
        let places = self.home.occupants(&selected.places(&context))?;
        let mut plan = install(&context, &selected, &places);
        let warnings = scan_plan(&mut plan, &inventory);
        plan.refusals.retain(|(key, refusal)| {
            let is_current = matches!(stale.get(key), Some(Staleness::Current));
            let is_edited = refusal.kind == RefusalKind::Drifted && is_current;
            if is_edited {
                // Its source has not changed, so there is nothing to upgrade; the modification is only a
                // note.
                outcome.notes.push(refusal.message.clone());
            }
            !is_edited
        });
        Ok((plan, warnings))
    }

    fn select_items(
        &self,
        inventory: &Inventory,
        stale: &BTreeMap<ItemKey, Staleness>,
        outcome: &mut Outcome,
    ) -> Vec<(Position, Reason)> {
        // Up-to-date items are planned too: a link may be missing, or an agent home may be new.
        let mut wanted: Vec<(Position, Reason)> = Vec::new();
        let items = self.home.installed.items.iter();
        for (key, item) in items.filter(|(key, item)| self.items.includes(&item.source, key)) {
            match stale.get(key) {
                Some(Staleness::Outdated(at) | Staleness::Renamed(at, _)) => {
                    wanted.push((*at, Reason::Outdated));
                }
                Some(Staleness::Current) => {
                    wanted.extend(inventory.of(&item.source, key).map(|(at, _)| (at, Reason::Outdated)));
                }
                Some(Staleness::Dropped) => {
                    let message = format!("{key} is no longer offered by {}; it is kept", item.source);
                    outcome.notes.push(message);
                }
                Some(Staleness::Unknown) | None => {}
            }
        }
        wanted
    }

    /// Returns the hooks that are offered: all of new sources, and those of registered sources that did not
    /// run at the current commit. Each has whether it is defined in a file of a source that the command line
    /// names.
    fn hooks(&self) -> Vec<(PlannedHook, bool)> {
        let is_meant =
            |source: &&ReadSource| self.items.includes_source(self.home, &source.registered.identity);
        let known = self.known.iter().filter(is_meant).flat_map(source_hooks::pending);
        let is_named = self.items.names_whole_sources();
        let new = self.new.iter().flat_map(|source| source_hooks::of_install(&source.read));
        known.map(|hook| (hook, is_named)).chain(new.map(|hook| (hook, false))).collect()
    }

    /// Asks for consent to the plan. Fetching and registering need no consent; changes to items and hooks do.
    fn ask_consent(
        &self,
        plan: &Plan,
        interaction: &mut dyn Interaction,
        outcome: &Outcome,
    ) -> Result<Answer, SourceError> {
        let consent = self.consent;
        let preview = &outcome.preview;
        if !plan.is_empty() && !consent.yes && !consent.dry_run && !interaction.is_interactive() {
            interaction.show(preview);
            let message = match plan.installs.len() {
                1 => "upgrading an item needs consent; confirm with `--yes`".to_owned(),
                items => format!("upgrading {items} items needs consent; confirm with `--yes`"),
            };
            return Err(SourceError::new(SourceErrorKind::ConsentRequired, message));
        }
        let is_asked = preview.hooks.iter().any(|hook| hook.decision == HookDecision::Asked);
        if plan.is_empty() && !is_asked && !consent.dry_run {
            return Ok(Answer::Yes);
        }
        Ok(ask_consent(consent, true, preview, self.question, interaction))
    }

    fn apply(
        self,
        mut plan: Plan,
        planned: &[(PlannedHook, bool)],
        interaction: &mut dyn Interaction,
        outcome: &mut Outcome,
    ) -> Result<(), SourceError> {
        let Self { home, mut staging, clones, known, mut registry, fetched, new, .. } = self;
        let mut hook_steps = outcome.preview.hooks.clone();
        hooks::ask(&mut hook_steps, interaction);
        let reads: Vec<&ReadSource> = known.iter().chain(new.iter().map(|source| &source.read)).collect();
        let (records, broken) = source_hooks::run(&mut staging, &reads, planned, &hook_steps, None, outcome)?;
        let dropped = plan.installs.iter().filter(|step| broken.contains(&step.record.source));
        let dropped = dropped.map(|step| step.record.key.clone()).collect();
        drop_items(&mut plan, &dropped);
        for source in &known {
            let identity = &source.registered.identity;
            let Some(entry) = registry.find_mut(identity) else { continue };
            if broken.contains(identity) {
                if let Some(earlier) = home.registry.find(identity) {
                    entry.clone_from(earlier);
                }
                continue;
            }
            if let Some(staged) = clones.staged_clone(identity).filter(|_| fetched.contains(identity)) {
                staging.transaction.put(staged.clone(), clone_of(identity)?);
            }
            let records = records.get(identity).map(Vec::as_slice).unwrap_or_default();
            source_hooks::record_hook_runs(entry, &source_hooks::of_install(source), records);
        }
        for source in new.iter().filter(|source| !broken.contains(&source.read.registered.identity)) {
            let mut registered = source.read.registered.clone();
            if let Some(staged) = clones.staged_clone(&registered.identity).filter(|_| source.is_cloned) {
                staging.transaction.put(staged.clone(), clone_of(&registered.identity)?);
            }
            registered.install_hooks = records.get(&registered.identity).cloned().unwrap_or_default();
            registry.sources.push(registered);
        }
        let broken: BTreeSet<String> = broken.iter().map(ToString::to_string).collect();
        let steps = outcome.preview.sources.iter().filter(|step| !broken.contains(&step.name));
        outcome.sources = steps.cloned().collect();
        if plan.is_empty() && outcome.sources.is_empty() && registry == home.registry {
            refusals(plan, outcome);
            return Ok(());
        }
        apply_plan(home, staging, plan, Some(&registry), &hook_steps, outcome)?;
        Ok(())
    }
}

//! Registering new sources.

use std::collections::BTreeSet;

use minds_git::Git;
use minds_inventory::plan::{InstallRequest, Plan, PlannedHook, install};
use minds_inventory::{Inventory, Registry};
use minds_sources::{Identity, Selection, SourceItems};

use crate::apply::{apply_plan, drop_items};
use crate::clones::Clones;
use crate::consent::{Answer, ask_consent};
use crate::files::{ReadSource, clone_of};
use crate::gather::{GatheredSources, NewSource};
use crate::home::Home;
use crate::hooks::{self, Hooks};
use crate::learn::context;
use crate::nested_sources::{check_selections, not_offered, selected_items};
use crate::scan::scan_plan;
use crate::source_hooks::RanHooks;
use crate::staging::Staging;
use crate::{
    Consent, HookStep, Interaction, MeldRequest, Outcome, OutcomeKind, SourceChange, SourceError, SourceStep,
    preview, source_hooks,
};

/// The registration of new sources.
pub(crate) struct Registration<'m> {
    pub(crate) home: &'m Home,
    pub(crate) consent: &'m Consent,
    pub(crate) request: &'m MeldRequest,
    pub(crate) staging: Staging<'m>,
    pub(crate) clones: Clones,
    /// The source that the command line names.
    pub(crate) first: Option<Identity>,
    /// Whether any refusal is an error.
    pub(crate) is_strict: bool,
}

impl Registration<'_> {
    /// Plans, asks for consent, and applies the plan.
    pub(crate) fn finish(
        mut self,
        gathered: GatheredSources,
        git: &mut Option<Git>,
        interaction: &mut dyn Interaction,
        outcome: &mut Outcome,
    ) -> Result<(), SourceError> {
        outcome.notes.extend(gathered.notes);
        outcome.skipped.extend(gathered.skipped);
        outcome.failures.extend(gathered.failures);
        let mut offered: Vec<SourceItems> = Vec::new();
        for source in &gathered.sources {
            offered.push(source.read.items()?);
        }
        let known: BTreeSet<&Identity> = gathered.known.iter().map(|(identity, _)| identity).collect();
        let registered = crate::learn::inventory_of(self.home, git, &known, &mut outcome.failures);
        let inventory = Inventory::new(offered.into_iter().chain(registered.sources().to_vec()).collect());
        let installs = self.consent.yes || self.consent.dry_run || interaction.is_interactive();
        let chain: Vec<(Identity, Selection)> = gathered
            .sources
            .iter()
            .map(|source| (source.read.registered.identity.clone(), source.selection.clone()))
            .chain(gathered.known.iter().cloned())
            .collect();
        check_selections(&inventory, &chain)?;
        let (mut plan, mut warnings) = (Plan::default(), Vec::new());
        if installs && !self.request.link_only {
            (plan, warnings) = self.plan(&inventory, &chain, outcome)?;
        }
        if let Some((key, refusal)) = plan.refusals.first().filter(|_| self.is_strict) {
            return Err(SourceError::from(refusal.clone()).with_target(key));
        }
        let steps: Vec<SourceStep> = gathered.sources.iter().map(step).collect();
        let reads: Vec<&ReadSource> = gathered.sources.iter().map(|source| &source.read).collect();
        let mut planned = self.source_hooks(&reads);
        source_hooks::set_versions(&mut planned, &reads)?;
        let sources = self.home.registry.sources.iter().chain(reads.iter().map(|read| &read.registered));
        let decide = Hooks::new(self.consent, interaction, sources);
        let first = self.first.clone();
        let is_named = move |source: &Identity| Some(source) == first.as_ref();
        outcome.preview = preview::preview(steps.clone(), &plan, &decide, &is_named, &planned);
        outcome.preview.warnings.extend(warnings);
        if !self.has_consent(&mut plan, interaction, outcome) {
            return Ok(());
        }
        let mut hook_steps = outcome.preview.hooks.clone();
        hooks::ask(&mut hook_steps, interaction);
        let ran = self.run_source_hooks(&reads, &planned, &hook_steps, outcome)?;
        let mut registry = self.home.registry.clone();
        self.register(&gathered.sources, &ran, &mut plan, &mut registry, outcome)?;
        let hint = !installs && !self.request.link_only;
        apply_plan(self.home, self.staging, plan, Some(&registry), &hook_steps, outcome)?;
        if hint && let Some(first) = outcome.sources.first().filter(|source| source.offers > 0) {
            let message = format!(
                "its items are not installed; `minds source install '{}#*'` installs them",
                first.name
            );
            outcome.notes.push(message);
        }
        if outcome.sources.len() == 1
            && let Some(first) = outcome.sources.first().filter(|source| source.offers == 0)
        {
            outcome.notes.push(format!(
                "{} offers no items; `minds source review` explains what is expected",
                first.name
            ));
        }
        Ok(())
    }

    /// Asks for consent to the preview. If it is not given, the outcome is set, with the refusals.
    pub(crate) fn has_consent(
        &self,
        plan: &mut Plan,
        interaction: &mut dyn Interaction,
        outcome: &mut Outcome,
    ) -> bool {
        match ask_consent(self.consent, true, &outcome.preview, "register and install this?", interaction) {
            Answer::Planned => {
                outcome.outcome = OutcomeKind::DryRun;
                refusals(std::mem::take(plan), outcome);
                false
            }
            Answer::No => {
                outcome.outcome = OutcomeKind::Cancelled;
                false
            }
            Answer::Yes => true,
        }
    }

    /// Registers new sources, with the records of their hooks. A source whose hook failed is not registered,
    /// and its items are dropped from the plan.
    pub(crate) fn register(
        &mut self,
        sources: &[NewSource],
        (records, broken): &RanHooks,
        plan: &mut Plan,
        registry: &mut Registry,
        outcome: &mut Outcome,
    ) -> Result<(), SourceError> {
        let dropped = plan.installs.iter().filter(|step| broken.contains(&step.record.source));
        let dropped = dropped.map(|step| step.record.key.clone()).collect();
        drop_items(plan, &dropped);
        for source in sources {
            let identity = &source.read.registered.identity;
            if broken.contains(identity) {
                continue;
            }
            if let Some(staged) = self.clones.staged_clone(identity).filter(|_| source.is_cloned) {
                self.staging.transaction.put(staged.clone(), clone_of(identity)?);
            }
            let mut registered = source.read.registered.clone();
            registered.install_hooks = records.get(identity).cloned().unwrap_or_default();
            registry.sources.push(registered);
            outcome.sources.push(step(source));
        }
        Ok(())
    }

    /// Plans the items to install from each source.
    pub(crate) fn plan(
        &self,
        inventory: &Inventory,
        chain: &[(Identity, Selection)],
        outcome: &mut Outcome,
    ) -> Result<(Plan, Vec<String>), SourceError> {
        let context = context(self.home, inventory);
        let mut wanted = InstallRequest { items: Vec::new(), is_forced: self.consent.force };
        for (identity, selection) in chain {
            let is_whole = Some(identity) == self.first.as_ref() || self.request.recursive;
            match selection {
                _ if is_whole => {
                    wanted.append(InstallRequest::all_of_source(&context, identity, self.consent.force));
                }
                Selection::All => {
                    wanted.append(InstallRequest::all_of_source(&context, identity, self.consent.force));
                }
                Selection::None => {}
                Selection::Items(_) => {
                    let (some, missing) = InstallRequest::subset(
                        &context,
                        identity,
                        selected_items(selection),
                        self.consent.force,
                    );
                    wanted.append(some);
                    outcome.failures.extend(missing.iter().map(|key| not_offered(key, identity)));
                }
            }
        }
        let places = self.home.occupants(&wanted.places(&context))?;
        let mut plan = install(&context, &wanted, &places);
        let warnings = scan_plan(&mut plan, inventory);
        Ok((plan, warnings))
    }

    /// Returns the install hooks of sources, each with whether it is defined in a file of the source that the
    /// command line names.
    pub(crate) fn source_hooks(&self, sources: &[&ReadSource]) -> Vec<(PlannedHook, bool)> {
        let mut found = Vec::new();
        for source in sources {
            let registered = &source.registered;
            let is_first = Some(&registered.identity) == self.first.as_ref();
            let is_curated = !registered.hooks.is_empty() && registered.curator == self.first;
            let wanted = source_hooks::of_install(source);
            found.extend(wanted.into_iter().map(|hook| (hook, is_first || is_curated)));
        }
        found
    }

    /// Runs the hooks of sources. If a hook of the source that the command line names fails, nothing is
    /// registered; if a hook of another source fails, only that source is skipped.
    pub(crate) fn run_source_hooks(
        &mut self,
        sources: &[&ReadSource],
        planned: &[(PlannedHook, bool)],
        steps: &[HookStep],
        outcome: &mut Outcome,
    ) -> Result<RanHooks, SourceError> {
        source_hooks::run(&mut self.staging, sources, planned, steps, self.first.as_ref(), outcome)
    }
}

/// Returns the step for a new source.
pub(crate) fn step(source: &NewSource) -> SourceStep {
    SourceStep {
        name: source.read.registered.identity.to_string(),
        change: SourceChange::Meld,
        from: source.read.registered.url().to_owned(),
        commit: source.read.registered.commit.clone(),
        offers: source.read.discovered.catalog.items.len(),
    }
}

pub(crate) fn refusals(plan: Plan, outcome: &mut Outcome) {
    for (key, refusal) in plan.refusals {
        outcome.failures.push(SourceError::from(refusal).with_target(key));
    }
}

//! Sources that are about to be registered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use minds_sources::plan::{InstallRequest, Plan, PlannedHook, install};
use minds_sources::{
    HookEvent, HookRecord, Identity, Inventory, RefusalKind, Remote, Selection, SourceItems,
};
use minds_system::git::Git;

use super::act::{act, drop_items};
use super::clones::Clones;
use super::consent::{Answer, agree};
use super::execute::Execution;
use super::files::{Files, ReadSource, clone_of};
use super::gather::{Gathered, NewSource};
use super::home::Home;
use super::hooks::{self, Hooks};
use super::learn::world;
use super::meld::of_source;
use super::nested::named;
use super::scan::scan_plan;
use super::{
    Consent, Desk, HookDecision, HookStep, MeldRequest, Outcome, SourceError, SourceErrorKind, SourceStep,
    materialize, shown,
};

/// What is remembered of the hooks of each source, and the sources of which one failed.
pub(super) type RanHooks = (BTreeMap<Identity, Vec<HookRecord>>, BTreeSet<Identity>);

/// Sources that are about to be registered.
pub(super) struct Melding<'m> {
    pub(super) home: &'m Home,
    pub(super) consent: &'m Consent,
    pub(super) request: &'m MeldRequest,
    pub(super) execution: Execution<'m>,
    pub(super) clones: Clones,
    /// The source that the command line names.
    pub(super) first: Option<Identity>,
    /// Whether nothing is done if anything of it is refused.
    pub(super) is_strict: bool,
}

impl Melding<'_> {
    /// Plans, asks and does.
    pub(super) fn finish(
        mut self,
        gathered: Gathered,
        git: &mut Option<Git>,
        desk: &mut dyn Desk,
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
        let earlier = super::learn::inventory_of(self.home, git, &known, outcome);
        let inventory = Inventory::new(offered.into_iter().chain(earlier.sources().to_vec()).collect());
        let installs = self.consent.yes || self.consent.dry_run || desk.is_attended();
        let chain: Vec<(Identity, Selection)> = gathered
            .sources
            .iter()
            .map(|source| (source.read.registered.identity.clone(), source.selection.clone()))
            .chain(gathered.known.iter().cloned())
            .collect();
        let (mut plan, mut warnings) = (Plan::default(), Vec::new());
        if installs && !self.request.link_only {
            (plan, warnings) = self.plan(&inventory, &chain, outcome)?;
        }
        if let Some((key, refusal)) = plan.refusals.first().filter(|_| self.is_strict) {
            return Err(SourceError::from(refusal.clone()).about(key));
        }
        let steps: Vec<SourceStep> = gathered.sources.iter().map(step).collect();
        let reads: Vec<&ReadSource> = gathered.sources.iter().map(|source| &source.read).collect();
        let source_hooks = self.source_hooks(&reads);
        let decide = Hooks::new(self.consent, desk);
        let first = self.first.clone();
        let is_named = move |source: &Identity| Some(source) == first.as_ref();
        outcome.preview = shown::preview(steps.clone(), &plan, &decide, &is_named, &source_hooks);
        outcome.preview.warnings.extend(warnings);
        match agree(self.consent, true, &outcome.preview, "register and install this?", desk) {
            Answer::Planned => {
                outcome.outcome = "dry-run";
                refusals(plan, outcome);
                return Ok(());
            }
            Answer::No => {
                outcome.outcome = "cancelled";
                return Ok(());
            }
            Answer::Yes => {}
        }
        let mut hook_steps = outcome.preview.hooks.clone();
        hooks::ask(&mut hook_steps, desk);
        let (records, broken) = self.run_source_hooks(&reads, &source_hooks, &hook_steps, outcome)?;
        let dropped = plan.installs.iter().filter(|step| broken.contains(&step.record.source));
        let dropped = dropped.map(|step| step.record.key.clone()).collect();
        drop_items(&mut plan, &dropped);
        let mut registry = self.home.registry.clone();
        let kept: Vec<&NewSource> = gathered
            .sources
            .iter()
            .filter(|source| !broken.contains(&source.read.registered.identity))
            .collect();
        for source in &kept {
            let identity = &source.read.registered.identity;
            if source.is_cloned
                && let Some(staged) = self.clones.staged(identity)
            {
                self.execution.transaction.put(staged.clone(), clone_of(identity)?);
            }
            let mut registered = source.read.registered.clone();
            registered.install_hooks = records.get(identity).cloned().unwrap_or_default();
            registry.sources.push(registered);
        }
        outcome.sources = kept.iter().map(|source| step(source)).collect();
        let hint = !installs && !self.request.link_only;
        act(self.home, self.execution, plan, Some(&registry), &hook_steps, outcome)?;
        if hint && let Some(first) = outcome.sources.first().filter(|source| source.offers > 0) {
            let message = format!("nothing of it is installed; `minds learn '{}#*'` does that", first.name);
            outcome.notes.push(message);
        }
        if outcome.sources.len() == 1
            && let Some(first) = outcome.sources.first().filter(|source| source.offers == 0)
        {
            outcome
                .notes
                .push(format!("{} offers no items; `minds review` says what it looks for", first.name));
        }
        Ok(())
    }

    /// Plans what is to be installed of each source.
    pub(super) fn plan(
        &self,
        inventory: &Inventory,
        chain: &[(Identity, Selection)],
        outcome: &mut Outcome,
    ) -> Result<(Plan, Vec<String>), SourceError> {
        let world = world(self.home, inventory);
        let mut wanted = InstallRequest { items: Vec::new(), is_forced: self.consent.force };
        for (identity, selection) in chain {
            let is_whole = Some(identity) == self.first.as_ref() || self.request.recursive;
            match selection {
                _ if is_whole => wanted.append(InstallRequest::whole(&world, identity, self.consent.force)),
                Selection::All => wanted.append(InstallRequest::whole(&world, identity, self.consent.force)),
                Selection::None => {}
                Selection::Items(_) => {
                    let (some, missing) =
                        InstallRequest::subset(&world, identity, named(selection), self.consent.force);
                    wanted.append(some);
                    for key in missing {
                        let message = format!("`install-items` names {key}, which it does not offer");
                        let kind = SourceErrorKind::Refused(RefusalKind::UnresolvedReference);
                        outcome.failures.push(SourceError::new(kind, message).about(identity));
                    }
                }
            }
        }
        let places = self.home.occupants(&wanted.places(&world))?;
        let mut plan = install(&world, &wanted, &places);
        let warnings = scan_plan(&mut plan, inventory);
        Ok((plan, warnings))
    }

    /// Returns the hooks that sources want to have run when they are installed, and whether each is written in a file of the
    /// source that the command line names.
    pub(super) fn source_hooks(&self, sources: &[&ReadSource]) -> Vec<(PlannedHook, bool)> {
        let mut found = Vec::new();
        for source in sources {
            let registered = &source.registered;
            let is_first = Some(&registered.identity) == self.first.as_ref();
            let is_curated = !registered.hooks.is_empty() && registered.curator == self.first;
            let wanted = hooks::of_source(&registered.identity, of_source(source), HookEvent::Install);
            found.extend(wanted.into_iter().map(|hook| (hook, is_first || is_curated)));
        }
        found
    }

    /// Runs the hooks of sources. Where one of the source that the command line names fails, nothing is registered; where one
    /// of another fails, that one is left out.
    pub(super) fn run_source_hooks(
        &mut self,
        sources: &[&ReadSource],
        planned: &[(PlannedHook, bool)],
        steps: &[HookStep],
        outcome: &mut Outcome,
    ) -> Result<RanHooks, SourceError> {
        let mut records: BTreeMap<Identity, Vec<HookRecord>> = BTreeMap::new();
        let mut broken = BTreeSet::new();
        for source in sources {
            let registered = &source.registered;
            let identity = &registered.identity;
            let mut folder = None;
            for (hook, _) in planned.iter().filter(|(hook, _)| hook.source == *identity) {
                let hash = hook.hash.to_string();
                let step = steps.iter().find(|step| step.item.is_none() && step.hash == hash);
                let step = step.filter(|_| !broken.contains(identity));
                let mut record = HookRecord { command: hook.hook.run.clone(), hash: hook.hash, ran_at: None };
                if let Some(step) = step {
                    let result = self.run_source_hook(step, source, &mut folder, outcome);
                    match result {
                        Ok(true) => record.ran_at = Some(registered.commit.clone().unwrap_or_default()),
                        Ok(false) => {}
                        Err(error) if Some(identity) == self.first.as_ref() => return Err(error),
                        Err(error) => {
                            outcome.failures.push(error);
                            broken.insert(identity.clone());
                        }
                    }
                }
                records.entry(identity.clone()).or_default().push(record);
            }
        }
        Ok((records, broken))
    }

    fn run_source_hook(
        &mut self,
        step: &HookStep,
        source: &ReadSource,
        folder: &mut Option<PathBuf>,
        outcome: &mut Outcome,
    ) -> Result<bool, SourceError> {
        if step.decision != HookDecision::Accepted {
            outcome.notes.push(format!(
                "the install hook of {} did not run, so its items may not work; `--accept-hooks {}` runs it: {}",
                step.source, step.hash, step.run
            ));
            return Ok(false);
        }
        let at = match folder {
            Some(at) => at.clone(),
            None => folder.insert(folder_of(&mut self.execution, source)?).clone(),
        };
        let (run, result) = hooks::run(step, &at);
        outcome.ran.push(run);
        result.map(|()| true)
    }
}

/// Returns the folder in which the hooks of a source run: its own if it is linked, else one with a copy of its files.
pub(super) fn folder_of(execution: &mut Execution<'_>, source: &ReadSource) -> Result<PathBuf, SourceError> {
    match (&source.registered.remote, &source.files) {
        (Remote::Folder(folder), Files::Folder(_)) => Ok(PathBuf::from(folder)),
        _ => materialize::write(execution, &source.files),
    }
}

/// Returns what happens to a new source, as it is shown.
pub(super) fn step(source: &NewSource) -> SourceStep {
    SourceStep {
        name: source.read.registered.identity.to_string(),
        change: "meld",
        from: source.read.registered.url().to_owned(),
        commit: source.read.registered.commit.clone(),
        offers: source.read.discovered.catalog.items.len(),
    }
}

pub(super) fn refusals(plan: Plan, outcome: &mut Outcome) {
    for (key, refusal) in plan.refusals {
        outcome.failures.push(SourceError::from(refusal).about(key));
    }
}

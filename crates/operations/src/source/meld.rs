//! Registering sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use minds_sources::plan::{InstallRequest, Plan, PlannedHook, install};
use minds_sources::{
    Alias, Hook, HookEvent, HookRecord, Identity, Inventory, Pin, Prefix, Registered, Registry, Remote,
    RevisionName, Selection, SourceItems, SourceSpec,
};
use minds_system::git::Git;

use super::act::{act, drop_items};
use super::clones::Clones;
use super::consent::{Answer, agree};
use super::execute::Execution;
use super::files::{self, Files, ReadSource, clone_of};
use super::gather::{Gathered, Gathering, NewSource, Wanted, named};
use super::home::{Home, Use};
use super::hooks::{self, Hooks};
use super::learn::world;
use super::{
    Consent, Desk, HookDecision, HookStep, MeldRequest, Outcome, PinRequest, SourceError, SourceErrorKind,
    SourceStep, Terms, materialize, shown,
};

/// Registers a source and all that it brings along, and installs what is selected of them.
///
/// # Errors
///
/// Fails if the source itself cannot be read, or one of its commands fails: then nothing is registered.
pub fn meld(
    directory: &Path,
    request: &MeldRequest,
    consent: &Consent,
    terms: &Terms,
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Use::Change)?;
    let spec = spec(&home, request)?;
    let alias = alias(request.alias.as_deref())?;
    if request.locked {
        let (pin, roots) = (request.pin.as_ref().map(pin).transpose()?, None);
        let wanted = Wanted { spec, alias, pin, roots, curator: None, selection: Selection::None };
        return super::locked::meld(&home, wanted, request, consent, terms, desk);
    }
    let mut outcome = Outcome::new("meld", Some(spec.identity.to_string()));
    if let Some(known) = home.registry.find(&spec.identity) {
        if known.remote != spec.remote {
            let message = format!("it is melded from {} already; unmeld that first", known.url());
            let kind = SourceErrorKind::Refused(minds_sources::RefusalKind::NameTaken);
            return Err(SourceError::new(kind, message).about(&spec.identity));
        }
        return again(&home, &spec.identity, request, &alias, consent, terms, desk);
    }
    let wanted = Wanted {
        spec: spec.clone(),
        alias,
        pin: request.pin.as_ref().map(pin).transpose()?,
        roots: roots(&request.roots)?,
        curator: None,
        selection: Selection::All,
    };
    let mut git = None;
    let execution = Execution::begin(&home)?;
    let mut clones = Clones::below(execution.transaction.folder().clone());
    let mut gathering =
        Gathering { home: &home, git: &mut git, clones: &mut clones, terms: *terms, desk: &mut *desk };
    let mut gathered = gathering.gather(wanted)?;
    if let (Some(run), Some(first)) = (&request.install_hook, gathered.sources.first_mut()) {
        first.read.registered.hooks = overridden(&first.read, run);
    }
    let melding = Melding {
        home: &home,
        consent,
        request,
        execution,
        clones,
        first: Some(spec.identity),
        is_strict: false,
    };
    melding.finish(gathered, &mut git, desk, &mut outcome)?;
    if outcome.outcome == "no-op" {
        outcome.outcome = "melded";
    }
    Ok(outcome)
}

/// Understands which source is meant.
fn spec(home: &Home, request: &MeldRequest) -> Result<SourceSpec, SourceError> {
    let text = request.repo.as_deref().unwrap_or(".");
    let user = home.user.as_ref().map(minds_sources::AbsolutePath::as_str);
    SourceSpec::parse(text, home.base.as_str(), user).map_err(|error| {
        SourceError::new(SourceErrorKind::InvalidSpec, format!("`{text}` names no source: {error}"))
    })
}

fn alias(given: Option<&str>) -> Result<Alias, SourceError> {
    let Some(given) = given else { return Ok(Alias::Declared) };
    let prefix = Prefix::parse(given).map_err(|error| {
        SourceError::new(SourceErrorKind::InvalidPrefix, format!("`{given}` can be no prefix: {error}"))
    })?;
    Ok(prefix.map_or(Alias::None, Alias::Prefix))
}

fn pin(request: &PinRequest) -> Result<Pin, SourceError> {
    let (PinRequest::Branch(text) | PinRequest::Tag(text) | PinRequest::Ref(text)) = request;
    let name = RevisionName::parse(text).map_err(|error| {
        let message = format!("`{text}` names no branch, tag or commit: {error}");
        SourceError::new(SourceErrorKind::InvalidRevision, message)
    })?;
    Ok(match request {
        PinRequest::Branch(_) => Pin::FollowBranch(name),
        PinRequest::Tag(_) => Pin::Tag(name),
        PinRequest::Ref(_) => Pin::Ref(name),
    })
}

fn roots(given: &[String]) -> Result<Option<Vec<minds_paths::WorkspacePath>>, SourceError> {
    if given.is_empty() {
        return Ok(None);
    }
    let parsed = given.iter().map(|root| {
        minds_paths::WorkspacePath::normalize(root).map_err(|error| {
            SourceError::new(
                SourceErrorKind::InvalidSource,
                format!("`{root}` is no root of a source: {error}"),
            )
        })
    });
    parsed.collect::<Result<Vec<_>, _>>().map(Some)
}

/// Returns the hooks of a source with one command in the place of those that run when it is installed.
fn overridden(source: &ReadSource, run: &str) -> Vec<Hook> {
    let install = Hook { run: run.to_owned(), name: None, is_optional: false, event: HookEvent::Install };
    let rest = of_source(source).into_iter().filter(|hook| hook.event == HookEvent::Uninstall);
    std::iter::once(install).chain(rest).collect()
}

/// Returns the hooks of a source: those that stand for its own, if there are any.
pub(super) fn of_source(source: &ReadSource) -> Vec<Hook> {
    if !source.registered.hooks.is_empty() {
        return source.registered.hooks.clone();
    }
    source.discovered.manifest.as_ref().map(|file| file.manifest().hooks()).unwrap_or_default()
}

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
        let mut plan = Plan::default();
        if installs && !self.request.link_only {
            plan = self.plan(&inventory, &chain, outcome)?;
        }
        if let Some((key, refusal)) = plan.refusals.first().filter(|_| self.is_strict) {
            return Err(SourceError::from(refusal.clone()).about(key));
        }
        let steps: Vec<SourceStep> = gathered.sources.iter().map(step).collect();
        let source_hooks = self.source_hooks(&gathered.sources);
        let decide = Hooks::new(self.consent, desk);
        let first = self.first.clone();
        let is_named = move |source: &Identity| Some(source) == first.as_ref();
        outcome.preview = shown::preview(steps.clone(), &plan, &decide, &is_named, &source_hooks);
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
        let (records, broken) =
            self.run_source_hooks(&gathered.sources, &source_hooks, &hook_steps, outcome)?;
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
    fn plan(
        &self,
        inventory: &Inventory,
        chain: &[(Identity, Selection)],
        outcome: &mut Outcome,
    ) -> Result<Plan, SourceError> {
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
                        let kind = SourceErrorKind::Refused(minds_sources::RefusalKind::UnresolvedReference);
                        outcome.failures.push(SourceError::new(kind, message).about(identity));
                    }
                }
            }
        }
        let places = self.home.occupants(&wanted.places(&world))?;
        Ok(install(&world, &wanted, &places))
    }

    /// Returns the hooks that sources want to have run when they are installed, and whether each is written in a file of the
    /// source that the command line names.
    fn source_hooks(&self, sources: &[NewSource]) -> Vec<(PlannedHook, bool)> {
        let mut found = Vec::new();
        for source in sources {
            let registered = &source.read.registered;
            let is_first = Some(&registered.identity) == self.first.as_ref();
            let is_curated = !registered.hooks.is_empty() && registered.curator == self.first;
            let wanted = hooks::of_source(&registered.identity, of_source(&source.read), HookEvent::Install);
            found.extend(wanted.into_iter().map(|hook| (hook, is_first || is_curated)));
        }
        found
    }

    /// Runs the hooks of sources. Where one of the source that the command line names fails, nothing is registered; where one
    /// of another fails, that one is left out.
    fn run_source_hooks(
        &mut self,
        sources: &[NewSource],
        planned: &[(PlannedHook, bool)],
        steps: &[HookStep],
        outcome: &mut Outcome,
    ) -> Result<(BTreeMap<Identity, Vec<HookRecord>>, BTreeSet<Identity>), SourceError> {
        let mut records: BTreeMap<Identity, Vec<HookRecord>> = BTreeMap::new();
        let mut broken = BTreeSet::new();
        for source in sources {
            let registered = &source.read.registered;
            let identity = &registered.identity;
            let mut folder = None;
            for (hook, _) in planned.iter().filter(|(hook, _)| hook.source == *identity) {
                let hash = hook.hash.to_string();
                let step = steps.iter().find(|step| step.item.is_none() && step.hash == hash);
                let step = step.filter(|_| !broken.contains(identity));
                let mut record = HookRecord { command: hook.hook.run.clone(), hash: hook.hash, ran_at: None };
                if let Some(step) = step {
                    let result = self.run_source_hook(step, &source.read, &mut folder, outcome);
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
fn step(source: &NewSource) -> SourceStep {
    SourceStep {
        name: source.read.registered.identity.to_string(),
        change: "meld",
        from: source.read.registered.url().to_owned(),
        commit: source.read.registered.commit.clone(),
        offers: source.read.discovered.catalog.items.len(),
    }
}

fn refusals(plan: Plan, outcome: &mut Outcome) {
    for (key, refusal) in plan.refusals {
        outcome.failures.push(SourceError::from(refusal).about(key));
    }
}

/// Melds a source that is registered: installs what is missing of it, under another prefix if one is given.
fn again(
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
            let message = format!("{identity} is melded already, so {flag} has no effect; unmeld it first");
            outcome.notes.push(message);
        }
    }
    if let Some(known) = registry.find_mut(identity).filter(|_| request.alias.is_some()) {
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
    let plan = if installs && !request.link_only {
        melding.plan(&inventory, &chain, &mut outcome)?
    } else if request.alias.is_some() {
        rename(home, &inventory, identity, consent)?
    } else {
        Plan::default()
    };
    finish_again(melding, &gathered, plan, registry, desk, &mut outcome)?;
    if outcome.outcome == "no-op" {
        outcome.outcome = "already-melded";
    }
    Ok(outcome)
}

/// Plans that what is installed of a source is called as it would be now.
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

fn finish_again(
    mut melding: Melding<'_>,
    gathered: &Gathered,
    plan: Plan,
    mut registry: Registry,
    desk: &mut dyn Desk,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let source_hooks = melding.source_hooks(&gathered.sources);
    let steps: Vec<SourceStep> = gathered.sources.iter().map(step).collect();
    let decide = Hooks::new(melding.consent, desk);
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
    match agree(melding.consent, true, &outcome.preview, "register and install this?", desk) {
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
    let (records, broken) =
        melding.run_source_hooks(&gathered.sources, &source_hooks, &hook_steps, outcome)?;
    for source in &gathered.sources {
        let identity = &source.read.registered.identity;
        if broken.contains(identity) {
            continue;
        }
        if let Some(staged) = melding.clones.staged(identity).filter(|_| source.is_cloned) {
            melding.execution.transaction.put(staged.clone(), clone_of(identity)?);
        }
        let mut registered: Registered = source.read.registered.clone();
        registered.install_hooks = records.get(identity).cloned().unwrap_or_default();
        registry.sources.push(registered);
        outcome.sources.push(step(source));
    }
    act(melding.home, melding.execution, plan, Some(&registry), &hook_steps, outcome)?;
    Ok(())
}

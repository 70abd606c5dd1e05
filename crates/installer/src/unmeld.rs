//! Removing sources.

use std::collections::BTreeSet;
use std::path::Path;

use minds_inventory::plan::{Plan, PlannedHook, RemoveRequest};
use minds_inventory::select_sources;
use minds_sources::{Hook, HookEvent, Identity, ItemKey};

use crate::apply::{apply_plan, run_uninstall_hooks};
use crate::consent::{Answer, ask_consent};
use crate::files::{self, clone_of};
use crate::forget::plan_removal;
use crate::home::{Access, Home};
use crate::hooks::{self, Hooks};
use crate::source_hooks::{folder_of, of_source, set_versions};
use crate::staging::Staging;
use crate::{
    Action, Consent, HookDecision, HookStep, Interaction, Outcome, OutcomeKind, SourceChange, SourceError,
    SourceErrorKind, SourceStep, UnmeldRequest, preview,
};

/// Removes sources, with the items that were installed from them.
///
/// # Errors
///
/// Fails if no source matches, several match and `source` is not a pattern, a hook fails, or consent is
/// missing.
pub fn unmeld(
    directory: &Path,
    request: &UnmeldRequest,
    consent: &Consent,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Access::Write)?;
    let mut outcome = Outcome::new(Action::Unmeld, Some(request.source.clone()));
    let sources = select_sources(&request.source, &home.registry)?;
    if let [only] = sources.as_slice() {
        outcome.target = Some(only.to_string());
    }
    let mut items = BTreeSet::new();
    if !request.unlink_only {
        for source in &sources {
            items.extend(RemoveRequest::of_source(&home.installed, source, false).items);
        }
    }
    let wanted = RemoveRequest { items, is_forced: consent.force };
    let needed: Vec<ItemKey> = wanted.dependents(&home.installed).into_keys().collect();
    let plan = plan_removal(&home, &wanted)?;
    let mut git = None;
    let mut read = Vec::new();
    let mut planned: Vec<(PlannedHook, bool)> = Vec::new();
    for identity in &sources {
        let Some(registered) = home.registry.find(identity) else { continue };
        // Without its `mind.toml` the hooks are unknown, but the source can still be removed.
        match files::read_manifest(&home, &mut git, registered) {
            Ok(source) => {
                let own = match &request.uninstall_hook {
                    Some(run) => vec![uninstall_hook(run)],
                    None => of_source(&source),
                };
                planned.extend(
                    hooks::of_source(identity, own, HookEvent::Uninstall)
                        .into_iter()
                        .map(|hook| (hook, true)),
                );
                read.push(source);
            }
            Err(error) => outcome.notes.push(format!("its hooks are unknown: {error}")),
        }
    }
    let steps: Vec<SourceStep> = sources.iter().filter_map(|source| step(&home, source)).collect();
    set_versions(&mut planned, &read.iter().collect::<Vec<_>>())?;
    let decide = Hooks::new(consent, interaction, &home.registry.sources);
    let is_named = |_: &Identity| true;
    outcome.preview = preview::preview(steps.clone(), &plan, &decide, &is_named, &planned);
    outcome.preview.warnings.extend(needed.iter().map(|key| format!("{key} depends on a removed item")));
    let is_free = wanted.items.len() <= 1 && sources.len() <= 1 && needed.is_empty();
    if !is_free && !consent.yes && !consent.dry_run && !interaction.is_interactive() {
        let number = |count: usize, what: &str| {
            if count == 1 { format!("one {what}") } else { format!("{count} {what}s") }
        };
        let (sources, items) = (number(sources.len(), "source"), number(wanted.items.len(), "item"));
        let message = format!("removing {sources} and {items} needs consent; confirm with `--yes`");
        return Err(SourceError::new(SourceErrorKind::ConsentRequired, message));
    }
    match ask_consent(consent, is_free, &outcome.preview, "remove this?", interaction) {
        Answer::Planned => outcome.outcome = OutcomeKind::DryRun,
        Answer::No => outcome.outcome = OutcomeKind::Cancelled,
        Answer::Yes => {
            let mut hook_steps = outcome.preview.hooks.clone();
            hooks::ask(&mut hook_steps, interaction);
            let mut staging = Staging::begin(&home)?;
            let mut plan = plan;
            run_uninstall_hooks(&home, &mut staging, &mut plan, &hook_steps, &mut outcome)?;
            let kept = kept_sources(&home, &plan, &wanted);
            // Hooks of items run before those of their source, and a source with remaining items is kept.
            for source in read.iter().filter(|source| !kept.contains(&source.registered.identity)) {
                run_hooks(&mut staging, source, &planned, &hook_steps, &mut outcome)?;
            }
            remove_sources(&home, staging, plan, &kept, &sources, request, steps, &mut outcome)?;
        }
    }
    Ok(outcome)
}

#[expect(clippy::too_many_arguments, reason = "each is an independent result of planning")]
fn remove_sources(
    home: &Home,
    mut staging: Staging<'_>,
    plan: Plan,
    kept: &BTreeSet<Identity>,
    sources: &[Identity],
    request: &UnmeldRequest,
    steps: Vec<SourceStep>,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let mut registry = home.registry.clone();
    for source in sources.iter().filter(|source| !kept.contains(source)) {
        registry.remove(source);
        staging.transaction.remove(clone_of(source)?);
    }
    let kept_names: Vec<String> = kept.iter().map(ToString::to_string).collect();
    // The uninstall hooks have already run, so there are none left.
    apply_plan(home, staging, plan, Some(&registry), &[], outcome)?;
    outcome.sources = steps.into_iter().filter(|step| !kept_names.contains(&step.name)).collect();
    let has_done = !outcome.sources.is_empty() || !outcome.removed.is_empty();
    outcome.outcome = match (has_done, request.unlink_only) {
        (false, _) => OutcomeKind::NoOp,
        (true, true) => OutcomeKind::Unlinked,
        (true, false) => OutcomeKind::Removed,
    };
    Ok(())
}

/// Returns the sources of which an item is kept, because it was modified or its hook failed; these sources
/// are kept as well.
fn kept_sources(home: &Home, plan: &Plan, wanted: &RemoveRequest) -> BTreeSet<Identity> {
    let is_removed = |key: &&ItemKey| plan.removals.iter().any(|removal| removal.record.key == **key);
    let items = wanted.items.iter().filter(|key| !is_removed(key)).filter_map(|key| home.installed.get(key));
    items.map(|item| item.source.clone()).collect()
}

/// Runs the uninstall hooks of a source. If one fails, the source is not removed.
fn run_hooks(
    staging: &mut Staging<'_>,
    source: &files::ReadSource,
    planned: &[(PlannedHook, bool)],
    steps: &[HookStep],
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let mut folder = None;
    for (hook, _) in planned.iter().filter(|(hook, _)| hook.source == source.registered.identity) {
        let found = steps.iter().find(|step| step.item.is_none() && step.key == hook.hash);
        let Some(step) = found else { continue };
        if step.decision != HookDecision::Accepted {
            let message = format!("the uninstall hook of {} did not run: {}", step.source, step.run);
            outcome.notes.push(message);
            continue;
        }
        let at = match &folder {
            Some(at) => std::path::PathBuf::clone(at),
            None => folder.insert(folder_of(staging, source, step)?).clone(),
        };
        let (run, result) = hooks::run(step, &at);
        outcome.ran.push(run);
        result?;
    }
    Ok(())
}

fn uninstall_hook(run: &str) -> Hook {
    Hook { run: run.to_owned(), name: None, is_optional: false, event: HookEvent::Uninstall }
}

fn step(home: &Home, source: &Identity) -> Option<SourceStep> {
    let registered = home.registry.find(source)?;
    Some(SourceStep {
        name: source.to_string(),
        change: SourceChange::Unmeld,
        from: registered.url().to_owned(),
        commit: registered.commit.clone(),
        offers: home.installed.of(source).count(),
    })
}

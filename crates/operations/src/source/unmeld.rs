//! Removing sources.

use std::collections::BTreeSet;
use std::path::Path;

use minds_sources::plan::{Plan, PlannedHook, RemoveRequest};
use minds_sources::{Hook, HookEvent, Identity, ItemKey, select_sources};

use super::act::{act, before_removal};
use super::consent::{Answer, agree};
use super::execute::Execution;
use super::files::{self, clone_of};
use super::forget::removal;
use super::home::{Home, Use};
use super::hooks::{self, Hooks};
use super::source_hooks::{folder_of, note_versions, of_source};
use super::{
    Consent, Desk, HookDecision, HookStep, Outcome, SourceError, SourceErrorKind, SourceStep, UnmeldRequest,
    shown,
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
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Use::Change)?;
    let mut outcome = Outcome::new("unmeld", Some(request.source.clone()));
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
    let plan = removal(&home, &wanted)?;
    let mut git = None;
    let mut read = Vec::new();
    let mut planned: Vec<(PlannedHook, bool)> = Vec::new();
    for identity in &sources {
        let Some(registered) = home.registry.find(identity) else { continue };
        // Without its `mind.toml` the hooks are unknown, but the source can still be removed.
        match files::read_manifest(&home, &mut git, registered) {
            Ok(source) => {
                let own = match &request.uninstall_hook {
                    Some(run) => vec![uninstall(run)],
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
    note_versions(&mut planned, &read.iter().collect::<Vec<_>>())?;
    let decide = Hooks::new(consent, desk, &home.registry.sources);
    let is_named = |_: &Identity| true;
    outcome.preview = shown::preview(steps.clone(), &plan, &decide, &is_named, &planned);
    outcome.preview.warnings.extend(needed.iter().map(|key| format!("{key} depends on a removed item")));
    let is_free = wanted.items.len() <= 1 && sources.len() <= 1 && needed.is_empty();
    if !is_free && !consent.yes && !consent.dry_run && !desk.is_attended() {
        let number = |count: usize, what: &str| {
            if count == 1 { format!("one {what}") } else { format!("{count} {what}s") }
        };
        let (sources, items) = (number(sources.len(), "source"), number(wanted.items.len(), "item"));
        let message = format!("removing {sources} and {items} needs consent; confirm with `--yes`");
        return Err(SourceError::new(SourceErrorKind::ConsentRequired, message));
    }
    match agree(consent, is_free, &outcome.preview, "remove this?", desk) {
        Answer::Planned => outcome.outcome = "dry-run",
        Answer::No => outcome.outcome = "cancelled",
        Answer::Yes => {
            let mut hook_steps = outcome.preview.hooks.clone();
            hooks::ask(&mut hook_steps, desk);
            let mut execution = Execution::begin(&home)?;
            let mut plan = plan;
            before_removal(&home, &mut execution, &mut plan, &hook_steps, &mut outcome)?;
            let staying = staying(&home, &plan, &wanted);
            // Hooks of items run before those of their source, and a source with remaining items is kept.
            for source in read.iter().filter(|source| !staying.contains(&source.registered.identity)) {
                run(&mut execution, source, &planned, &hook_steps, &mut outcome)?;
            }
            done(&home, execution, plan, &staying, &sources, request, steps, &mut outcome)?;
        }
    }
    Ok(outcome)
}

#[expect(clippy::too_many_arguments, reason = "each is an independent result of planning")]
fn done(
    home: &Home,
    mut execution: Execution<'_>,
    plan: Plan,
    staying: &BTreeSet<Identity>,
    sources: &[Identity],
    request: &UnmeldRequest,
    steps: Vec<SourceStep>,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let mut registry = home.registry.clone();
    for source in sources.iter().filter(|source| !staying.contains(source)) {
        registry.remove(source);
        execution.transaction.remove(clone_of(source)?);
    }
    let left: Vec<String> = staying.iter().map(ToString::to_string).collect();
    // The uninstall hooks have already run, so there are none left.
    act(home, execution, plan, Some(&registry), &[], outcome)?;
    outcome.sources = steps.into_iter().filter(|step| !left.contains(&step.name)).collect();
    let has_done = !outcome.sources.is_empty() || !outcome.removed.is_empty();
    outcome.outcome = match (has_done, request.unlink_only) {
        (false, _) => "no-op",
        (true, true) => "unlinked",
        (true, false) => "removed",
    };
    Ok(())
}

/// Returns the sources of which an item is kept, because it was modified or its hook failed; these sources
/// are kept as well.
fn staying(home: &Home, plan: &Plan, wanted: &RemoveRequest) -> BTreeSet<Identity> {
    let goes = |key: &&ItemKey| plan.removals.iter().any(|removal| removal.record.key == **key);
    let items = wanted.items.iter().filter(|key| !goes(key)).filter_map(|key| home.installed.get(key));
    items.map(|item| item.source.clone()).collect()
}

/// Runs the uninstall hooks of a source. If one fails, the source is not removed.
fn run(
    execution: &mut Execution<'_>,
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
            None => folder.insert(folder_of(execution, source, step)?).clone(),
        };
        let (run, result) = hooks::run(step, &at);
        outcome.ran.push(run);
        result?;
    }
    Ok(())
}

fn uninstall(run: &str) -> Hook {
    Hook { run: run.to_owned(), name: None, is_optional: false, event: HookEvent::Uninstall }
}

fn step(home: &Home, source: &Identity) -> Option<SourceStep> {
    let registered = home.registry.find(source)?;
    Some(SourceStep {
        name: source.to_string(),
        change: "unmeld",
        from: registered.url().to_owned(),
        commit: registered.commit.clone(),
        offers: home.installed.of(source).count(),
    })
}

//! The hooks of whole sources: which are offered, running them, and their records.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use minds_inventory::plan::PlannedHook;
use minds_inventory::{HookRecord, RegisteredSource};
use minds_sources::{Hook, HookEvent, Identity, Remote};
use minds_vfs::ContentHash;

use crate::files::ReadSource;
use crate::staging::{Staging, changed_since_plan};
use crate::{HookDecision, HookStep, Outcome, SourceError, hooks, materialize};

/// The records of hooks by source, and the sources with a failed hook.
pub(crate) type RanHooks = (BTreeMap<Identity, Vec<HookRecord>>, BTreeSet<Identity>);

/// Returns the hooks of a source, or those that replace its own.
pub(crate) fn of_source(source: &ReadSource) -> Vec<Hook> {
    if !source.registered.hooks.is_empty() {
        return source.registered.hooks.clone();
    }
    source.discovered.manifest.as_ref().map(|file| file.manifest().hooks()).unwrap_or_default()
}

/// Returns the install hooks of a source.
pub(crate) fn of_install(source: &ReadSource) -> Vec<PlannedHook> {
    hooks::of_source(&source.registered.identity, of_source(source), HookEvent::Install)
}

/// Returns the install hooks that never ran, or ran at another commit than the current one.
pub(crate) fn pending(source: &ReadSource) -> Vec<PlannedHook> {
    let registered = &source.registered;
    let mut found = of_install(source);
    found.retain(|hook| {
        let record = registered.install_hooks.iter().find(|record| record.hash == hook.hash);
        record.is_none_or(|record| record.is_pending(registered.commit.as_deref()))
    });
    found
}

/// Runs the accepted hooks of sources. If one of `required` fails, that is an error; if one of another source
/// fails, no further hooks of that source run, and the failure is reported in the outcome.
///
/// # Errors
///
/// Fails if a hook of `required` fails.
pub(crate) fn run(
    staging: &mut Staging<'_>,
    sources: &[&ReadSource],
    planned: &[(PlannedHook, bool)],
    steps: &[HookStep],
    required: Option<&Identity>,
    outcome: &mut Outcome,
) -> Result<RanHooks, SourceError> {
    let mut records: BTreeMap<Identity, Vec<HookRecord>> = BTreeMap::new();
    let mut broken = BTreeSet::new();
    for source in sources {
        let registered = &source.registered;
        let identity = &registered.identity;
        let mut folder = None;
        for (hook, _) in planned.iter().filter(|(hook, _)| hook.source == *identity) {
            let step = steps.iter().find(|step| step.item.is_none() && step.key == hook.hash);
            let step = step.filter(|_| !broken.contains(identity));
            let mut record = HookRecord { command: hook.hook.run.clone(), hash: hook.hash, ran_at: None };
            if let Some(step) = step {
                match run_one(staging, step, source, &mut folder, outcome) {
                    Ok(true) => record.ran_at = Some(registered.commit.clone().unwrap_or_default()),
                    Ok(false) => {}
                    Err(error) if Some(identity) == required => return Err(error),
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

fn run_one(
    staging: &mut Staging<'_>,
    step: &HookStep,
    source: &ReadSource,
    folder: &mut Option<PathBuf>,
    outcome: &mut Outcome,
) -> Result<bool, SourceError> {
    if step.decision != HookDecision::Accepted {
        outcome.notes.push(format!(
            "the install hook of {} did not run, so its items may not work; use `--accept-hooks {}` to run it: {}",
            step.source, step.hash, step.run
        ));
        return Ok(false);
    }
    let at = match folder {
        Some(at) => at.clone(),
        None => folder.insert(folder_of(staging, source, step)?).clone(),
    };
    let (run, result) = hooks::run(step, &at);
    outcome.ran.push(run);
    result.map(|()| true)
}

/// Sets the versions of the files with which hooks run, which consent covers.
///
/// # Errors
///
/// Fails if a linked folder with hooks has too many files.
pub(crate) fn set_versions(
    planned: &mut [(PlannedHook, bool)],
    sources: &[&ReadSource],
) -> Result<(), SourceError> {
    for source in sources {
        let identity = &source.registered.identity;
        let mut hooks = planned.iter_mut().filter(|(hook, _)| hook.source == *identity).peekable();
        if hooks.peek().is_some() {
            let version = version_of(source)?;
            hooks.for_each(|(hook, _)| hook.version.clone_from(&version));
        }
    }
    Ok(())
}

/// Returns the description of the files of a source for a consent hash.
fn version_of(source: &ReadSource) -> Result<String, SourceError> {
    let registered = &source.registered;
    Ok(match (&registered.commit, source.files.root()) {
        (Some(commit), None) => {
            let tree = registered.tree.as_deref().unwrap_or("unknown");
            format!("commit {commit}, tree {tree}")
        }
        _ => format!("files {}", materialize::hash(&source.files)?),
    })
}

/// Returns the folder in which the hooks of a source run: its own folder if it is linked, otherwise a
/// temporary folder with a copy of its files. The files are those that consent was given for.
pub(crate) fn folder_of(
    staging: &mut Staging<'_>,
    source: &ReadSource,
    step: &HookStep,
) -> Result<PathBuf, SourceError> {
    match (&source.registered.remote, source.files.root()) {
        (Remote::Folder(folder), Some(_)) => {
            if version_of(source)? != step.version {
                return Err(changed_since_plan(folder));
            }
            Ok(PathBuf::from(folder))
        }
        _ => materialize::write(staging, &source.files),
    }
}

/// Records the results of hooks of a registered source. A skipped hook keeps the record of its last run;
/// hooks that the source no longer has are removed.
pub(crate) fn record_hook_runs(known: &mut RegisteredSource, wanted: &[PlannedHook], records: &[HookRecord]) {
    let wanted: BTreeSet<ContentHash> = wanted.iter().map(|hook| hook.hash).collect();
    known.install_hooks.retain(|record| wanted.contains(&record.hash));
    for record in records {
        match known.install_hooks.iter_mut().find(|previous| previous.hash == record.hash) {
            Some(previous) => {
                if record.ran_at.is_some() {
                    previous.ran_at.clone_from(&record.ran_at);
                }
            }
            None => known.install_hooks.push(record.clone()),
        }
    }
}

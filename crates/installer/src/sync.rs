//! Fetching new commits.

use std::collections::BTreeSet;
use std::path::Path;

use minds_git::{FetchRequest, FetchResult, Git, ObjectId};
use minds_inventory::RegisteredSource;
use minds_sources::discovery::Options;
use minds_sources::{Pin, Remote};
use minds_vfs::MountId;

use crate::clones::Clones;
use crate::fetch::{fetch, remote_of, revision};
use crate::files::{self, Files, ReadSource, clone_of, format_roots, from_git, require_git};
use crate::gather::{GatheredSources, Gatherer};
use crate::home::{Access, Home, std_path};
use crate::staging::Staging;
use crate::update::{SourceUpdate, UpdateScope};
use crate::upgrade::has_upgraded;
use crate::{
    Action, Consent, FetchSettings, Interaction, NO_SOURCE, Outcome, OutcomeKind, SourceChange, SourceError,
    SourceErrorKind, SourceStep, SyncRequest,
};

/// Fetches all registered sources at their pins, and registers new nested sources, whose hooks are offered.
/// With `upgrade`, installed items are upgraded in the same plan.
///
/// A source that fails stays at its commit, and is reported in the outcome.
///
/// # Errors
///
/// Fails if nothing could be fetched, or consent is missing.
pub fn sync(
    directory: &Path,
    request: &SyncRequest,
    consent: &Consent,
    terms: &FetchSettings,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Access::Write)?;
    let mut outcome = Outcome::new(Action::Sync, None);
    if home.registry.sources.is_empty() {
        outcome.notes.push(NO_SOURCE.to_owned());
    }
    let (items, question) = if request.upgrade {
        (UpdateScope::All, "fetch and upgrade this?")
    } else {
        (UpdateScope::Nothing, "fetch and register this?")
    };
    let staging = Staging::begin(&home)?;
    let mut update = SourceUpdate {
        home: &home,
        consent,
        clones: Clones::new(staging.transaction.folder().clone()),
        staging,
        known: Vec::new(),
        registry: home.registry.clone(),
        steps: Vec::new(),
        fetched: BTreeSet::new(),
        new: Vec::new(),
        items,
        question,
    };
    let mut git = None;
    let unchanged = fetch_all(&mut update, &mut git, *terms, interaction, &mut outcome)?;
    read_folders(&mut update, &mut git, &mut outcome);
    gather_new(&mut update, &mut git, *terms, interaction, &mut outcome);
    if request.upgrade {
        // A source that could not be fetched stays unchanged.
        for source in unchanged {
            match files::read(&home, &mut git, source) {
                Ok(read) => update.known.push(read),
                Err(error) if outcome.failures.contains(&error) => {}
                Err(error) => outcome.failures.push(error),
            }
        }
    }
    update.finish(interaction, &mut outcome)?;
    if outcome.outcome == OutcomeKind::NoOp && !home.registry.sources.is_empty() {
        let has_upgraded = request.upgrade && has_upgraded(&outcome);
        outcome.outcome = if has_upgraded { OutcomeKind::Upgraded } else { OutcomeKind::Synced };
    }
    Ok(outcome)
}

/// Fetches all sources with clones, and returns those that are unchanged because they failed.
fn fetch_all<'h>(
    update: &mut SourceUpdate<'h>,
    git: &mut Option<Git>,
    terms: FetchSettings,
    interaction: &mut dyn Interaction,
    outcome: &mut Outcome,
) -> Result<Vec<&'h RegisteredSource>, SourceError> {
    let home = update.home;
    let (mut sources, mut requests, mut unchanged) = (Vec::new(), Vec::new(), Vec::new());
    for source in home.registry.sources.iter().filter(|source| !source.is_linked()) {
        let staged = update.clones.stage(&source.identity)?;
        match remote_of(home, &source.remote) {
            Ok(remote) => {
                let known = source.commit.as_deref().and_then(|commit| ObjectId::parse(commit).ok());
                let into = std_path(&home.place.join(&staged));
                requests.push(FetchRequest { remote, revision: revision(&source.pin), into, known });
                sources.push(source);
            }
            Err(error) => {
                outcome.failures.push(error.with_target(&source.identity));
                unchanged.push(source);
            }
        }
    }
    let fetched = if requests.is_empty() {
        Vec::new()
    } else {
        match require_git(git, terms.use_git_config) {
            Ok(git) => fetch(git, &requests, terms, &mut *interaction),
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        }
    };
    for (source, fetched) in sources.into_iter().zip(fetched) {
        let taken = fetched.and_then(|fetched| read_fetched(home, git, &update.clones, source, &fetched));
        match taken {
            Ok((new, is_new)) => {
                if is_new {
                    update.fetched.insert(source.identity.clone());
                    update.steps.push(step(&new));
                }
                if let Some(known) = update.registry.find_mut(&source.identity) {
                    known.commit.clone_from(&new.registered.commit);
                    known.tree.clone_from(&new.registered.tree);
                    known.description.clone_from(&new.registered.description);
                }
                update.known.push(new);
            }
            Err(error) => {
                outcome.failures.push(error.with_target(&source.identity));
                unchanged.push(source);
            }
        }
    }
    Ok(unchanged)
}

/// Reads the sources that are folders of this machine.
fn read_folders(update: &mut SourceUpdate<'_>, git: &mut Option<Git>, outcome: &mut Outcome) {
    let home = update.home;
    for source in home.registry.sources.iter().filter(|source| source.is_linked()) {
        match files::read(home, git, source) {
            Ok(new) => {
                if let Some(known) = update.registry.find_mut(&source.identity) {
                    if known.commit != new.registered.commit {
                        update.steps.push(step(&new));
                    }
                    known.commit.clone_from(&new.registered.commit);
                    known.description = description_of(&new);
                }
                update.known.push(new);
            }
            Err(error) => outcome.failures.push(error),
        }
    }
}

/// Reads new nested sources.
fn gather_new(
    update: &mut SourceUpdate<'_>,
    git: &mut Option<Git>,
    terms: FetchSettings,
    interaction: &mut dyn Interaction,
    outcome: &mut Outcome,
) {
    let mut gathered = GatheredSources::default();
    let mut collector = Gatherer { home: update.home, git, clones: &mut update.clones, terms, interaction };
    collector.gather_nested(&update.known, &mut gathered);
    outcome.notes.append(&mut gathered.notes);
    outcome.skipped.append(&mut gathered.skipped);
    outcome.failures.append(&mut gathered.failures);
    update.new = gathered.sources;
}

/// Reads a fetched source. If it is not valid, its previous commit is kept.
fn read_fetched(
    home: &Home,
    git: &mut Option<Git>,
    clones: &Clones,
    source: &RegisteredSource,
    fetched: &FetchResult,
) -> Result<(ReadSource, bool), SourceError> {
    let at = match fetched {
        FetchResult::Unchanged(_) => clone_of(&source.identity)?,
        FetchResult::New(_) => clones
            .staged_clone(&source.identity)
            .cloned()
            .ok_or_else(|| SourceError::new(SourceErrorKind::System, "the fetched clone does not exist"))?,
    };
    let clone = std_path(&home.place.join(&at));
    let git = require_git(git, false)?;
    let tree = git.tree(&clone, fetched.commit(), MountId::WORKSPACE).map_err(|error| from_git(&error))?;
    let tree_id = git.tree_id(&clone, fetched.commit()).map_err(|error| from_git(&error))?;
    let files = Files::of_tree(tree);
    let discovered =
        files.discover(Options { roots: format_roots(source.roots.as_deref()), curator_roots: None })?;
    let mut registered = source.clone();
    registered.commit = Some(fetched.commit().to_string());
    registered.tree = Some(tree_id.to_string());
    let mut read = ReadSource { registered, discovered, files };
    read.registered.description = description_of(&read);
    let is_new = matches!(fetched, FetchResult::New(_));
    Ok((read, is_new))
}

fn description_of(source: &ReadSource) -> Option<String> {
    source.discovered.manifest.as_ref().and_then(|file| file.manifest().description()).map(str::to_owned)
}

fn step(source: &ReadSource) -> SourceStep {
    SourceStep {
        name: source.registered.identity.to_string(),
        change: SourceChange::Update,
        from: match (&source.registered.remote, &source.registered.pin) {
            (Remote::Folder(text) | Remote::Repository(text), Pin::DefaultBranch) => text.clone(),
            (Remote::Folder(text) | Remote::Repository(text), pin) => {
                format!(
                    "{text} ({} {})",
                    pin.kind(),
                    pin.revision().map(ToString::to_string).unwrap_or_default()
                )
            }
        },
        commit: source.registered.commit.clone(),
        offers: source.discovered.catalog.items.len(),
    }
}

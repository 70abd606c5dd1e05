//! Fetching new commits.

use std::collections::BTreeSet;
use std::path::Path;

use minds_paths::MountId;
use minds_sources::discovery::Options;
use minds_sources::{Pin, Registered, Remote};
use minds_system::git::{FetchRequest, Fetched, Git, ObjectId};

use super::clones::Clones;
use super::execute::Execution;
use super::fetching::{fetch, remote_of, revision};
use super::files::{self, Files, ReadSource, clone_of, from_git, shown_roots, the_git};
use super::gather::{Gathered, Gathering};
use super::home::{Home, Use, std_path};
use super::renewal::{Renewal, Renewed};
use super::upgrade::has_upgraded;
use super::{
    Consent, Desk, NO_SOURCE, Outcome, SourceError, SourceErrorKind, SourceStep, SyncRequest, Terms,
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
    terms: &Terms,
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Use::Change)?;
    let mut outcome = Outcome::new("sync", None);
    if home.registry.sources.is_empty() {
        outcome.notes.push(NO_SOURCE.to_owned());
    }
    let (items, question) = if request.upgrade {
        (Renewed::All, "fetch and upgrade this?")
    } else {
        (Renewed::Nothing, "fetch and register this?")
    };
    let execution = Execution::begin(&home)?;
    let mut renewal = Renewal {
        home: &home,
        consent,
        clones: Clones::below(execution.transaction.folder().clone()),
        execution,
        known: Vec::new(),
        registry: home.registry.clone(),
        steps: Vec::new(),
        fetched: BTreeSet::new(),
        new: Vec::new(),
        items,
        question,
    };
    let mut git = None;
    let left = fetch_all(&mut renewal, &mut git, *terms, desk, &mut outcome)?;
    look_at_folders(&mut renewal, &mut git, &mut outcome);
    bring_along(&mut renewal, &mut git, *terms, desk, &mut outcome);
    if request.upgrade {
        // A source that could not be fetched stays unchanged.
        for source in left {
            match files::read(&home, &mut git, source) {
                Ok(read) => renewal.known.push(read),
                Err(error) if outcome.failures.contains(&error) => {}
                Err(error) => outcome.failures.push(error),
            }
        }
    }
    renewal.finish(desk, &mut outcome)?;
    if outcome.outcome == "no-op" && !home.registry.sources.is_empty() {
        let has_upgraded = request.upgrade && has_upgraded(&outcome);
        outcome.outcome = if has_upgraded { "upgraded" } else { "synced" };
    }
    Ok(outcome)
}

/// Fetches all sources with clones, and returns those that are unchanged because they failed.
fn fetch_all<'h>(
    renewal: &mut Renewal<'h>,
    git: &mut Option<Git>,
    terms: Terms,
    desk: &mut dyn Desk,
    outcome: &mut Outcome,
) -> Result<Vec<&'h Registered>, SourceError> {
    let home = renewal.home;
    let (mut sources, mut requests, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for source in home.registry.sources.iter().filter(|source| !source.is_linked()) {
        let staged = renewal.clones.stage(&source.identity)?;
        match remote_of(home, &source.remote) {
            Ok(remote) => {
                let known = source.commit.as_deref().and_then(|commit| ObjectId::parse(commit).ok());
                let into = std_path(&home.place.join(&staged));
                requests.push(FetchRequest { remote, revision: revision(&source.pin), into, known });
                sources.push(source);
            }
            Err(error) => {
                outcome.failures.push(error.about(&source.identity));
                left.push(source);
            }
        }
    }
    let fetched = if requests.is_empty() {
        Vec::new()
    } else {
        match the_git(git, terms.use_git_config) {
            Ok(git) => fetch(git, &requests, terms, &mut *desk),
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        }
    };
    for (source, fetched) in sources.into_iter().zip(fetched) {
        let taken = fetched.and_then(|fetched| take(home, git, &renewal.clones, source, &fetched));
        match taken {
            Ok((new, is_new)) => {
                if is_new {
                    renewal.fetched.insert(source.identity.clone());
                    renewal.steps.push(step(&new));
                }
                if let Some(known) = renewal.registry.find_mut(&source.identity) {
                    known.commit.clone_from(&new.registered.commit);
                    known.tree.clone_from(&new.registered.tree);
                    known.description.clone_from(&new.registered.description);
                }
                renewal.known.push(new);
            }
            Err(error) => {
                outcome.failures.push(error.about(&source.identity));
                left.push(source);
            }
        }
    }
    Ok(left)
}

/// Reads the sources that are folders of this machine.
fn look_at_folders(renewal: &mut Renewal<'_>, git: &mut Option<Git>, outcome: &mut Outcome) {
    let home = renewal.home;
    for source in home.registry.sources.iter().filter(|source| source.is_linked()) {
        match files::read(home, git, source) {
            Ok(new) => {
                if let Some(known) = renewal.registry.find_mut(&source.identity) {
                    if known.commit != new.registered.commit {
                        renewal.steps.push(step(&new));
                    }
                    known.commit.clone_from(&new.registered.commit);
                    known.description = described(&new);
                }
                renewal.known.push(new);
            }
            Err(error) => outcome.failures.push(error),
        }
    }
}

/// Reads new nested sources.
fn bring_along(
    renewal: &mut Renewal<'_>,
    git: &mut Option<Git>,
    terms: Terms,
    desk: &mut dyn Desk,
    outcome: &mut Outcome,
) {
    let mut gathered = Gathered::default();
    let mut gathering = Gathering { home: renewal.home, git, clones: &mut renewal.clones, terms, desk };
    gathering.bring_along_new(&renewal.known, &mut gathered);
    outcome.notes.append(&mut gathered.notes);
    outcome.skipped.append(&mut gathered.skipped);
    outcome.failures.append(&mut gathered.failures);
    renewal.new = gathered.sources;
}

/// Reads a fetched source. If it is not valid, its previous commit is kept.
fn take(
    home: &Home,
    git: &mut Option<Git>,
    clones: &Clones,
    source: &Registered,
    fetched: &Fetched,
) -> Result<(ReadSource, bool), SourceError> {
    let at = match fetched {
        Fetched::Unchanged(_) => clone_of(&source.identity)?,
        Fetched::New(_) => clones
            .staged(&source.identity)
            .cloned()
            .ok_or_else(|| SourceError::new(SourceErrorKind::System, "the fetched clone does not exist"))?,
    };
    let clone = std_path(&home.place.join(&at));
    let git = the_git(git, false)?;
    let tree = git.tree(&clone, fetched.commit(), MountId::WORKSPACE).map_err(|error| from_git(&error))?;
    let tree_id = git.tree_id(&clone, fetched.commit()).map_err(|error| from_git(&error))?;
    let files = Files::of_tree(tree);
    let discovered =
        files.discover(Options { roots: shown_roots(source.roots.as_deref()), curator_roots: None })?;
    let mut registered = source.clone();
    registered.commit = Some(fetched.commit().to_string());
    registered.tree = Some(tree_id.to_string());
    let mut read = ReadSource { registered, discovered, files };
    read.registered.description = described(&read);
    let is_new = matches!(fetched, Fetched::New(_));
    Ok((read, is_new))
}

fn described(source: &ReadSource) -> Option<String> {
    source.discovered.manifest.as_ref().and_then(|file| file.manifest().description()).map(str::to_owned)
}

fn step(source: &ReadSource) -> SourceStep {
    SourceStep {
        name: source.registered.identity.to_string(),
        change: "update",
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

//! Fetching what is new.

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
use super::{Consent, Desk, Outcome, SourceError, SourceErrorKind, SourceStep, SyncRequest, Terms, upgrade};

/// Fetches all registered sources to the commits that their pins name, and registers what they newly bring along.
///
/// A source that fails keeps the commit that it has, and is told in the outcome.
///
/// # Errors
///
/// Fails if nothing could be done at all.
pub fn sync(
    directory: &Path,
    request: &SyncRequest,
    consent: &Consent,
    terms: &Terms,
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let home = Home::open(directory, Use::Change)?;
    let mut outcome = Outcome::new("sync", None);
    fetch_all(&home, consent, *terms, desk, &mut outcome)?;
    if outcome.outcome == "no-op" && !home.registry.sources.is_empty() {
        outcome.outcome = "synced";
    }
    if !request.upgrade {
        return Ok(outcome);
    }
    drop(home);
    // What was fetched is there now, for whoever opens the folder.
    let home = Home::open(directory, Use::Change)?;
    let failures = std::mem::take(&mut outcome.failures);
    let synced = std::mem::take(&mut outcome.preview.sources);
    upgrade::run(&home, None, consent, desk, &mut outcome)?;
    outcome.preview.sources = synced;
    for failure in failures {
        // A source that cannot be fetched may be one that cannot be read.
        if !outcome.failures.contains(&failure) {
            outcome.failures.push(failure);
        }
    }
    Ok(outcome)
}

fn fetch_all(
    home: &Home,
    consent: &Consent,
    terms: Terms,
    desk: &mut dyn Desk,
    outcome: &mut Outcome,
) -> Result<(), SourceError> {
    let mut execution = Execution::begin(home)?;
    let mut clones = Clones::below(execution.transaction.folder().clone());
    let mut git = None;
    let mut registry = home.registry.clone();
    let (mut known_sources, mut requests) = (Vec::new(), Vec::new());
    for source in home.registry.sources.iter().filter(|source| !source.is_linked()) {
        let staged = clones.stage(&source.identity)?;
        match remote_of(home, &source.remote) {
            Ok(remote) => {
                let known = source.commit.as_deref().and_then(|commit| ObjectId::parse(commit).ok());
                let into = std_path(&home.place.join(&staged));
                requests.push(FetchRequest { remote, revision: revision(&source.pin), into, known });
                known_sources.push(source);
            }
            Err(error) => outcome.failures.push(error.about(&source.identity)),
        }
    }
    let fetched = if requests.is_empty() {
        Vec::new()
    } else {
        match the_git(&mut git, terms.use_git_config) {
            Ok(git) => fetch(git, &requests, terms, &mut *desk),
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        }
    };
    let mut read: Vec<ReadSource> = Vec::new();
    for (source, fetched) in known_sources.into_iter().zip(fetched) {
        let taken = fetched.and_then(|fetched| take(home, &mut git, &clones, source, &fetched));
        match taken {
            Ok((new, is_new)) => {
                if is_new {
                    let staged = clones.staged(&source.identity).cloned();
                    if let Some(staged) = staged {
                        execution.transaction.put(staged, clone_of(&source.identity)?);
                    }
                    outcome.sources.push(step(&new));
                }
                if let Some(known) = registry.find_mut(&source.identity) {
                    known.commit.clone_from(&new.registered.commit);
                    known.tree.clone_from(&new.registered.tree);
                    known.description.clone_from(&new.registered.description);
                }
                read.push(new);
            }
            Err(error) => outcome.failures.push(error.about(&source.identity)),
        }
    }
    for source in home.registry.sources.iter().filter(|source| source.is_linked()) {
        match files::read(home, &mut git, source) {
            Ok(new) => {
                if let Some(known) = registry.find_mut(&source.identity) {
                    if known.commit != new.registered.commit {
                        outcome.sources.push(step(&new));
                    }
                    known.commit.clone_from(&new.registered.commit);
                    known.description = described(&new);
                }
                read.push(new);
            }
            Err(error) => outcome.failures.push(error),
        }
    }
    let mut gathered = Gathered::default();
    let mut gathering = Gathering { home, git: &mut git, clones: &mut clones, terms, desk };
    gathering.bring_along_new(&read, &mut gathered);
    for source in &gathered.sources {
        let registered = &source.read.registered;
        if let Some(staged) = clones.staged(&registered.identity).filter(|_| source.is_cloned) {
            execution.transaction.put(staged.clone(), clone_of(&registered.identity)?);
        }
        registry.sources.push(registered.clone());
        outcome.sources.push(SourceStep { change: "meld", ..step(&source.read) });
    }
    outcome.notes.append(&mut gathered.notes);
    outcome.skipped.append(&mut gathered.skipped);
    outcome.failures.append(&mut gathered.failures);
    outcome.preview.sources = outcome.sources.clone();
    if consent.dry_run {
        outcome.outcome = "dry-run";
        outcome.sources.clear();
        return Ok(());
    }
    if registry != home.registry || !outcome.sources.is_empty() {
        execution.commit(Some(&registry), None)?;
    }
    Ok(())
}

/// Reads what was fetched of a source. What cannot be read rightly does not take the place of what can.
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
            .ok_or_else(|| SourceError::new(SourceErrorKind::System, "what was fetched is not there"))?,
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

//! Reproducing a lock file.

use std::collections::BTreeMap;

use minds_document::{SnapshotEntry, Survey};
use minds_sources::{
    AbsolutePath, ItemKey, LOCK_FILE, Lock, LockRefusal, LockedSource, Pin, Refusal, RefusalKind, Remote,
    RevisionName, Selection, SourceSpec,
};

use super::clones::Clones;
use super::execute::Execution;
use super::gather::{Gathered, Gathering, NewSource, Wanted};
use super::home::{Home, path};
use super::melding::Melding;
use super::nested;
use super::{Consent, Desk, MeldRequest, Outcome, SourceError, SourceErrorKind, Terms};

/// The maximum size of a lock file in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Registers and installs exactly the content of the lock file of a source: each source at its commit, each
/// item with its hash. The source with the lock file is not registered itself, so a new dump gives the same
/// lock file.
///
/// # Errors
///
/// Fails without any change if anything differs from the lock file.
pub(super) fn meld(
    home: &Home,
    wanted: Wanted,
    request: &MeldRequest,
    consent: &Consent,
    terms: &Terms,
    desk: &mut dyn Desk,
) -> Result<Outcome, SourceError> {
    let identity = wanted.spec.identity.clone();
    let mut outcome = Outcome::new("meld", Some(identity.to_string()));
    let mut git = None;
    let execution = Execution::begin(home)?;
    let mut clones = Clones::below(execution.transaction.folder().clone());
    let mut gathering =
        Gathering { home, git: &mut git, clones: &mut clones, terms: *terms, desk: &mut *desk };
    let holder = gathering.read_one(wanted).map_err(|error| error.about(&identity))?;
    let lock = read(&holder).map_err(|error| error.about(&identity))?;
    let mut gathered = Gathered::default();
    for locked in &lock.sources {
        if let Some(known) = home.registry.find(&locked.identity) {
            lock.require(&locked.identity, known.url()).map_err(|refusal| refused(&refusal))?;
            locked
                .check_revision(known.commit.as_deref(), known.tree.as_deref())
                .map_err(|refusal| refused(&refusal))?;
            gathered.known.push((locked.identity.clone(), selection(locked)));
            continue;
        }
        let wanted = as_locked(home, locked)?;
        nested::check_place(&holder.read.registered.remote, &wanted.spec.remote, &locked.url)
            .map_err(|error| error.about(&identity))?;
        let mut source = gathering.read_one(wanted);
        if let Ok(source) = &mut source {
            let registered = &mut source.read.registered;
            registered.pin = locked.pin.clone();
            locked
                .check_revision(registered.commit.as_deref(), registered.tree.as_deref())
                .map_err(|refusal| refused(&refusal))?;
            check_items(locked, source)?;
        }
        gathered.sources.push(source.map_err(|error| error.about(&locked.identity))?);
    }
    let melding = Melding { home, consent, request, execution, clones, first: None, is_strict: true };
    melding.finish(gathered, &mut git, desk, &mut outcome)?;
    if outcome.outcome == "no-op" {
        outcome.outcome = "melded";
    }
    Ok(outcome)
}

/// Reads the lock file of a source.
fn read(holder: &NewSource) -> Result<Lock, SourceError> {
    let file = path(LOCK_FILE);
    let survey =
        Survey { directories: Vec::new(), files: vec![file.clone()], most_bytes: MAX_BYTES, most_entries: 1 };
    match holder.read.files.look(&survey)?.entries.remove(&file) {
        Some(SnapshotEntry::File { bytes, .. }) if (bytes.len() as u64) < MAX_BYTES => {
            Ok(Lock::parse(bytes)?)
        }
        Some(_) => {
            Err(SourceError::new(SourceErrorKind::InvalidState, format!("`{LOCK_FILE}` cannot be read")))
        }
        None => Err(SourceError::new(
            SourceErrorKind::Refused(RefusalKind::Locked),
            format!("`{LOCK_FILE}` does not exist; `minds source export --output` creates one"),
        )),
    }
}

/// Returns the source to read for a locked one.
fn as_locked(home: &Home, locked: &LockedSource) -> Result<Wanted, SourceError> {
    let user = home.user.as_ref().map(AbsolutePath::as_str);
    let spec = SourceSpec::parse(&locked.url, "/", user).map_err(|error| {
        let message = format!("invalid source `{}`: {error}", locked.url);
        SourceError::new(SourceErrorKind::InvalidSpec, message).about(&locked.identity)
    })?;
    if spec.identity != locked.identity {
        let message = format!("`{}` has the identity {}, not the locked one", locked.url, spec.identity);
        let kind = SourceErrorKind::Refused(RefusalKind::Locked);
        return Err(SourceError::new(kind, message).about(&locked.identity));
    }
    let is_linked = matches!(spec.remote, Remote::Folder(_)) && locked.pin == Pin::DefaultBranch;
    let commit = locked.commit.as_deref().filter(|_| !is_linked);
    let pin = commit.and_then(|commit| RevisionName::parse(commit).ok()).map_or(Pin::DefaultBranch, Pin::Ref);
    Ok(Wanted {
        spec,
        alias: locked.alias.clone(),
        pin: Some(pin),
        roots: locked.roots.clone(),
        curator: None,
        selection: selection(locked),
    })
}

fn selection(locked: &LockedSource) -> Selection {
    Selection::Items(locked.items.keys().cloned().collect())
}

/// Checks that a source offers the locked items.
fn check_items(locked: &LockedSource, source: &NewSource) -> Result<(), SourceError> {
    let items = source.read.items()?;
    let offered: BTreeMap<ItemKey, _> =
        items.items.iter().filter_map(|item| Some((item.item.key(), item.hash?))).collect();
    match locked.check_items(&offered) {
        Ok(()) => Ok(()),
        Err(refusals) => match refusals.into_iter().next() {
            Some(refusal) => Err(refused(&refusal).about(&locked.identity)),
            None => Ok(()),
        },
    }
}

fn refused(refusal: &LockRefusal) -> SourceError {
    Refusal::new(RefusalKind::Locked, refusal.to_string()).into()
}

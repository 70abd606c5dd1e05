//! Reproducing a lock file.

use std::collections::BTreeMap;

use minds_inventory::{AbsolutePath, LOCK_FILE, Lock, LockRefusal, LockedSource};
use minds_sources::{ItemKey, Pin, Refusal, RefusalKind, Remote, RevisionName, Selection, SourceSpec};
use minds_vfs::{SnapshotEntry, Survey};

use crate::clones::Clones;
use crate::gather::{GatheredSources, Gatherer, NewSource, WantedSource};
use crate::home::{Home, path};
use crate::nested_sources;
use crate::registration::Registration;
use crate::staging::Staging;
use crate::{
    Action, Consent, FetchSettings, Interaction, MeldRequest, Outcome, OutcomeKind, SourceError,
    SourceErrorKind,
};

/// The maximum size of a lock file in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Registers and installs exactly the content of the lock file of a source: each source at its commit, each
/// item with its hash. The source with the lock file is not registered itself, so a new dump gives the same
/// lock file.
///
/// # Errors
///
/// Fails without any change if anything differs from the lock file.
pub(crate) fn reproduce_lock(
    home: &Home,
    wanted: WantedSource,
    request: &MeldRequest,
    consent: &Consent,
    terms: &FetchSettings,
    interaction: &mut dyn Interaction,
) -> Result<Outcome, SourceError> {
    let identity = wanted.spec.identity.clone();
    let mut outcome = Outcome::new(Action::Meld, Some(identity.to_string()));
    let mut git = None;
    let staging = Staging::begin(home)?;
    let mut clones = Clones::new(staging.transaction.folder().clone());
    let mut collector =
        Gatherer { home, git: &mut git, clones: &mut clones, terms: *terms, interaction: &mut *interaction };
    let holder = collector.read_one(wanted).map_err(|error| error.with_target(&identity))?;
    let lock = read(&holder).map_err(|error| error.with_target(&identity))?;
    let mut gathered = GatheredSources::default();
    for locked in &lock.sources {
        if let Some(known) = home.registry.find(&locked.identity) {
            lock.require(&locked.identity, known.url()).map_err(|refusal| lock_error(&refusal))?;
            locked
                .check_revision(known.commit.as_deref(), known.tree.as_deref())
                .map_err(|refusal| lock_error(&refusal))?;
            gathered.known.push((locked.identity.clone(), selection(locked)));
            continue;
        }
        let wanted = wanted_source(home, locked)?;
        nested_sources::check_place(&holder.read.registered.remote, &wanted.spec.remote, &locked.url)
            .map_err(|error| error.with_target(&identity))?;
        let mut source = collector.read_one(wanted);
        if let Ok(source) = &mut source {
            let registered = &mut source.read.registered;
            registered.pin = locked.pin.clone();
            locked
                .check_revision(registered.commit.as_deref(), registered.tree.as_deref())
                .map_err(|refusal| lock_error(&refusal))?;
            check_items(locked, source)?;
        }
        gathered.sources.push(source.map_err(|error| error.with_target(&locked.identity))?);
    }
    let registration = Registration { home, consent, request, staging, clones, first: None, is_strict: true };
    registration.finish(gathered, &mut git, interaction, &mut outcome)?;
    if outcome.outcome == OutcomeKind::NoOp {
        outcome.outcome = OutcomeKind::Melded;
    }
    Ok(outcome)
}

/// Reads the lock file of a source.
fn read(holder: &NewSource) -> Result<Lock, SourceError> {
    let file = path(LOCK_FILE);
    let survey =
        Survey { directories: Vec::new(), files: vec![file.clone()], max_bytes: MAX_BYTES, max_entries: 1 };
    match holder.read.files.survey(&survey)?.entries.remove(&file) {
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
fn wanted_source(home: &Home, locked: &LockedSource) -> Result<WantedSource, SourceError> {
    let user = home.user.as_ref().map(AbsolutePath::as_str);
    let spec = SourceSpec::parse(&locked.url, "/", user).map_err(|error| {
        let message = format!("invalid source `{}`: {error}", locked.url);
        SourceError::new(SourceErrorKind::InvalidSpec, message).with_target(&locked.identity)
    })?;
    if spec.identity != locked.identity {
        let message = format!("`{}` has the identity {}, not the locked one", locked.url, spec.identity);
        let kind = SourceErrorKind::Refused(RefusalKind::Locked);
        return Err(SourceError::new(kind, message).with_target(&locked.identity));
    }
    let is_linked = matches!(spec.remote, Remote::Folder(_)) && locked.pin == Pin::DefaultBranch;
    let commit = locked.commit.as_deref().filter(|_| !is_linked);
    let pin = commit.and_then(|commit| RevisionName::parse(commit).ok()).map_or(Pin::DefaultBranch, Pin::Ref);
    Ok(WantedSource {
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
            Some(refusal) => Err(lock_error(&refusal).with_target(&locked.identity)),
            None => Ok(()),
        },
    }
}

fn lock_error(refusal: &LockRefusal) -> SourceError {
    Refusal::new(RefusalKind::Locked, refusal.to_string()).into()
}

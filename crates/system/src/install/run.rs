//! The steps of an installation, one after the other, and back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use minds_paths::WorkspacePath;

use super::commit::Outcome;
use super::error::{InstallError, InstallErrorKind};
use super::journal::{STATE_AT, State};
use super::sites::{Base, Sites};
use super::step::Step;
use crate::Root;
use crate::files::temporary::INSTALLATION;
use crate::files::{FileErrorKind, Refusal};
use crate::syscalls::{self, Handle, Kind, Wanted};

/// How many entries a directory has at most of which each is waited for.
const MAX_ENTRIES: usize = 1_000_000;

/// Who began what is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// This process, just now.
    Now,
    /// Another process, before.
    Before,
}

/// Makes all steps, and waits until they are on disk.
///
/// A step in whose place somebody put something else is left out if this finishes what another process began.
pub(super) fn run(sites: &Sites<'_>, steps: &[Step], begun: Begun) -> Result<(), InstallError> {
    let failed = |step: &Step, refusal| {
        let (base, path) = step.place();
        InstallError::of(sites.shown(base, path), refusal)
    };
    let mut are_copies_ready = false;
    for step in steps {
        if matches!(step, Step::Copy { .. }) && !are_copies_ready {
            are_copies_ready = true;
            for copy in steps {
                match copy.prepare(sites) {
                    Err(refusal) if begun == Begun::Before && is_of_others(&refusal) => {}
                    prepared => prepared.map_err(|refusal| failed(copy, refusal))?,
                }
            }
            sync_copies(sites, steps).map_err(|(step, refusal)| failed(step, refusal))?;
        }
        let performed = step.perform(sites);
        let (base, path) = step.place();
        sites.forget(base, path);
        match performed {
            Err(refusal) if begun == Begun::Before && is_of_others(&refusal) => {}
            performed => performed.map_err(|refusal| failed(step, refusal))?,
        }
    }
    sync_names(sites, steps).map_err(|refusal| InstallError::of(Path::new(INSTALLATION), refusal))
}

/// Waits until copies are on disk, before they get their places.
fn sync_copies<'s>(sites: &Sites<'_>, steps: &'s [Step]) -> Result<(), (&'s Step, Refusal)> {
    let mut synced = BTreeSet::new();
    for step in steps {
        let Step::Copy { base, path, new, .. } = step else { continue };
        let folder = path.segments().next().unwrap_or_default();
        let key = match base {
            Base::Home => (usize::MAX, folder),
            Base::Lobe(number) => (*number, folder),
        };
        if synced.insert(key) {
            let done = sites.place(*base, new).and_then(|place| {
                if syscalls::sync_file_system(&place.directory)? { Ok(()) } else { sync_each(sites, steps) }
            });
            done.map_err(|refusal| (step, refusal))?;
        }
    }
    Ok(())
}

/// The same where a file system cannot be waited for as a whole.
fn sync_each(sites: &Sites<'_>, steps: &[Step]) -> Result<(), Refusal> {
    for step in steps {
        let Step::Copy { base, new, .. } = step else { continue };
        let place = sites.place(*base, new)?;
        match place.stat()?.map(|stat| stat.kind) {
            Some(Kind::File) => {
                syscalls::sync_data(&syscalls::open_entry(&place.directory, &place.name, Wanted::Read)?)?;
            }
            Some(Kind::Directory) => {
                let inner = syscalls::open_entry(&place.directory, &place.name, Wanted::Directory)?;
                sync_below(&inner)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn sync_below(directory: &Handle) -> Result<(), Refusal> {
    for (name, kind) in syscalls::entries(directory, MAX_ENTRIES)?.unwrap_or_default() {
        let Ok(name) = String::from_utf8(name) else { continue };
        match kind {
            Kind::File => syscalls::sync_data(&syscalls::open_entry(directory, &name, Wanted::Read)?)?,
            Kind::Directory => sync_below(&syscalls::open_entry(directory, &name, Wanted::Directory)?)?,
            Kind::Link | Kind::Special => {}
        }
    }
    Ok(syscalls::sync_directory(directory)?)
}

/// Waits until all names that the steps change are on disk.
fn sync_names(sites: &Sites<'_>, steps: &[Step]) -> Result<(), Refusal> {
    let mut synced = BTreeSet::new();
    for step in steps {
        let (base, path) = step.place();
        let number = if let Base::Lobe(number) = base { number } else { usize::MAX };
        if !synced.insert((number, path.parent())) {
            continue;
        }
        match sites.place(base, path) {
            Ok(place) => syscalls::sync_directory(&place.directory)?,
            // It was to be made and was not, or is gone again.
            Err(Refusal {
                kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
                ..
            }) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(())
}

/// Takes everything back after a step that failed.
pub(super) fn abandon(
    sites: &Sites<'_>,
    steps: &[Step],
    journal: &Handle,
    error: InstallError,
) -> InstallError {
    // As long as this is not noted, a process that finds the journal goes forward; so all stays that it needs for that.
    let noted = syscalls::overwrite(journal, &[State::Abandoned.byte()], STATE_AT)
        .and_then(|()| syscalls::sync_data(journal));
    let taken_back = take_back(sites, steps).and_then(|()| {
        if noted.is_ok() {
            return finish(sites, steps).map(|_| ());
        }
        remove_journal(sites.home)?;
        clear(sites, steps);
        Ok(())
    });
    if taken_back.is_err() { error.with_kind(InstallErrorKind::HalfDone) } else { error }
}

/// Takes all steps back, the last one first.
pub(super) fn take_back(sites: &Sites<'_>, steps: &[Step]) -> Result<(), Refusal> {
    let mut first = Ok(());
    for step in steps.iter().rev() {
        let taken_back = step.take_back(sites);
        let (base, path) = step.place();
        sites.forget(base, path);
        first = first.and(taken_back);
    }
    first?;
    sync_names(sites, steps)
}

/// Removes what is not needed any more, and then the journal.
pub(super) fn finish(sites: &Sites<'_>, steps: &[Step]) -> Result<Outcome, Refusal> {
    let remains = clear(sites, steps);
    remove_journal(sites.home)?;
    Ok(Outcome { remains })
}

fn clear(sites: &Sites<'_>, steps: &[Step]) -> Vec<PathBuf> {
    let shown = |step: &Step| {
        let (base, path) = step.place();
        sites.shown(base, path)
    };
    steps.iter().filter(|step| step.clear(sites).is_err()).map(shown).collect()
}

fn remove_journal(home: &Root) -> Result<(), Refusal> {
    let top = home.open_exactly(&WorkspacePath::root(), Wanted::Directory)?;
    syscalls::unlink(&top, INSTALLATION)?;
    Ok(syscalls::sync_directory(&top)?)
}

/// Returns whether something is there that somebody else put there, or is gone that somebody else removed.
fn is_of_others(refusal: &Refusal) -> bool {
    matches!(
        refusal.kind,
        FileErrorKind::Changed
            | FileErrorKind::AlreadyExists
            | FileErrorKind::NotFound
            | FileErrorKind::NotDirectory
            | FileErrorKind::NotFile(_)
            | FileErrorKind::Link
    )
}

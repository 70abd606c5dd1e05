//! Executing and undoing the steps of an installation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use minds_paths::WorkspacePath;

use super::commit::Outcome;
use super::error::{InstallError, InstallErrorKind};
use super::journal::{STATE_AT, State};
use super::open_directories::{Base, OpenDirectories};
use super::step::Step;
use crate::Root;
use crate::files::temporary::INSTALL_JOURNAL;
use crate::files::{FileErrorKind, Refusal};
use crate::syscalls::{self, Access, Handle, Kind};

/// The maximum number of entries of a directory that are synced one by one.
const MAX_ENTRIES: usize = 1_000_000;

/// The process that started the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// This process.
    ThisProcess,
    /// An earlier process.
    EarlierProcess,
}

/// Makes all steps, and waits until they are on disk.
///
/// When completing the installation of an earlier process, a step whose place was changed externally is
/// skipped.
pub(super) fn run(
    directories: &OpenDirectories<'_>,
    steps: &[Step],
    origin: Origin,
) -> Result<(), InstallError> {
    let failed = |step: &Step, refusal| {
        let (base, path) = step.place();
        InstallError::of(directories.display_path(base, path), refusal)
    };
    let mut are_copies_ready = false;
    for step in steps {
        if matches!(step, Step::Copy { .. }) && !are_copies_ready {
            are_copies_ready = true;
            for copy in steps {
                match copy.prepare(directories) {
                    Err(refusal) if origin == Origin::EarlierProcess && is_external_change(&refusal) => {}
                    prepared => prepared.map_err(|refusal| failed(copy, refusal))?,
                }
            }
            sync_copies(directories, steps).map_err(|(step, refusal)| failed(step, refusal))?;
        }
        let performed = step.perform(directories);
        let (base, path) = step.place();
        directories.forget(base, path);
        match performed {
            Err(refusal) if origin == Origin::EarlierProcess && is_external_change(&refusal) => {}
            performed => performed.map_err(|refusal| failed(step, refusal))?,
        }
    }
    sync_names(directories, steps).map_err(|refusal| InstallError::of(Path::new(INSTALL_JOURNAL), refusal))
}

/// Waits until copies are on disk, before they are moved to their places.
fn sync_copies<'s>(directories: &OpenDirectories<'_>, steps: &'s [Step]) -> Result<(), (&'s Step, Refusal)> {
    let mut synced = BTreeSet::new();
    for step in steps {
        let Step::Copy { base, path, new, .. } = step else { continue };
        let folder = path.segments().next().unwrap_or_default();
        let key = match base {
            Base::Home => (usize::MAX, folder),
            Base::Lobe(number) => (*number, folder),
        };
        if synced.insert(key) {
            let done = directories.place(*base, new).and_then(|place| {
                if syscalls::sync_file_system(&place.directory)? {
                    Ok(())
                } else {
                    sync_each(directories, steps)
                }
            });
            done.map_err(|refusal| (step, refusal))?;
        }
    }
    Ok(())
}

/// Like [`sync_copies`], for file systems that cannot be synced as a whole.
fn sync_each(directories: &OpenDirectories<'_>, steps: &[Step]) -> Result<(), Refusal> {
    for step in steps {
        let Step::Copy { base, new, .. } = step else { continue };
        let place = directories.place(*base, new)?;
        match place.stat()?.map(|stat| stat.kind) {
            Some(Kind::File) => {
                syscalls::sync_data(&syscalls::open_entry(&place.directory, &place.name, Access::Read)?)?;
            }
            Some(Kind::Directory) => {
                let inner = syscalls::open_entry(&place.directory, &place.name, Access::Directory)?;
                sync_tree(&inner)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn sync_tree(directory: &Handle) -> Result<(), Refusal> {
    for (name, kind) in syscalls::entries(directory, MAX_ENTRIES)?.unwrap_or_default() {
        let Ok(name) = String::from_utf8(name) else { continue };
        match kind {
            Kind::File => syscalls::sync_data(&syscalls::open_entry(directory, &name, Access::Read)?)?,
            Kind::Directory => sync_tree(&syscalls::open_entry(directory, &name, Access::Directory)?)?,
            Kind::Link | Kind::Special => {}
        }
    }
    Ok(syscalls::sync_directory(directory)?)
}

/// Waits until all names that the steps change are on disk.
fn sync_names(directories: &OpenDirectories<'_>, steps: &[Step]) -> Result<(), Refusal> {
    let mut synced = BTreeSet::new();
    for step in steps {
        let (base, path) = step.place();
        let number = if let Base::Lobe(number) = base { number } else { usize::MAX };
        if !synced.insert((number, path.parent())) {
            continue;
        }
        match directories.place(base, path) {
            Ok(place) => syscalls::sync_directory(&place.directory)?,
            // The directory was not created, or was removed again.
            Err(Refusal {
                kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
                ..
            }) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(())
}

/// Undoes everything after a step that failed.
pub(super) fn abandon(
    directories: &OpenDirectories<'_>,
    steps: &[Step],
    journal: &Handle,
    error: InstallError,
) -> InstallError {
    // Until the state is recorded, a process that finds the journal completes the installation, so everything
    // that it needs must be kept.
    let recorded = syscalls::overwrite(journal, &[State::Abandoned.byte()], STATE_AT)
        .and_then(|()| syscalls::sync_data(journal));
    let undone = undo(directories, steps).and_then(|()| {
        if recorded.is_ok() {
            return finish(directories, steps).map(|_| ());
        }
        remove_journal(directories.home)?;
        clear(directories, steps);
        Ok(())
    });
    if undone.is_err() { error.with_kind(InstallErrorKind::HalfDone) } else { error }
}

/// Undoes all steps in reverse order.
pub(super) fn undo(directories: &OpenDirectories<'_>, steps: &[Step]) -> Result<(), Refusal> {
    let mut first = Ok(());
    for step in steps.iter().rev() {
        let undone = step.undo(directories);
        let (base, path) = step.place();
        directories.forget(base, path);
        first = first.and(undone);
    }
    first?;
    sync_names(directories, steps)
}

/// Removes temporary files, and then the journal.
pub(super) fn finish(directories: &OpenDirectories<'_>, steps: &[Step]) -> Result<Outcome, Refusal> {
    let remains = clear(directories, steps);
    remove_journal(directories.home)?;
    Ok(Outcome { remains })
}

fn clear(directories: &OpenDirectories<'_>, steps: &[Step]) -> Vec<PathBuf> {
    let display_path = |step: &Step| {
        let (base, path) = step.place();
        directories.display_path(base, path)
    };
    steps.iter().filter(|step| step.clear(directories).is_err()).map(display_path).collect()
}

fn remove_journal(home: &Root) -> Result<(), Refusal> {
    let top = home.open_without_links(&WorkspacePath::root(), Access::Directory)?;
    syscalls::unlink(&top, INSTALL_JOURNAL)?;
    Ok(syscalls::sync_directory(&top)?)
}

/// Returns whether an entry was created or removed externally in the meantime.
fn is_external_change(refusal: &Refusal) -> bool {
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

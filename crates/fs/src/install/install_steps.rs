//! The steps of an installation as a kind of transaction.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use super::error::{InstallError, InstallErrorKind};
use super::journal;
use super::open_directories::{Base, OpenDirectories};
use super::step::Step;
use crate::files::temporary::INSTALL_JOURNAL;
use crate::files::{FileErrorKind, Refusal};
use crate::syscalls::{self, Access, Handle, Kind};
use crate::transaction::{
    self, Failure, Origin, RecordFile, RecordedTransaction, Remainder, StepFailure, Steps,
};

/// The maximum number of entries of a directory that are synced one by one.
const MAX_ENTRIES: usize = 1_000_000;

/// The steps of an installation in a home and in agent homes.
pub(super) struct InstallSteps<'d, 'h> {
    directories: &'d OpenDirectories<'h>,
    steps: &'d [Step],
    are_copies_ready: Cell<bool>,
}

impl<'d, 'h> InstallSteps<'d, 'h> {
    pub(super) fn new(directories: &'d OpenDirectories<'h>, steps: &'d [Step]) -> Self {
        Self { directories, steps, are_copies_ready: Cell::new(false) }
    }

    /// Returns the transaction with these steps whose journal is in the directory `top`.
    pub(super) fn transaction<'t>(
        &'t self,
        journal: &'t Handle,
        top: &'t Handle,
    ) -> RecordedTransaction<'t, Self, RecordFile<'t>> {
        let (name, format) = (INSTALL_JOURNAL, journal::FORMAT);
        let record = RecordFile { handle: journal, directory: top, name, format };
        RecordedTransaction { record, steps: self }
    }

    /// Returns the place that a step changes, for messages.
    pub(super) fn display_path(&self, step: &Step) -> PathBuf {
        let (base, path) = step.place();
        self.directories.display_path(base, path)
    }

    /// Returns the error of a failed transaction.
    pub(super) fn error(&self, failure: Failure<Refusal>) -> InstallError {
        let step = failure.step.and_then(|step| self.steps.get(step));
        let path = step.map_or_else(|| PathBuf::from(INSTALL_JOURNAL), |step| self.display_path(step));
        let error = InstallError::of(path, failure.error);
        match failure.remainder {
            Remainder::Nothing => error,
            Remainder::Steps => error.with_kind(InstallErrorKind::HalfDone),
            Remainder::UnconfirmedSteps => error.with_kind(InstallErrorKind::Unconfirmed),
        }
    }
}

impl Steps for InstallSteps<'_, '_> {
    type Step = Step;
    type Error = Refusal;

    const MAY_REMAIN: bool = true;
    const IS_UNDONE_IF_INCOMPLETE: bool = true;

    fn steps(&self) -> &[Step] {
        self.steps
    }

    /// Creates all copies before the first one is moved to its place.
    fn prepare(&self, step: &Step, origin: Origin) -> Result<(), StepFailure<Refusal>> {
        if !matches!(step, Step::Copy { .. }) || self.are_copies_ready.replace(true) {
            return Ok(());
        }
        let failed = |index, error| StepFailure { step: Some(index), error };
        for (index, copy) in self.steps.iter().enumerate() {
            match copy.prepare(self.directories) {
                Err(refusal) if origin == Origin::EarlierProcess && Self::is_external_change(&refusal) => {}
                prepared => prepared.map_err(|refusal| failed(index, refusal))?,
            }
        }
        sync_copies(self.directories, self.steps).map_err(|(index, refusal)| failed(index, refusal))
    }

    fn perform(&self, step: &Step, _origin: Origin) -> Result<(), Refusal> {
        let performed = step.perform(self.directories);
        self.forget(step);
        performed
    }

    fn undo(&self, step: &Step) -> Result<(), Refusal> {
        let undone = step.undo(self.directories);
        self.forget(step);
        undone
    }

    fn clear(&self, step: &Step) -> Result<(), Refusal> {
        step.clear(self.directories)
    }

    fn sync_names(&self) -> Result<(), Refusal> {
        let mut synced = BTreeSet::new();
        for step in self.steps {
            let (base, path) = step.place();
            let number = if let Base::Lobe(number) = base { number } else { usize::MAX };
            if !synced.insert((number, path.parent())) {
                continue;
            }
            match self.directories.place(base, path) {
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

    fn is_external_change(refusal: &Refusal) -> bool {
        transaction::is_external_change(refusal)
    }
}

impl InstallSteps<'_, '_> {
    /// Closes directories that the step may have renamed.
    fn forget(&self, step: &Step) {
        let (base, path) = step.place();
        self.directories.forget(base, path);
    }
}

/// Waits until copies are on disk, before they are moved to their places.
fn sync_copies(directories: &OpenDirectories<'_>, steps: &[Step]) -> Result<(), (usize, Refusal)> {
    let mut synced = BTreeSet::new();
    for (index, step) in steps.iter().enumerate() {
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
            done.map_err(|refusal| (index, refusal))?;
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

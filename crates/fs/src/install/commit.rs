//! Committing an installation.

use std::path::{Path, PathBuf};

use minds_vfs::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::install_steps::InstallSteps;
use super::journal;
use super::open_directories::{Base, OpenDirectories};
use super::plan::Planner;
use super::staging::{PlannedChange, Transaction};
use super::step::Step;
use crate::files::temporary::INSTALL_JOURNAL;
use crate::files::{FileErrorKind, Refusal, walk};
use crate::syscalls::{self, Access, Handle, Kind};

/// The maximum number of files that are synced one by one; for more, the whole file system is synced, which
/// may include unrelated data.
const MAX_SINGLE_SYNCS: usize = 64;
/// The maximum number of staged entries.
const MAX_STAGED: usize = 1_000_000;

/// The result of a successful installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Replaced or removed entries of agent homes that could not be deleted: they remain next to their
    /// original path under temporary names.
    pub remains: Vec<PathBuf>,
}

impl Transaction<'_> {
    /// Makes all planned changes, or none. They are on disk when this returns.
    ///
    /// # Errors
    ///
    /// Fails with everything unchanged, except for [`InstallErrorKind::HalfDone`] and
    /// [`InstallErrorKind::Unconfirmed`].
    pub fn commit(mut self) -> Result<Outcome, InstallError> {
        let mut planned = std::mem::take(&mut self.planned);
        // Entries of agent homes refer to entries of the home, and the files that record what is installed
        // come last.
        planned.sort_by_key(|planned| match planned {
            PlannedChange::Put { .. } => 0,
            PlannedChange::Copy { .. } => 1,
            PlannedChange::Link { .. } => 2,
            PlannedChange::Unlink { .. } => 3,
            PlannedChange::Remove { .. } => 4,
        });
        planned.append(&mut self.states);
        let mut lobes: Vec<PathBuf> = Vec::new();
        for planned in &planned {
            if let PlannedChange::Link { lobe, .. }
            | PlannedChange::Copy { lobe, .. }
            | PlannedChange::Unlink { lobe, .. } = planned
            {
                if !lobe.is_absolute() || lobe.to_str().is_none() {
                    return Err(InstallError::new(lobe, InstallErrorKind::Place));
                }
                if !lobes.contains(lobe) {
                    lobes.push(lobe.clone());
                }
            }
        }
        let number_of =
            |lobe: &PathBuf| Base::Lobe(lobes.iter().position(|other| other == lobe).unwrap_or_default());
        let used = planned.iter().filter_map(|planned| match planned {
            PlannedChange::Link { lobe, path, .. }
            | PlannedChange::Copy { lobe, path, .. }
            | PlannedChange::Unlink { lobe, path, .. } => Some((number_of(lobe), path)),
            PlannedChange::Put { .. } | PlannedChange::Remove { .. } => None,
        });
        let mut directories = OpenDirectories::open(self.home, &lobes, used)?;
        let mut builder = Planner::new(&self, &directories);
        let steps = planned.iter().try_for_each(|planned| builder.add(planned, &number_of));
        let steps_to_make = builder.steps;
        let outcome = steps.and_then(|()| {
            if steps_to_make.is_empty() {
                Ok(Outcome::default())
            } else {
                self.execute(&directories, &lobes, &steps_to_make)
            }
        });
        // If the state is unknown, created directories may still be needed.
        let is_unchanged = |error: &InstallError| {
            !matches!(error.kind(), InstallErrorKind::HalfDone | InstallErrorKind::Unconfirmed)
        };
        if outcome.as_ref().is_err_and(is_unchanged) {
            directories.remove_created();
        }
        outcome
    }

    fn execute(
        &self,
        directories: &OpenDirectories<'_>,
        lobes: &[PathBuf],
        steps: &[Step],
    ) -> Result<Outcome, InstallError> {
        let (top, journal) = self.publish_journal(lobes, steps)?;
        let install = InstallSteps::new(directories, steps);
        let remaining = install.transaction(&journal, &top).execute();
        let remaining = remaining.map_err(|failure| install.error(failure))?;
        let remaining = remaining.iter().filter_map(|step| steps.get(*step));
        Ok(Outcome { remains: remaining.map(|step| install.display_path(step)).collect() })
    }

    /// Waits until everything staged is on disk, and then publishes the journal; returns the directory that
    /// contains it, and the journal.
    fn publish_journal(&self, lobes: &[PathBuf], steps: &[Step]) -> Result<(Handle, Handle), InstallError> {
        let in_home = |refusal| InstallError::of(Path::new(INSTALL_JOURNAL), refusal);
        let written = self.sync_staged().and_then(|()| self.write_journal(lobes, steps));
        let (directory, journal) = written.map_err(in_home)?;
        let top = self.home.open_without_links(&WorkspacePath::root(), Access::Directory).map_err(in_home)?;
        match syscalls::rename_new((&directory, "journal"), (&top, INSTALL_JOURNAL)) {
            Err(error) if syscalls::is_existing_name(&error) => {
                return Err(InstallError::new(Path::new(INSTALL_JOURNAL), InstallErrorKind::Interrupted));
            }
            renamed => renamed.map_err(|error| in_home(error.into()))?,
        }
        let Err(error) = syscalls::sync_directory(&top) else { return Ok((top, journal)) };
        // Nothing was installed yet, so the journal must not remain.
        let error = in_home(error.into());
        Err(match syscalls::unlink(&top, INSTALL_JOURNAL) {
            Ok(()) => error,
            Err(_) => error.with_kind(InstallErrorKind::HalfDone),
        })
    }

    /// Writes the journal into the staging folder.
    fn write_journal(&self, lobes: &[PathBuf], steps: &[Step]) -> Result<(Handle, Handle), Refusal> {
        let directory = self.home.open_without_links(&self.own, Access::Directory)?;
        let journal = syscalls::create_new(&directory, "journal", 0o600)?;
        let own = syscalls::stat(&journal)?.id.1;
        let home = syscalls::stat(&self.home.handle)?.id.1;
        syscalls::write_all(&journal, journal::write(home, own, lobes, steps).as_bytes())?;
        syscalls::sync_data(&journal)?;
        Ok((directory, journal))
    }

    /// Waits until everything staged is on disk.
    fn sync_staged(&self) -> Result<(), Refusal> {
        let directory = self.home.open_without_links(&self.own, Access::Directory)?;
        let staged = match walk(&directory, &self.own, MAX_SINGLE_SYNCS) {
            Err(Refusal { kind: FileErrorKind::TooLarge, .. }) => {
                if syscalls::sync_file_system(&directory)? {
                    return Ok(());
                }
                walk(&directory, &self.own, MAX_STAGED)?
            }
            staged => staged?,
        };
        for entry in &staged.entries {
            let wanted = match entry.kind {
                Kind::Directory => Access::Directory,
                Kind::File => Access::Read,
                Kind::Link | Kind::Special => continue,
            };
            let handle = self.home.open_without_links(&entry.real, wanted)?;
            if wanted == Access::Directory {
                syscalls::sync_directory(&handle)?;
            } else {
                syscalls::sync_data(&handle)?;
            }
        }
        for path in
            [Some(self.own.clone()), self.own.parent(), Some(WorkspacePath::root())].into_iter().flatten()
        {
            syscalls::sync_directory(&self.home.open_without_links(&path, Access::Directory)?)?;
        }
        Ok(())
    }
}

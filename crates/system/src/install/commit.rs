//! From what is staged to what is true.

use std::path::{Path, PathBuf};

use minds_paths::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::journal;
use super::plan::Planner;
use super::run::{Begun, abandon, finish, run};
use super::sites::{Base, Sites};
use super::staging::{Planned, Transaction};
use super::step::Step;
use crate::files::temporary::INSTALLATION;
use crate::files::{FileErrorKind, Refusal, walk};
use crate::syscalls::{self, Handle, Kind, Wanted};

/// Of so many files each is waited for alone; of more the whole file system is, which others may have filled.
const MAX_ALONE: usize = 64;
/// How many entries are staged at most.
const MAX_STAGED: usize = 1_000_000;

/// What is left to say after everything was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What was replaced or removed in an agent home and could not be cleared away: it stands beside its place under a name of
    /// temporary files.
    pub remains: Vec<PathBuf>,
}

impl Transaction<'_> {
    /// Makes everything true that was planned, or nothing. It is on disk when this returns.
    ///
    /// # Errors
    ///
    /// Fails with everything as it was, except with [`InstallErrorKind::HalfDone`] and [`InstallErrorKind::Unconfirmed`].
    pub fn commit(mut self) -> Result<Outcome, InstallError> {
        let mut planned = std::mem::take(&mut self.planned);
        // What lies in agent homes needs what lies in the home, and files that say what is installed come last.
        planned.sort_by_key(|planned| match planned {
            Planned::Put { .. } => 0,
            Planned::Copy { .. } => 1,
            Planned::Link { .. } => 2,
            Planned::Unlink { .. } => 3,
            Planned::Remove { .. } => 4,
        });
        planned.append(&mut self.states);
        let mut lobes: Vec<PathBuf> = Vec::new();
        for planned in &planned {
            if let Planned::Link { lobe, .. } | Planned::Copy { lobe, .. } | Planned::Unlink { lobe, .. } =
                planned
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
            Planned::Link { lobe, path, .. }
            | Planned::Copy { lobe, path, .. }
            | Planned::Unlink { lobe, path, .. } => Some((number_of(lobe), path)),
            Planned::Put { .. } | Planned::Remove { .. } => None,
        });
        let mut sites = Sites::open(self.home, &lobes, used)?;
        let mut maker = Planner::new(&self, &sites);
        let steps = planned.iter().try_for_each(|planned| maker.add(planned, &number_of));
        let made = maker.steps;
        let outcome = steps.and_then(|()| {
            if made.is_empty() { Ok(Outcome::default()) } else { self.make(&sites, &lobes, &made) }
        });
        // Where all is in doubt, what was made may be needed.
        let is_settled = |error: &InstallError| {
            !matches!(error.kind(), InstallErrorKind::HalfDone | InstallErrorKind::Unconfirmed)
        };
        if outcome.as_ref().is_err_and(is_settled) {
            sites.unmake();
        }
        outcome
    }

    fn make(&self, sites: &Sites<'_>, lobes: &[PathBuf], steps: &[Step]) -> Result<Outcome, InstallError> {
        let in_home = |refusal| InstallError::of(Path::new(INSTALLATION), refusal);
        let journal = self.write_down(lobes, steps)?;
        match run(sites, steps, Begun::Now) {
            Ok(()) => {}
            Err(error) => return Err(abandon(sites, steps, &journal, error)),
        }
        finish(sites, steps).map_err(|refusal| in_home(refusal).with_kind(InstallErrorKind::Unconfirmed))
    }

    /// Waits until everything is on disk, and then says what will happen.
    fn write_down(&self, lobes: &[PathBuf], steps: &[Step]) -> Result<Handle, InstallError> {
        let in_home = |refusal| InstallError::of(Path::new(INSTALLATION), refusal);
        let written = self.settle().and_then(|()| self.write_journal(lobes, steps));
        let (directory, journal) = written.map_err(in_home)?;
        let top = self.home.open_exactly(&WorkspacePath::root(), Wanted::Directory).map_err(in_home)?;
        match syscalls::rename_new((&directory, "journal"), (&top, INSTALLATION)) {
            Err(error) if syscalls::is_taken(&error) => {
                return Err(InstallError::new(Path::new(INSTALLATION), InstallErrorKind::Interrupted));
            }
            renamed => renamed.map_err(|error| in_home(error.into()))?,
        }
        let Err(error) = syscalls::sync_directory(&top) else { return Ok(journal) };
        // Nothing has happened, and nobody shall believe it will.
        let error = in_home(error.into());
        Err(match syscalls::unlink(&top, INSTALLATION) {
            Ok(()) => error,
            Err(_) => error.with_kind(InstallErrorKind::HalfDone),
        })
    }

    /// Writes the journal where nobody looks for it yet.
    fn write_journal(&self, lobes: &[PathBuf], steps: &[Step]) -> Result<(Handle, Handle), Refusal> {
        let directory = self.home.open_exactly(&self.own, Wanted::Directory)?;
        let journal = syscalls::create_new(&directory, "journal", 0o600)?;
        let own = syscalls::stat(&journal)?.id.1;
        let home = syscalls::stat(&self.home.handle)?.id.1;
        syscalls::write_all(&journal, journal::write(home, own, lobes, steps).as_bytes())?;
        syscalls::sync_data(&journal)?;
        Ok((directory, journal))
    }

    /// Waits until all that was staged is on disk.
    fn settle(&self) -> Result<(), Refusal> {
        let directory = self.home.open_exactly(&self.own, Wanted::Directory)?;
        let staged = match walk(&directory, &self.own, MAX_ALONE) {
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
                Kind::Directory => Wanted::Directory,
                Kind::File => Wanted::Read,
                Kind::Link | Kind::Special => continue,
            };
            let handle = self.home.open_exactly(&entry.real, wanted)?;
            if wanted == Wanted::Directory {
                syscalls::sync_directory(&handle)?;
            } else {
                syscalls::sync_data(&handle)?;
            }
        }
        for path in
            [Some(self.own.clone()), self.own.parent(), Some(WorkspacePath::root())].into_iter().flatten()
        {
            syscalls::sync_directory(&self.home.open_exactly(&path, Wanted::Directory)?)?;
        }
        Ok(())
    }
}

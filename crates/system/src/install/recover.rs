//! What a process that died left of an installation.

use std::path::{Path, PathBuf};

use minds_paths::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::journal::{self, MAX_BYTES, State};
use super::run::{Begun, abandon, finish, run, take_back};
use super::sites::Sites;
use super::staging::sweep;
use super::step::Step;
use crate::Root;
use crate::files::temporary::INSTALLATION;
use crate::files::{Refusal, content, expect_file};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Wanted};

/// What was found of an installation that was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// None had come so far that something changed.
    Nothing,
    /// One was finished.
    Finished,
    /// One had failed, or failed now, and is taken back.
    TakenBack,
}

/// Returns whether there is an installation that was interrupted, or one that another process is at.
pub fn is_interrupted(home: &Root) -> bool {
    let journal = syscalls::stat_entry(&home.handle, INSTALLATION);
    !journal.is_err_and(|error| syscalls::is_absent(&error))
}

/// Finishes an installation that was interrupted, or removes what one had only staged. What somebody changed meanwhile stays as
/// they left it. The caller holds the lock of the home; `lobes` are all agent homes in which something may have been installed.
///
/// # Errors
///
/// Fails if there is a journal that is none of ours, or names another folder than one of `lobes`, and then nothing changes; or if
/// nothing can be changed now.
pub fn recover(home: &Root, lobes: &[PathBuf]) -> Result<Recovered, InstallError> {
    let failed = |refusal| InstallError::of(Path::new(INSTALLATION), refusal);
    let done = match syscalls::open_entry(&home.handle, INSTALLATION, Wanted::Own) {
        Ok(journal) => settle(home, lobes, &journal)?,
        Err(error) if syscalls::is_absent(&error) => Recovered::Nothing,
        // What has the name of the journal and is no file was not written by this program.
        Err(error)
            if syscalls::is_link(&error)
                || syscalls::is_no_file(&error)
                || error.kind() == std::io::ErrorKind::IsADirectory =>
        {
            return Err(InstallError::new(Path::new(INSTALLATION), InstallErrorKind::Foreign));
        }
        Err(error) => return Err(failed(error.into())),
    };
    // What cannot be removed is in nobody's way.
    let _ = sweep(home, None);
    Ok(done)
}

fn settle(home: &Root, lobes: &[PathBuf], handle: &syscalls::Handle) -> Result<Recovered, InstallError> {
    let failed = |refusal: Refusal| InstallError::of(Path::new(INSTALLATION), refusal);
    let read = || {
        let stat = syscalls::stat(handle)?;
        if expect_file(&stat).is_err() {
            return Ok(None);
        }
        let bytes = content(handle, &stat, MAX_BYTES)?;
        let top = syscalls::stat(&home.handle)?.id.1;
        Ok(journal::read(top, stat.id.1, &bytes, lobes))
    };
    let journal = read().map_err(failed)?;
    let journal =
        journal.ok_or_else(|| InstallError::new(Path::new(INSTALLATION), InstallErrorKind::Foreign))?;
    let used = journal.steps.iter().map(Step::place);
    let used: Vec<(_, WorkspacePath)> = used.map(|(base, path)| (base, path.clone())).collect();
    let sites = Sites::open(home, &journal.lobes, used.iter().map(|(base, path)| (*base, path)))?;
    let files: Vec<String> =
        used.iter().map(|(base, path)| sites.shown(*base, path).display().to_string()).collect();
    let undone = || {
        notice::notify(&Notice::Undone { files: &files });
        Ok(Recovered::TakenBack)
    };
    if journal.state == State::Committed {
        match run(&sites, &journal.steps, Begun::Before) {
            Ok(()) => {
                finish(&sites, &journal.steps).map_err(failed)?;
                notice::notify(&Notice::Finished { files: &files });
                return Ok(Recovered::Finished);
            }
            Err(error) => {
                let error = abandon(&sites, &journal.steps, handle, error);
                let is_half_done = error.kind() == InstallErrorKind::HalfDone;
                return if is_half_done { Err(error) } else { undone() };
            }
        }
    }
    take_back(&sites, &journal.steps).and_then(|()| finish(&sites, &journal.steps)).map_err(failed)?;
    undone()
}

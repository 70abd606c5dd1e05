//! Recovery of an interrupted installation.

use std::path::{Path, PathBuf};

use minds_paths::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::journal::{self, MAX_BYTES, State};
use super::open_directories::OpenDirectories;
use super::run::{Origin, abandon, finish, run, undo};
use super::staging::sweep;
use super::step::Step;
use crate::Root;
use crate::files::temporary::INSTALL_JOURNAL;
use crate::files::{Refusal, expect_file, read_all};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Access};

/// The result of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// No installation had changed anything.
    Nothing,
    /// An interrupted installation was completed.
    Finished,
    /// An interrupted installation had failed, or failed now, and was undone.
    Undone,
}

/// Returns whether an installation was interrupted, or is in progress in another process.
pub fn is_interrupted(home: &Root) -> bool {
    let journal = syscalls::stat_entry(&home.handle, INSTALL_JOURNAL);
    !journal.is_err_and(|error| syscalls::is_absent(&error))
}

/// Completes an interrupted installation, or removes its staged files. Entries that were changed externally
/// in the meantime are kept. The caller holds the lock of the home; `lobes` are all agent homes into which
/// items may have been installed.
///
/// # Errors
///
/// Fails without any change if the journal was not written by this program or names a folder that is not in
/// `lobes`; also fails if files cannot be changed.
pub fn recover(home: &Root, lobes: &[PathBuf]) -> Result<Recovered, InstallError> {
    let failed = |refusal| InstallError::of(Path::new(INSTALL_JOURNAL), refusal);
    let done = match syscalls::open_entry(&home.handle, INSTALL_JOURNAL, Access::Own) {
        Ok(journal) => recover_from_journal(home, lobes, &journal)?,
        Err(error) if syscalls::is_absent(&error) => Recovered::Nothing,
        // An object at the name of the journal that is not a file was not written by this program.
        Err(error)
            if syscalls::is_link(&error)
                || syscalls::is_not_regular_file(&error)
                || error.kind() == std::io::ErrorKind::IsADirectory =>
        {
            return Err(InstallError::new(Path::new(INSTALL_JOURNAL), InstallErrorKind::Foreign));
        }
        Err(error) => return Err(failed(error.into())),
    };
    // Files that cannot be removed are harmless.
    let _ = sweep(home, None);
    Ok(done)
}

fn recover_from_journal(
    home: &Root,
    lobes: &[PathBuf],
    handle: &syscalls::Handle,
) -> Result<Recovered, InstallError> {
    let failed = |refusal: Refusal| InstallError::of(Path::new(INSTALL_JOURNAL), refusal);
    let read = || {
        let stat = syscalls::stat(handle)?;
        if expect_file(&stat).is_err() {
            return Ok(None);
        }
        let bytes = read_all(handle, &stat, MAX_BYTES)?;
        let top = syscalls::stat(&home.handle)?.id.1;
        Ok(journal::read(top, stat.id.1, &bytes, lobes))
    };
    let journal = read().map_err(failed)?;
    let journal =
        journal.ok_or_else(|| InstallError::new(Path::new(INSTALL_JOURNAL), InstallErrorKind::Foreign))?;
    let used = journal.steps.iter().map(Step::place);
    let used: Vec<(_, WorkspacePath)> = used.map(|(base, path)| (base, path.clone())).collect();
    let directories =
        OpenDirectories::open(home, &journal.lobes, used.iter().map(|(base, path)| (*base, path)))?;
    let files: Vec<String> =
        used.iter().map(|(base, path)| directories.display_path(*base, path).display().to_string()).collect();
    let report_undone = || {
        notice::notify(&Notice::Undone { files: &files });
        Ok(Recovered::Undone)
    };
    if journal.state == State::Committed {
        match run(&directories, &journal.steps, Origin::EarlierProcess) {
            Ok(()) => {
                finish(&directories, &journal.steps).map_err(failed)?;
                notice::notify(&Notice::Finished { files: &files });
                return Ok(Recovered::Finished);
            }
            Err(error) => {
                let error = abandon(&directories, &journal.steps, handle, error);
                let is_half_done = error.kind() == InstallErrorKind::HalfDone;
                return if is_half_done { Err(error) } else { report_undone() };
            }
        }
    }
    undo(&directories, &journal.steps).and_then(|()| finish(&directories, &journal.steps)).map_err(failed)?;
    report_undone()
}

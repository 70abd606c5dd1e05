//! Recovery of an interrupted installation.

use std::path::{Path, PathBuf};

use minds_vfs::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::install_steps::InstallSteps;
use super::journal::{self, MAX_BYTES};
use super::open_directories::OpenDirectories;
use super::staging::sweep;
use super::step::Step;
use crate::Root;
use crate::files::temporary::INSTALL_JOURNAL;
use crate::files::{Refusal, expect_file, read_all};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Access};
use crate::transaction::{Remainder, State};

/// The result of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
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
pub fn recover(home: &Root, lobes: &[PathBuf]) -> Result<Recovery, InstallError> {
    let failed = |refusal| InstallError::of(Path::new(INSTALL_JOURNAL), refusal);
    let done = match syscalls::open_entry(&home.handle, INSTALL_JOURNAL, Access::Own) {
        Ok(journal) => recover_from_journal(home, lobes, &journal)?,
        Err(error) if syscalls::is_absent(&error) => Recovery::Nothing,
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
) -> Result<Recovery, InstallError> {
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
    let top = home.open_without_links(&WorkspacePath::root(), Access::Directory).map_err(failed)?;
    let steps = InstallSteps::new(&directories, &journal.steps);
    let recovered = steps.transaction(handle, &top).recover(journal.state);
    let displayed = journal.steps.iter().map(|step| steps.display_path(step).display().to_string());
    let files: Vec<String> = displayed.collect();
    match recovered {
        Ok(State::Committed) => {
            notice::notify(&Notice::Finished { files: &files });
            Ok(Recovery::Finished)
        }
        Ok(State::Planned | State::Abandoned) => {
            notice::notify(&Notice::Undone { files: &files });
            Ok(Recovery::Undone)
        }
        Err(failure) if journal.state == State::Committed && failure.remainder == Remainder::Steps => {
            Err(steps.error(failure))
        }
        Err(failure) => Err(failed(failure.error)),
    }
}

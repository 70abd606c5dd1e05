//! Lock files that only one process holds at a time.

use std::io;

use minds_vfs::FileMode;

use super::error::{FileErrorKind, Refusal};
use super::lock_wait::{LockHolder, LockWait};
use crate::syscalls::{self, Access, FileId, Handle, Kind, Sharing, Stat};

/// The maximum number of attempts when other processes are faster.
const MAX_TRIES: usize = 100_000;
/// The permissions of every lock file: a process of another user that could open it could hold its lock
/// forever.
pub(crate) const PRIVATE: u32 = 0o600;

/// A new, empty, locked file. Other processes that want to create a file of this name wait until this one is
/// removed.
///
/// The lock belongs to the file rather than its name, so after locking, the name is compared with the file.
/// An unlocked file belonged to a process that died; the next process removes it while holding its
/// lock. Therefore at most one stale file exists, and a file in use is never removed.
pub(crate) struct Claim<'d> {
    pub(crate) directory: &'d Handle,
    pub(crate) name: String,
    pub(crate) handle: Handle,
    pub(crate) stat: Stat,
}

impl<'d> Claim<'d> {
    /// Creates the file, and waits for another claim of the same name to end. A stale file is removed.
    /// `target` is the path to be changed, for messages.
    pub(crate) fn take(directory: &'d Handle, name: &str, target: &str) -> Result<Self, Refusal> {
        Self::take_with(directory, name, target, |wait| remove_stale(directory, name, Some(wait)))
    }

    /// Like [`Claim::take`]; `wait_for_other` waits for the other claim to end, and handles a stale file.
    pub(crate) fn take_with(
        directory: &'d Handle,
        name: &str,
        target: &str,
        mut wait_for_other: impl FnMut(&mut LockWait<'_>) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let mut wait = LockWait::new(target);
        for _ in 0..MAX_TRIES {
            if let Some(claim) = Self::attempt(directory, name, &mut wait)? {
                return Ok(claim);
            }
            wait_for_other(&mut wait)?;
        }
        Err(FileErrorKind::Busy.into())
    }

    /// Creates the file without waiting; returns none if another claim of the name exists.
    pub(crate) fn try_take(directory: &'d Handle, name: &str) -> Result<Option<Self>, Refusal> {
        remove_stale(directory, name, None)?;
        Self::attempt(directory, name, &mut LockWait::new(name))
    }

    /// Creates the file; returns none if the name exists, or the file was replaced meanwhile.
    fn attempt(directory: &'d Handle, name: &str, wait: &mut LockWait<'_>) -> Result<Option<Self>, Refusal> {
        let handle = match syscalls::create_new(directory, name, PRIVATE) {
            Ok(handle) => handle,
            Err(error) if syscalls::is_existing_name(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // If locking fails, the file stays: no process may remove it without holding its lock.
        wait.lock(&handle, Sharing::Exclusive)?;
        let stat = syscalls::stat(&handle)?;
        let is_ours = is_named(directory, name, stat.id)?;
        Ok(is_ours.then(|| Self { directory, name: name.to_owned(), handle, stat }))
    }

    /// Removes the file.
    pub(crate) fn drop_file(self) {
        // If this fails, a stale file remains, which the next claim removes.
        let _ = syscalls::unlink(self.directory, &self.name);
    }
}

/// Returns whether the name still refers to the file.
pub(crate) fn is_named(directory: &Handle, name: &str, id: FileId) -> Result<bool, Refusal> {
    match syscalls::stat_entry(directory, name) {
        Ok(stat) => Ok(stat.id == id),
        Err(error) if syscalls::is_absent(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Removes a temporary file that no process uses. With `wait`, waits for a process that uses it; else leaves
/// such a file.
pub(crate) fn remove_stale(
    directory: &Handle,
    name: &str,
    wait: Option<&mut LockWait<'_>>,
) -> Result<(), Refusal> {
    let handle = match syscalls::open_entry(directory, name, Access::Own) {
        Ok(handle) => handle,
        Err(error) if syscalls::is_absent(&error) => return Ok(()),
        Err(error)
            if syscalls::is_link(&error) || syscalls::is_not_regular_file(&error) || is_directory(&error) =>
        {
            return remove_foreign(directory, name, wait.is_some());
        }
        // Temporary files can be opened only by the user who created them.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let is_foreign = remove_foreign(directory, name, wait.is_some());
            return match wait {
                Some(wait) => is_foreign.and_then(|()| wait.pause(|| LockHolder::AnotherUser)),
                None => is_foreign,
            };
        }
        Err(error) => return Err(error.into()),
    };
    let stat = syscalls::stat(&handle)?;
    // A file without a name was in use until now.
    if stat.kind != Kind::File || stat.links > 1 {
        return remove_foreign(directory, name, wait.is_some());
    }
    match wait {
        Some(wait) => wait.lock(&handle, Sharing::Exclusive)?,
        None if !syscalls::try_lock(&handle, Sharing::Exclusive)? => return Ok(()),
        None => {}
    }
    if is_named(directory, name, stat.id)? {
        ignore_absent(syscalls::unlink(directory, name))
    } else {
        Ok(())
    }
}

fn is_directory(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::IsADirectory
}

/// Removes an object that another program put at the name of a temporary file, if the name is needed. Only
/// the name is removed; links are not followed.
fn remove_foreign(directory: &Handle, name: &str, is_needed: bool) -> Result<(), Refusal> {
    if !is_needed {
        return Ok(());
    }
    match syscalls::stat_entry(directory, name) {
        Ok(stat) if stat.kind != Kind::File || stat.links > 1 => {
            ignore_absent(syscalls::unlink(directory, name))
        }
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Treats the removal of a missing entry as success.
fn ignore_absent(removed: io::Result<()>) -> Result<(), Refusal> {
    match removed {
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Returns the permissions of a new file before the user's umask is applied.
pub(crate) fn bits_of(mode: FileMode) -> u32 {
    match mode {
        FileMode::Regular => 0o666,
        FileMode::Executable => 0o777,
        FileMode::Private => 0o600,
    }
}

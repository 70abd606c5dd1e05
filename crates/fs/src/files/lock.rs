//! Advisory locks between processes.

use std::io;

use super::claim::{PRIVATE, is_named};
use super::error::{FileError, FileErrorKind, Refusal};
use super::lock_wait::{LockHolder, LockWait};
use super::open_file::expect_file;
use super::place::Place;
use super::temporary;
use crate::syscalls::{self, Access, Handle, Sharing};

/// The maximum number of attempts when other processes are faster.
const MAX_TRIES: usize = 100_000;

/// An advisory lock on a place, held until it is dropped. It does not affect programs that do not ask for it.
///
/// The lock is a separate file next to the place, so its holder can replace, append to and remove the file at
/// the place. The lock file is removed with the last holder; the lock file of a process that died is free.
#[derive(Debug)]
pub struct Lock {
    directory: Handle,
    name: String,
    handle: Handle,
}

impl Place<'_> {
    /// Waits until the lock on this place is free, and acquires it. The place need not exist; its directory
    /// must.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written, or with [`FileErrorKind::Locked`] if another process holds
    /// the lock until the timeout.
    pub fn lock(self, sharing: Sharing) -> Result<Lock, FileError> {
        let mut wait = LockWait::new(self.real.as_str());
        let taken = self.take_lock(sharing, Some(&mut wait));
        match taken.and_then(|lock| lock.ok_or(FileErrorKind::Busy.into())) {
            Ok((handle, name)) => Ok(Lock { directory: self.directory, name, handle }),
            Err(refusal) => Err(self.error_at("lock", refusal)),
        }
    }

    /// Acquires the lock on this place if it is free; returns none if it is not.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written.
    pub fn try_lock(self, sharing: Sharing) -> Result<Option<Lock>, FileError> {
        match self.take_lock(sharing, None) {
            Ok(Some((handle, name))) => Ok(Some(Lock { directory: self.directory, name, handle })),
            Ok(None) => Ok(None),
            Err(refusal) => Err(self.error_at("lock", refusal)),
        }
    }

    /// Returns the locked file and its name; none if the lock is not free and no wait is given.
    fn take_lock(
        &self,
        sharing: Sharing,
        mut wait: Option<&mut LockWait<'_>>,
    ) -> Result<Option<(Handle, String)>, Refusal> {
        let name = temporary::lock_name(&self.name);
        for _ in 0..MAX_TRIES {
            let opened = match syscalls::open_entry(&self.directory, &name, Access::Own) {
                Err(error) if syscalls::is_absent(&error) => {
                    syscalls::create_new(&self.directory, &name, PRIVATE)
                }
                opened => opened,
            };
            let handle = match opened {
                Err(error) if syscalls::is_existing_name(&error) => continue,
                // The lock file belongs to another user, who holds the lock as long as the file exists.
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied
                        && syscalls::stat_entry(&self.directory, &name).is_ok() =>
                {
                    let Some(wait) = wait.as_deref_mut() else { return Ok(None) };
                    wait.pause(|| LockHolder::AnotherUser)?;
                    continue;
                }
                opened => opened?,
            };
            // The last holder may have removed the name.
            let stat = syscalls::stat(&handle)?;
            if stat.links == 0 {
                continue;
            }
            expect_file(&stat)?;
            match wait.as_deref_mut() {
                Some(wait) => wait.lock(&handle, sharing)?,
                None if !syscalls::try_lock(&handle, sharing)? => return Ok(None),
                None => {}
            }
            if is_named(&self.directory, &name, stat.id)? {
                return Ok(Some((handle, name)));
            }
        }
        Err(FileErrorKind::Busy.into())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The last holder removes the file; only an exclusive holder may remove it.
        let is_exclusive = syscalls::try_lock(&self.handle, Sharing::Exclusive).unwrap_or(false);
        let stat = syscalls::stat(&self.handle).ok().filter(|_| is_exclusive);
        if let Some(stat) = stat
            && is_named(&self.directory, &self.name, stat.id).unwrap_or(false)
        {
            let _ = syscalls::unlink(&self.directory, &self.name);
        }
    }
}

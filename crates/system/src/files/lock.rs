//! Locks that programs agree on.

use std::io;

use super::claim::{PRIVATE, is_named};
use super::error::{FileError, FileErrorKind, Refusal};
use super::open_file::expect_file;
use super::patience::{Holder, Patience};
use super::place::Place;
use super::temporary;
use crate::syscalls::{self, Handle, Sharing, Wanted};

/// How often it is tried again when others are quicker.
const MAX_TRIES: usize = 100_000;

/// A lock on a place, held until it is dropped. It keeps nobody out who does not ask for it.
///
/// It is a file of its own beside the place, so whoever has it can replace, append to and remove what stands there. The
/// file goes when nobody has the lock any more; one that a process left behind by dying is free.
#[derive(Debug)]
pub struct Lock {
    directory: Handle,
    name: String,
    handle: Handle,
}

impl Place<'_> {
    /// Waits until the lock on this place is free, and takes it. The place need not exist, the directory must.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written, and with [`FileErrorKind::Locked`] if another process keeps the lock for
    /// longer than it is waited for.
    pub fn lock(self, sharing: Sharing) -> Result<Lock, FileError> {
        let mut patience = Patience::new(self.real.as_str());
        let taken = self.take_lock(sharing, Some(&mut patience));
        match taken.and_then(|lock| lock.ok_or(FileErrorKind::Busy.into())) {
            Ok((handle, name)) => Ok(Lock { directory: self.directory, name, handle }),
            Err(refusal) => Err(self.failed("lock", refusal)),
        }
    }

    /// Takes the lock on this place if it is free; returns none if it is not.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written.
    pub fn try_lock(self, sharing: Sharing) -> Result<Option<Lock>, FileError> {
        match self.take_lock(sharing, None) {
            Ok(Some((handle, name))) => Ok(Some(Lock { directory: self.directory, name, handle })),
            Ok(None) => Ok(None),
            Err(refusal) => Err(self.failed("lock", refusal)),
        }
    }

    /// Returns the locked file and its name; none if the lock is not free and no time is given to wait for it.
    fn take_lock(
        &self,
        sharing: Sharing,
        mut patience: Option<&mut Patience<'_>>,
    ) -> Result<Option<(Handle, String)>, Refusal> {
        let name = temporary::locked(&self.name);
        for _ in 0..MAX_TRIES {
            let opened = match syscalls::open_entry(&self.directory, &name, Wanted::Own) {
                Err(error) if syscalls::is_absent(&error) => {
                    syscalls::create_new(&self.directory, &name, PRIVATE)
                }
                opened => opened,
            };
            let handle = match opened {
                Err(error) if syscalls::is_taken(&error) => continue,
                // The lock file belongs to another user, who has the lock as long as it is there.
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied
                        && syscalls::stat_entry(&self.directory, &name).is_ok() =>
                {
                    let Some(patience) = patience.as_deref_mut() else { return Ok(None) };
                    patience.pause(|| Holder::AnotherUser)?;
                    continue;
                }
                opened => opened?,
            };
            // The name may have gone with the last who had the lock.
            let stat = syscalls::stat(&handle)?;
            if stat.links == 0 {
                continue;
            }
            expect_file(&stat)?;
            match patience.as_deref_mut() {
                Some(patience) => patience.lock(&handle, sharing)?,
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
        // The file goes with the last who has the lock; only who has it alone may remove it.
        let alone = syscalls::try_lock(&self.handle, Sharing::Exclusive).unwrap_or(false);
        let stat = syscalls::stat(&self.handle).ok().filter(|_| alone);
        if let Some(stat) = stat
            && is_named(&self.directory, &self.name, stat.id).unwrap_or(false)
        {
            let _ = syscalls::unlink(&self.directory, &self.name);
        }
    }
}

//! A lock that a process holds for its whole life.

use std::io;
use std::time::Duration;

use crate::Root;
use crate::syscalls::{self, Access, Handle, Sharing};

/// The number of attempts without a pause while other processes examine the lock, which takes them microseconds.
const QUICK_TRIES: usize = 100;
/// The pause between further attempts: a process that examines the lock may wait for a processor.
const PAUSE: Duration = Duration::from_millis(1);
/// The maximum number of attempts, about ten seconds.
const MAX_TRIES: usize = 10_000;
/// The permissions of a lock file.
const PRIVATE: u32 = 0o600;

/// An exclusive lock on a file, held until it is dropped or the process ends, however it ends.
///
/// The file has no content and is never removed.
#[derive(Debug)]
pub struct ProcessLock {
    _handle: Handle,
}

impl Root {
    /// Locks the file `name` of this directory, and creates it if it does not exist; none if another process, or another
    /// [`ProcessLock`] of this one, holds it. A process that only examines the lock does not prevent this.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created or opened.
    pub fn lock_process(&self, name: &str) -> io::Result<Option<ProcessLock>> {
        for attempt in 0..MAX_TRIES {
            if attempt >= QUICK_TRIES {
                minds_process::pause(PAUSE);
            }
            let handle = self.open_lock(name)?;
            if syscalls::try_lock(&handle, Sharing::Exclusive)? {
                let id = syscalls::stat(&handle)?.id;
                if syscalls::stat_entry(&self.handle, name).is_ok_and(|stat| stat.id == id) {
                    return Ok(Some(ProcessLock { _handle: handle }));
                }
                continue;
            }
            // Examining needs a shared lock only, which is never refused because of another examination.
            if !syscalls::try_lock(&handle, Sharing::Shared)? {
                return Ok(None);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Returns whether a process holds the lock on the file `name` of this directory. A file that does not exist is not locked.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened.
    pub fn is_process_locked(&self, name: &str) -> io::Result<bool> {
        match syscalls::open_entry(&self.handle, name, Access::Own) {
            Ok(handle) => Ok(!syscalls::try_lock(&handle, Sharing::Shared)?),
            Err(error) if syscalls::is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn open_lock(&self, name: &str) -> io::Result<Handle> {
        loop {
            match syscalls::open_entry(&self.handle, name, Access::Own) {
                Err(error) if syscalls::is_absent(&error) => {}
                opened => return opened,
            }
            match syscalls::create_new(&self.handle, name, PRIVATE) {
                Err(error) if syscalls::is_existing_name(&error) => {}
                created => return created,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use minds_vfs::MountId;

    use super::*;

    #[test]
    fn a_process_lock_has_one_holder_and_is_free_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        assert!(!root.is_process_locked("lock").unwrap());
        let lock = root.lock_process("lock").unwrap().unwrap();
        assert!(root.is_process_locked("lock").unwrap());
        assert!(root.lock_process("lock").unwrap().is_none());
        drop(lock);
        assert!(!root.is_process_locked("lock").unwrap());
        assert!(root.lock_process("lock").unwrap().is_some());
    }

    #[test]
    fn an_examination_is_not_a_holder() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        drop(root.lock_process("lock").unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| (0..2_000).for_each(|_| assert!(root.is_process_locked("lock").is_ok())));
            (0..2_000).for_each(|_| assert!(root.lock_process("lock").unwrap().is_some()));
        });
    }
}

//! Cleanup of stale files before a change.

use std::sync::PoisonError;

use crate::Root;
use crate::files::{FileErrorKind, Refusal, remove_leftover, remove_stale, temporary};
use crate::syscalls::{self, Handle, Kind};

/// The maximum number of directories remembered as swept.
const MAX_SWEPT: usize = 4_096;
/// Directories with more entries are not swept.
const MAX_ENTRIES: usize = 10_000;

impl Root {
    /// Prepares a change of `name` in a directory: rejects names of temporary files, completes or undoes
    /// interrupted changes, and removes stale files in the directory. A directory is swept before the first
    /// change that this root makes in it.
    pub(crate) fn prepare(&self, directory: &Handle, name: &str) -> Result<(), Refusal> {
        if temporary::is_temporary(name) {
            return Err(FileErrorKind::Reserved.into());
        }
        self.recover(None)?;
        let id = syscalls::stat(directory)?.id;
        {
            let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
            if swept.contains(&id) {
                return Ok(());
            }
            if swept.len() < MAX_SWEPT {
                swept.insert(id);
            }
        }
        self.sweep(directory)
    }

    /// Removes the temporary files in a directory that are not in use, and the remains of removed
    /// directories.
    #[expect(clippy::unused_self, reason = "sweeping requires access to the root")]
    pub(crate) fn sweep(&self, directory: &Handle) -> Result<(), Refusal> {
        let entries = syscalls::entries(directory, MAX_ENTRIES)?.unwrap_or_default();
        for (name, kind) in entries {
            let Ok(name) = String::from_utf8(name) else { continue };
            // A file that cannot be removed is harmless; a later operation that needs its name reports the
            // error.
            if kind == Kind::File && temporary::is_stale_when_unlocked(&name) {
                let _ = remove_stale(directory, &name, None);
            } else if kind == Kind::Directory && temporary::is_removal_name(&name) {
                let _ = remove_leftover(directory, &name);
            }
        }
        Ok(())
    }
}

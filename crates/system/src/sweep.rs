//! What comes before a change.

use std::sync::PoisonError;

use crate::Root;
use crate::files::{FileErrorKind, Refusal, remove_left, remove_stale, temporary};
use crate::syscalls::{self, Handle, Kind};

/// How many directories are remembered as swept.
const MAX_SWEPT: usize = 4_096;
/// In a directory with more entries nothing is looked for.
const MAX_ENTRIES: usize = 10_000;

impl Root {
    /// Prepares a change of `name` in a directory: the name is none of ours, and what a process left behind in the
    /// directory is gone. A directory is swept before the first change that this root makes in it.
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

    /// Removes the temporary files in a directory that no process has any more, and what is left of removed directories.
    #[expect(clippy::unused_self, reason = "who sweeps has the root")]
    pub(crate) fn sweep(&self, directory: &Handle) -> Result<(), Refusal> {
        let entries = syscalls::entries(directory, MAX_ENTRIES)?.unwrap_or_default();
        for (name, kind) in entries {
            let Ok(name) = String::from_utf8(name) else { continue };
            // One that cannot be removed is in nobody's way: who needs the name says so then.
            if kind == Kind::File && temporary::is_stale_when_free(&name) {
                let _ = remove_stale(directory, &name, None);
            } else if kind == Kind::Directory && temporary::is_gone(&name) {
                let _ = remove_left(directory, &name);
            }
        }
        Ok(())
    }
}

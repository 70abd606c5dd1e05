//! A file of our own that only one process has at a time.

use minds_document::FileMode;

use super::error::{FileErrorKind, Refusal};
use crate::syscalls::{self, FileId, Handle, Kind, Sharing, Stat, Wanted};

/// How often a claim is tried again when others are quicker.
const MOST_TRIES: usize = 100_000;

/// A new, empty file that is locked. Whoever else wants one of that name waits until this one ends.
///
/// The lock belongs to the file and not to the name, so after it was got the name is compared with the file. One that is
/// not locked any more was left behind by a process that died: it is removed by whoever finds it, while holding its lock.
/// So at most one is ever left behind, and nobody removes one that is still in use.
pub(crate) struct Claim<'d> {
    pub(crate) directory: &'d Handle,
    pub(crate) name: String,
    pub(crate) handle: Handle,
    pub(crate) stat: Stat,
}

impl<'d> Claim<'d> {
    /// Makes the file, and waits for another claim of it to end. One that was left behind is removed.
    pub(crate) fn take(directory: &'d Handle, name: String, bits: u32) -> Result<Self, Refusal> {
        let stale = name.clone();
        Self::take_with(directory, name, bits, || remove_stale(directory, &stale, Wait::Yes))
    }

    /// The same, where `settle` waits for another claim to end, and does with one that was left behind what is to be done.
    pub(crate) fn take_with(
        directory: &'d Handle,
        name: String,
        bits: u32,
        settle: impl Fn() -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        for _ in 0..MOST_TRIES {
            let handle = match syscalls::create_new(directory, &name, bits) {
                Ok(handle) => handle,
                Err(error) if syscalls::is_taken(&error) => {
                    settle()?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            // Where this fails, the file stays: without its lock nobody may remove it.
            syscalls::lock(&handle, Sharing::Exclusive)?;
            let stat = syscalls::stat(&handle)?;
            if is_named(directory, &name, stat.id)? {
                return Ok(Self { directory, name, handle, stat });
            }
        }
        Err(FileErrorKind::Busy.into())
    }

    /// Removes the file; for a claim that came to nothing.
    pub(crate) fn drop_file(self) {
        // What fails here leaves a stale file, which the next claim removes.
        let _ = syscalls::unlink(self.directory, &self.name);
    }
}

/// Returns whether the name is still that of the file.
pub(crate) fn is_named(directory: &Handle, name: &str, id: FileId) -> Result<bool, Refusal> {
    match syscalls::stat_entry(directory, name) {
        Ok(stat) => Ok(stat.id == id),
        Err(error) if syscalls::is_absent(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether to wait for a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    Yes,
    No,
}

/// Removes a temporary file that no process has any more. What is in use stays, and with [`Wait::Yes`] it is waited for.
pub(crate) fn remove_stale(directory: &Handle, name: &str, wait: Wait) -> Result<(), Refusal> {
    let handle = match syscalls::open_entry(directory, name, Wanted::Own) {
        Ok(handle) => handle,
        Err(error) if syscalls::is_absent(&error) => return Ok(()),
        Err(error) if syscalls::is_link(&error) || syscalls::is_no_file(&error) => {
            return remove_foreign(directory, name, wait);
        }
        Err(error) => return Err(error.into()),
    };
    let stat = syscalls::stat(&handle)?;
    // One without a name was in use until just now.
    if stat.kind != Kind::File || stat.links > 1 {
        return remove_foreign(directory, name, wait);
    }
    match wait {
        Wait::Yes => syscalls::lock(&handle, Sharing::Exclusive)?,
        Wait::No if !syscalls::try_lock(&handle, Sharing::Exclusive)? => return Ok(()),
        Wait::No => {}
    }
    if is_named(directory, name, stat.id)? { gone(syscalls::unlink(directory, name)) } else { Ok(()) }
}

/// Removes what a temporary file of ours never is, and somebody else put there, if it is in the way. Only the name goes,
/// whatever it leads to.
fn remove_foreign(directory: &Handle, name: &str, wait: Wait) -> Result<(), Refusal> {
    if wait == Wait::No {
        return Ok(());
    }
    match syscalls::stat_entry(directory, name) {
        Ok(stat) if stat.kind != Kind::File || stat.links > 1 => gone(syscalls::unlink(directory, name)),
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// What is to be removed and is not there any more is as it should be.
fn gone(removed: std::io::Result<()>) -> Result<(), Refusal> {
    match removed {
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The permissions that a new file asks for, before the user's mask.
pub(crate) fn bits_of(mode: FileMode) -> u32 {
    match mode {
        FileMode::Regular => 0o666,
        FileMode::Executable => 0o777,
        FileMode::Private => 0o600,
    }
}

//! A file of our own that only one process has at a time.

use std::io;

use minds_document::FileMode;

use super::error::{FileErrorKind, Refusal};
use super::patience::{Holder, Patience};
use crate::syscalls::{self, FileId, Handle, Kind, Sharing, Stat, Wanted};

/// How often a claim is tried again when others are quicker.
const MAX_TRIES: usize = 100_000;
/// The permissions of every file that is locked: a process of another user that could open it could lock it for ever.
pub(crate) const PRIVATE: u32 = 0o600;

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
    /// Makes the file, and waits for another claim of it to end. One that was left behind is removed. What is to be changed
    /// is `target`.
    pub(crate) fn take(directory: &'d Handle, name: &str, target: &str) -> Result<Self, Refusal> {
        Self::take_with(directory, name, target, |patience| remove_stale(directory, name, Some(patience)))
    }

    /// The same, where `settle` waits for another claim to end, and does with one that was left behind what is to be done.
    pub(crate) fn take_with(
        directory: &'d Handle,
        name: &str,
        target: &str,
        mut settle: impl FnMut(&mut Patience<'_>) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let mut patience = Patience::new(target);
        for _ in 0..MAX_TRIES {
            if let Some(claim) = Self::attempt(directory, name, &mut patience)? {
                return Ok(claim);
            }
            settle(&mut patience)?;
        }
        Err(FileErrorKind::Busy.into())
    }

    /// Makes the file without waiting for another claim; returns none if there is one, or what was left behind by one.
    pub(crate) fn try_take(directory: &'d Handle, name: &str) -> Result<Option<Self>, Refusal> {
        remove_stale(directory, name, None)?;
        Self::attempt(directory, name, &mut Patience::new(name))
    }

    /// Makes the file; returns none if the name is taken, or the file was exchanged meanwhile.
    fn attempt(
        directory: &'d Handle,
        name: &str,
        patience: &mut Patience<'_>,
    ) -> Result<Option<Self>, Refusal> {
        let handle = match syscalls::create_new(directory, name, PRIVATE) {
            Ok(handle) => handle,
            Err(error) if syscalls::is_taken(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // Where this fails, the file stays: without its lock no process may remove it.
        patience.lock(&handle, Sharing::Exclusive)?;
        let stat = syscalls::stat(&handle)?;
        let is_ours = is_named(directory, name, stat.id)?;
        Ok(is_ours.then(|| Self { directory, name: name.to_owned(), handle, stat }))
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

/// Removes a temporary file that no process has any more. What is in use stays; with some `patience` it is waited for.
pub(crate) fn remove_stale(
    directory: &Handle,
    name: &str,
    patience: Option<&mut Patience<'_>>,
) -> Result<(), Refusal> {
    let handle = match syscalls::open_entry(directory, name, Wanted::Own) {
        Ok(handle) => handle,
        Err(error) if syscalls::is_absent(&error) => return Ok(()),
        Err(error) if syscalls::is_link(&error) || syscalls::is_no_file(&error) || is_directory(&error) => {
            return remove_foreign(directory, name, patience.is_some());
        }
        // Temporary files can be opened by their user alone.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let is_foreign = remove_foreign(directory, name, patience.is_some());
            return match patience {
                Some(patience) => is_foreign.and_then(|()| patience.pause(|| Holder::AnotherUser)),
                None => is_foreign,
            };
        }
        Err(error) => return Err(error.into()),
    };
    let stat = syscalls::stat(&handle)?;
    // One without a name was in use until just now.
    if stat.kind != Kind::File || stat.links > 1 {
        return remove_foreign(directory, name, patience.is_some());
    }
    match patience {
        Some(patience) => patience.lock(&handle, Sharing::Exclusive)?,
        None if !syscalls::try_lock(&handle, Sharing::Exclusive)? => return Ok(()),
        None => {}
    }
    if is_named(directory, name, stat.id)? { gone(syscalls::unlink(directory, name)) } else { Ok(()) }
}

fn is_directory(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::IsADirectory
}

/// Removes what a temporary file of ours never is, and another program put there, if it is in the way. Only the name goes,
/// whatever it leads to.
fn remove_foreign(directory: &Handle, name: &str, is_needed: bool) -> Result<(), Refusal> {
    if !is_needed {
        return Ok(());
    }
    match syscalls::stat_entry(directory, name) {
        Ok(stat) if stat.kind != Kind::File || stat.links > 1 => gone(syscalls::unlink(directory, name)),
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// What is to be removed and is not there any more is as it should be.
fn gone(removed: io::Result<()>) -> Result<(), Refusal> {
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

//! Moving and replacing directory entries.

use minds_vfs::WorkspacePath;

use super::open_directories::{Base, EntryRef, OpenDirectories};
use crate::files::{FileErrorKind, Refusal, remove_directory_tree};
use crate::syscalls::{self, Kind};

/// The inode number that identifies an entry on its file system.
pub(super) type Number = u64;

/// Returns the inode number of the entry at a place; none if the entry or its parent does not exist.
pub(super) fn number(
    directories: &OpenDirectories<'_>,
    base: Base,
    path: &WorkspacePath,
) -> Result<Option<Number>, Refusal> {
    match directories.place(base, path).and_then(|place| place.stat()) {
        Ok(stat) => Ok(stat.map(|stat| stat.id.1)),
        Err(Refusal {
            kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
            ..
        }) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Moves an entry to a name that does not exist.
pub(super) fn move_new(from: &EntryRef, to: &EntryRef) -> Result<(), Refusal> {
    let (from, to_names) = (from.entry(), to.entry());
    match syscalls::rename_new(from, to_names) {
        // Other installations wait for the lock of the home, so only manual changes can interfere here.
        Err(error) if syscalls::is_unsupported(&error) => {
            if to.stat()?.is_some() {
                return Err(FileErrorKind::AlreadyExists.into());
            }
            Ok(syscalls::rename(from, to_names)?)
        }
        moved => Ok(moved?),
    }
}

/// Puts the entry at `new` in place of the entry with inode number `old`, which is afterwards at `new` or
/// `aside`. If the process dies in between on a file system that cannot exchange names, the place does not
/// exist, and the old entry is at `aside`.
pub(super) fn replace(
    new: &EntryRef,
    place: &EntryRef,
    aside: &EntryRef,
    old: Number,
) -> Result<(), Refusal> {
    let exchange = || syscalls::try_exchange(new.entry(), place.entry());
    if exchange()? {
        if new.stat()?.is_some_and(|stat| stat.id.1 == old) {
            return Ok(());
        }
        // Another process was faster: its entry is kept.
        exchange()?;
        return Err(FileErrorKind::Changed.into());
    }
    move_new(place, aside)?;
    if aside.stat()?.is_some_and(|stat| stat.id.1 == old) {
        return move_new(new, place);
    }
    move_new(aside, place)?;
    Err(FileErrorKind::Changed.into())
}

/// Removes the entry at a place with its subtree; symbolic links are not followed.
pub(super) fn clear_entry(place: &EntryRef) -> Result<(), Refusal> {
    let Some(stat) = place.stat()? else { return Ok(()) };
    if stat.kind != Kind::Directory {
        return Ok(syscalls::unlink(&place.directory, &place.name)?);
    }
    remove_directory_tree(&place.directory, &place.name)
}

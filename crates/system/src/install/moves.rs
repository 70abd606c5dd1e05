//! How a name changes what it stands for.

use super::sites::{Base, Sites, Spot};
use crate::files::{FileErrorKind, Refusal, remove_entry};
use crate::syscalls::{self, Kind};
use minds_paths::WorkspacePath;

/// The number by which something is the same as before, on its file system.
pub(super) type Number = u64;

/// Returns the number of what stands at a place; none if there is nothing, and nothing that could hold it.
pub(super) fn number(sites: &Sites<'_>, base: Base, path: &WorkspacePath) -> Result<Option<Number>, Refusal> {
    match sites.place(base, path).and_then(|place| place.stat()) {
        Ok(stat) => Ok(stat.map(|stat| stat.id.1)),
        Err(Refusal {
            kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
            ..
        }) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Moves something to where nothing is.
pub(super) fn move_new(from: &Spot, to: &Spot) -> Result<(), Refusal> {
    let (from, to_names) = (from.entry(), to.entry());
    match syscalls::rename_new(from, to_names) {
        // Whoever else installs waits for the lock of the home, so nothing comes in between but by hand.
        Err(error) if syscalls::is_unsupported(&error) => {
            if to.stat()?.is_some() {
                return Err(FileErrorKind::AlreadyExists.into());
            }
            Ok(syscalls::rename(from, to_names)?)
        }
        moved => Ok(moved?),
    }
}

/// Puts what stands at `new` in the place of the thing with the number `old`, which is at `new` or `aside` then. If the process
/// dies in between on a file system that cannot exchange, nothing stands there, and the old thing is at `aside`.
pub(super) fn replace(new: &Spot, place: &Spot, aside: &Spot, old: Number) -> Result<(), Refusal> {
    let exchange = || syscalls::try_exchange(new.entry(), place.entry());
    if exchange()? {
        if new.stat()?.is_some_and(|stat| stat.id.1 == old) {
            return Ok(());
        }
        // Somebody was quicker: what they put there is theirs.
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

/// Removes whatever stands at a place, and all below it; no link is followed.
pub(super) fn clear_entry(place: &Spot) -> Result<(), Refusal> {
    let Some(stat) = place.stat()? else { return Ok(()) };
    if stat.kind != Kind::Directory {
        return Ok(syscalls::unlink(&place.directory, &place.name)?);
    }
    remove_entry(&place.directory, &place.name)
}

//! Removing a directory tree.

use super::claim::{Claim, is_named};
use super::error::{FileError, FileErrorKind, Refusal};
use super::list::{Listing, walk};
use super::place::Place;
use super::temporary;
use crate::syscalls::{self, Access, Handle, Kind, Stat};

/// The maximum number of attempts to empty a directory into which another process still writes.
const MAX_TRIES: usize = 16;

impl Place<'_> {
    /// Removes the directory tree at this place if its contents are exactly `judged`, a listing from
    /// [`Place::walk`]: entries added since were not checked by the caller.
    ///
    /// The directory is renamed to a temporary name in one step, and its contents are deleted under that
    /// name. If the process dies meanwhile, the next process that changes the same parent directory deletes
    /// the rest. As with [`Place::remove_file`], read-only entries are not removed: such a file or directory
    /// in the tree prevents the removal.
    ///
    /// # Errors
    ///
    /// Fails with the tree unchanged; with [`FileErrorKind::Remains`] the directory is removed, but part of
    /// its contents could not be deleted.
    pub fn remove_tree(&self, expected: &Listing) -> Result<(), FileError> {
        self.change("remove the directory", || {
            let inner = syscalls::open_entry(&self.directory, &self.name, Access::Directory)?;
            expect_writable(&inner)?;
            let aside = temporary::removal_name(&self.name);
            // Another process that finds the temporary name detects by this claim that it is in use.
            let name = temporary::removal_claim_name(&aside);
            let claim = Claim::take(&self.directory, &name, self.real.as_str())?;
            let removed = self.remove_claimed(&inner, &aside, expected);
            claim.drop_file();
            removed
        })
    }

    fn remove_claimed(&self, inner: &Handle, aside: &str, expected: &Listing) -> Result<(), Refusal> {
        clear_leftover(&self.directory, aside)?;
        // A file cannot exist at the name of a directory, and other processes do not use the temporary name.
        syscalls::rename((&self.directory, &self.name), (&self.directory, aside))?;
        // From here on the directory cannot be reached by its path, so what is compared is what is removed.
        if let Err(refusal) = self.expect_listing(inner, aside, expected) {
            let restored = syscalls::rename((&self.directory, aside), (&self.directory, &self.name));
            return Err(restored.map_or_else(to_remains, |()| refusal));
        }
        let synced = self.sync_directory();
        clear(inner).map_err(to_remains)?;
        syscalls::remove_directory(&self.directory, aside).map_err(to_remains)?;
        synced
    }

    fn expect_listing(&self, inner: &Handle, aside: &str, expected: &Listing) -> Result<(), Refusal> {
        let id = syscalls::stat(inner)?.id;
        let found = walk(inner, &self.real, expected.entries.len());
        match found {
            Ok(found) if found == *expected && found.unnamed == 0 => {}
            Err(refusal) if refusal.kind != FileErrorKind::TooLarge => return Err(refusal),
            _ => return Err(FileErrorKind::Changed.into()),
        }
        if is_named(&self.directory, aside, id)? { Ok(()) } else { Err(FileErrorKind::Changed.into()) }
    }
}

fn to_remains(source: impl Into<Refusal>) -> Refusal {
    Refusal { kind: FileErrorKind::Remains, source: source.into().source }
}

/// Removes a directory that another process left under a temporary name. A directory in use stays.
pub(crate) fn remove_leftover(directory: &Handle, aside: &str) -> Result<(), Refusal> {
    let name = temporary::removal_claim_name(aside);
    let Some(claim) = Claim::try_take(directory, &name)? else { return Err(FileErrorKind::Busy.into()) };
    let cleared = clear_leftover(directory, aside);
    claim.drop_file();
    cleared
}

/// Removes a leftover directory; the caller holds its claim.
fn clear_leftover(directory: &Handle, aside: &str) -> Result<(), Refusal> {
    let kind = match syscalls::stat_entry(directory, aside) {
        Ok(stat) => stat.kind,
        Err(error) if syscalls::is_absent(&error) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if kind != Kind::Directory {
        return Ok(syscalls::unlink(directory, aside)?);
    }
    clear(&syscalls::open_entry(directory, aside, Access::Directory)?)?;
    Ok(syscalls::remove_directory(directory, aside)?)
}

/// Checks that a directory tree does not contain read-only entries.
fn expect_writable(directory: &Handle) -> Result<(), Refusal> {
    let entries = entries(directory)?;
    if !entries.is_empty() {
        expect_any_may_write(&syscalls::stat(directory)?)?;
    }
    for (name, kind) in entries {
        match kind {
            Kind::Directory => {
                expect_writable(&syscalls::open_entry(directory, &name, Access::Directory)?)?;
            }
            Kind::File => expect_any_may_write(&syscalls::stat_entry(directory, &name)?)?,
            Kind::Link | Kind::Special => {}
        }
    }
    Ok(())
}

fn expect_any_may_write(stat: &Stat) -> Result<(), FileErrorKind> {
    const ANY_MAY_WRITE: u32 = 0o222;
    if stat.bits & ANY_MAY_WRITE == 0 { Err(FileErrorKind::ReadOnly) } else { Ok(()) }
}

/// Removes all entries of a directory; symbolic links are not followed.
fn clear(directory: &Handle) -> Result<(), Refusal> {
    for _ in 0..MAX_TRIES {
        let entries = entries(directory)?;
        if entries.is_empty() {
            return Ok(());
        }
        for (name, kind) in entries {
            remove_entry(directory, &name, kind)?;
        }
    }
    Err(FileErrorKind::Busy.into())
}

/// Removes a directory tree; symbolic links are not followed. A directory that disappears meanwhile counts as
/// removed.
pub(crate) fn remove_directory_tree(directory: &Handle, name: &str) -> Result<(), Refusal> {
    let inner = syscalls::open_entry(directory, name, Access::Directory)?;
    for _ in 0..MAX_TRIES {
        for (name, kind) in entries(&inner)? {
            remove_entry(&inner, &name, kind)?;
        }
        // `rmdir` itself reports whether the directory is empty.
        match syscalls::remove_directory(directory, name) {
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {}
            Err(error) if !syscalls::is_absent(&error) => return Err(error.into()),
            _ => return Ok(()),
        }
    }
    Err(FileErrorKind::Busy.into())
}

fn remove_entry(directory: &Handle, name: &str, kind: Kind) -> Result<(), Refusal> {
    if kind == Kind::Directory {
        return remove_directory_tree(directory, name);
    }
    match syscalls::unlink(directory, name) {
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Returns all entries of a directory, including temporary files.
fn entries(directory: &Handle) -> Result<Vec<(String, Kind)>, Refusal> {
    let found = syscalls::entries(directory, usize::MAX)?.unwrap_or_default();
    let decode = |(name, kind)| String::from_utf8(name).map(|name| (name, kind));
    found.into_iter().map(decode).collect::<Result<_, _>>().map_err(|_| FileErrorKind::Unnamed.into())
}

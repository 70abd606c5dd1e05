//! Removing a directory with all that it holds.

use super::claim::{Claim, is_named};
use super::error::{FileError, FileErrorKind, Refusal};
use super::list::{Listing, walk};
use super::place::Place;
use super::temporary;
use crate::syscalls::{self, Handle, Kind, Stat, Wanted};

/// How often a directory is emptied again into which somebody still puts something.
const MAX_TRIES: usize = 16;

impl Place<'_> {
    /// Removes the directory that stands here with all that lies below it, if that is what `judged` says, which came from
    /// [`Place::walk`]: nobody judged what came since.
    ///
    /// It loses its name in one step, and what it held is cleared away under a name of temporary files. If the process dies
    /// meanwhile, the next one that changes something in the same directory does the rest. As with [`Place::remove_file`],
    /// what nobody may write is not removed: such a file or directory below keeps all of it.
    ///
    /// # Errors
    ///
    /// Fails with everything in place; with [`FileErrorKind::Remains`] the directory is gone, and something of it could not
    /// be cleared away.
    pub fn remove_tree(&self, judged: &Listing) -> Result<(), FileError> {
        self.changing("remove the directory", || {
            let inner = syscalls::open_entry(&self.directory, &self.name, Wanted::Directory)?;
            expect_writable(&inner)?;
            let aside = temporary::gone(&self.name);
            // A process that finds it under the other name sees by this that it is in use.
            let name = temporary::claim_of_gone(&aside);
            let claim = Claim::take(&self.directory, &name, self.real.as_str())?;
            let removed = self.remove_claimed(&inner, &aside, judged);
            claim.drop_file();
            removed
        })
    }

    fn remove_claimed(&self, inner: &Handle, aside: &str, judged: &Listing) -> Result<(), Refusal> {
        clear_left(&self.directory, aside)?;
        // No file is in the way of a directory, and no other process gives anything the other name.
        syscalls::rename((&self.directory, &self.name), (&self.directory, aside))?;
        // From here on it is not reached by its path, so what is compared is what is removed.
        if let Err(refusal) = self.expect_judged(inner, aside, judged) {
            let back = syscalls::rename((&self.directory, aside), (&self.directory, &self.name));
            return Err(back.map_or_else(remains, |()| refusal));
        }
        let confirmed = self.confirm();
        clear(inner).map_err(remains)?;
        syscalls::remove_directory(&self.directory, aside).map_err(remains)?;
        confirmed
    }

    fn expect_judged(&self, inner: &Handle, aside: &str, judged: &Listing) -> Result<(), Refusal> {
        let id = syscalls::stat(inner)?.id;
        let found = walk(inner, &self.real, judged.entries.len());
        match found {
            Ok(found) if found == *judged && found.unnamed == 0 => {}
            Err(refusal) if refusal.kind != FileErrorKind::TooLarge => return Err(refusal),
            _ => return Err(FileErrorKind::Changed.into()),
        }
        if is_named(&self.directory, aside, id)? { Ok(()) } else { Err(FileErrorKind::Changed.into()) }
    }
}

fn remains(source: impl Into<Refusal>) -> Refusal {
    Refusal { kind: FileErrorKind::Remains, source: source.into().source }
}

/// Removes a directory that a process left behind under the name of one that is removed. One that is in use stays.
pub(crate) fn remove_left(directory: &Handle, aside: &str) -> Result<(), Refusal> {
    let name = temporary::claim_of_gone(aside);
    let Some(claim) = Claim::try_take(directory, &name)? else { return Err(FileErrorKind::Busy.into()) };
    let cleared = clear_left(directory, aside);
    claim.drop_file();
    cleared
}

/// Removes what a process left behind; the caller has its claim.
fn clear_left(directory: &Handle, aside: &str) -> Result<(), Refusal> {
    let kind = match syscalls::stat_entry(directory, aside) {
        Ok(stat) => stat.kind,
        Err(error) if syscalls::is_absent(&error) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if kind != Kind::Directory {
        return Ok(syscalls::unlink(directory, aside)?);
    }
    clear(&syscalls::open_entry(directory, aside, Wanted::Directory)?)?;
    Ok(syscalls::remove_directory(directory, aside)?)
}

/// Makes sure that nothing in a directory is there to stay.
fn expect_writable(directory: &Handle) -> Result<(), Refusal> {
    let entries = entries(directory)?;
    if !entries.is_empty() {
        expect_any_may_write(&syscalls::stat(directory)?)?;
    }
    for (name, kind) in entries {
        match kind {
            Kind::Directory => {
                expect_writable(&syscalls::open_entry(directory, &name, Wanted::Directory)?)?;
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

/// Removes all that a directory holds, and follows no link.
fn clear(directory: &Handle) -> Result<(), Refusal> {
    for _ in 0..MAX_TRIES {
        let entries = entries(directory)?;
        if entries.is_empty() {
            return Ok(());
        }
        for (name, kind) in entries {
            remove_any(directory, &name, kind)?;
        }
    }
    Err(FileErrorKind::Busy.into())
}

/// Removes a directory with all that it holds, and follows no link. One that is gone meanwhile is removed.
pub(crate) fn remove_entry(directory: &Handle, name: &str) -> Result<(), Refusal> {
    let inner = syscalls::open_entry(directory, name, Wanted::Directory)?;
    for _ in 0..MAX_TRIES {
        for (name, kind) in entries(&inner)? {
            remove_any(&inner, &name, kind)?;
        }
        // Whether it is empty now says the system, without another look.
        match syscalls::remove_directory(directory, name) {
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {}
            Err(error) if !syscalls::is_absent(&error) => return Err(error.into()),
            _ => return Ok(()),
        }
    }
    Err(FileErrorKind::Busy.into())
}

fn remove_any(directory: &Handle, name: &str, kind: Kind) -> Result<(), Refusal> {
    if kind == Kind::Directory {
        return remove_entry(directory, name);
    }
    match syscalls::unlink(directory, name) {
        Err(error) if !syscalls::is_absent(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Returns everything that a directory holds, temporary files too.
fn entries(directory: &Handle) -> Result<Vec<(String, Kind)>, Refusal> {
    let found = syscalls::entries(directory, usize::MAX)?.unwrap_or_default();
    let named = |(name, kind)| String::from_utf8(name).map(|name| (name, kind));
    found.into_iter().map(named).collect::<Result<_, _>>().map_err(|_| FileErrorKind::Unnamed.into())
}

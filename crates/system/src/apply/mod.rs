//! Change sets, applied.

mod effect;
mod journal;
mod plan;
mod recover;

pub(crate) use journal::unescape;

use std::io;

use minds_document::{Change, ChangeSet, ContentHash, Expected};
use minds_paths::{Location, WorkspacePath};

use crate::Root;
use crate::error::reason;
use crate::files::temporary::JOURNAL;
use crate::files::{
    FileError, FileErrorKind, Holder, Patience, Place, Refusal, content, is_read_only, journal_of,
};
use crate::syscalls::Kind;

/// Why a change set was not applied. Unless it says otherwise the files are as they were before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A place does not hold what the plan expected.
    #[error("`{location}` {found}; nothing was changed")]
    Unexpected {
        /// The place.
        location: Location,
        /// What is there instead.
        found: &'static str,
    },
    /// A change is about a mount that is not open here.
    #[error("`{location}` is not below the open directory; nothing was changed")]
    OtherMount {
        /// The place.
        location: Location,
    },
    /// Another process kept something locked for longer than it was waited for.
    #[error("cannot change `{location}`: {holder} has locked it; nothing was changed")]
    Locked {
        /// The place.
        location: Location,
        /// Who has the lock.
        holder: Holder,
    },
    /// The system refused.
    #[error("cannot change `{location}`: {}; nothing was changed", reason(.source))]
    Io {
        /// The place.
        location: Location,
        /// Why.
        source: io::Error,
    },
    /// Everything was changed, but the disk did not confirm that it will last.
    #[error("`{location}` was changed, but the disk did not confirm it: {}", reason(.source))]
    Unconfirmed {
        /// The place.
        location: Location,
        /// Why.
        source: io::Error,
    },
    /// The system refused, and refused to take back what was done before as well. The journal stays, and the next change
    /// below this root takes back the rest, or makes all of it.
    #[error("cannot change `{location}`: {}; what was done before could not all be taken back", reason(.source))]
    HalfDone {
        /// The place.
        location: Location,
        /// Why.
        source: io::Error,
    },
}

impl ApplyError {
    fn new(location: Location, refusal: Refusal) -> Self {
        match refusal.kind {
            // It is the journal that is in the way, whatever was to be changed.
            FileErrorKind::Foreign | FileErrorKind::ForeignJournal(_) => {
                Self::Io { location: journal_of(location.mount), source: refusal.into() }
            }
            FileErrorKind::Locked(holder) => Self::Locked { location, holder },
            FileErrorKind::Changed => Self::Unexpected { location, found: "has changed" },
            FileErrorKind::AlreadyExists => Self::Unexpected { location, found: "already exists" },
            FileErrorKind::Unconfirmed => {
                let source = refusal.source.unwrap_or_else(|| io::ErrorKind::Other.into());
                Self::Unconfirmed { location, source }
            }
            _ => Self::Io { location, source: refusal.into() },
        }
    }
}

impl Root {
    /// Applies all changes, or none.
    ///
    /// What every change expects is looked at first. Each file becomes another in one step, so a reader never sees half a
    /// file. One change needs no more than that. Several are written down first, in a journal at the top of the root with
    /// all new contents beside their places: if the process dies, the next change below this root, by whichever process,
    /// makes all of them if they were written down whole, and else none. If a step fails, the earlier ones are taken back.
    ///
    /// # Errors
    ///
    /// Returns the first change that cannot be made.
    pub fn apply(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        if let Some((location, _)) = changes.iter().find(|(location, _)| location.mount != self.mount) {
            return Err(ApplyError::OtherMount { location: location.clone() });
        }
        let Some((first, _)) = changes.iter().next() else { return Ok(()) };
        self.recover(Some(&mut Patience::new(JOURNAL)))
            .map_err(|refusal| ApplyError::new(first.clone(), refusal))?;
        self.expect_all(changes)?;
        if changes.len() == 1
            && let Some((location, change)) = changes.iter().next()
            && let Some(done) = self.apply_one(location, change)
        {
            return done;
        }
        self.apply_several(changes)
    }

    /// Finishes or takes back what a process that died left of several changes, as the next [`Root::apply`] would. Where
    /// nothing was left, nothing is written.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses, or a journal is there that was not written here.
    pub fn settle(&self) -> Result<(), ApplyError> {
        let top = || Location::new(self.mount.clone(), WorkspacePath::root());
        self.recover(Some(&mut Patience::new(JOURNAL))).map_err(|refusal| ApplyError::new(top(), refusal))
    }

    /// Makes a change that is one step; returns none if it takes several, because directories are missing.
    fn apply_one(&self, location: &Location, change: &Change) -> Option<Result<(), ApplyError>> {
        let view = self.resolving();
        let place = view.entry_at(&location.path).ok()?;
        let done = match change {
            Change::Write { bytes, mode, expected } => {
                place.changing("replace", || place.put(bytes, *mode, *expected))
            }
            Change::MakeDirectory => match place.stat() {
                Ok(Some(_)) => Ok(()),
                _ => place.make_directory(),
            },
            Change::Move { to } => {
                let to = view.entry_at(&to.path).ok()?;
                place.rename(&to)
            }
            Change::Link { target } => place.link(target),
            Change::Remove { expected } => match place.remove_file(*expected) {
                Err(error) if error.kind() == FileErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        };
        Some(done.map_err(|error: FileError| ApplyError::new(location.clone(), error.into_refusal())))
    }

    /// Looks whether every place holds what the changes expect there. Nothing is changed.
    ///
    /// # Errors
    ///
    /// Returns the first place that does not.
    pub fn expect_all(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        changes.iter().try_for_each(|(location, change)| self.expect(location, change))
    }

    fn expect(&self, location: &Location, change: &Change) -> Result<(), ApplyError> {
        if location.mount != self.mount {
            return Err(ApplyError::OtherMount { location: location.clone() });
        }
        self.expect_creatable(location, change)?;
        let unexpected = |found| Err(ApplyError::Unexpected { location: location.clone(), found });
        let refused = |refusal| ApplyError::new(location.clone(), refusal);
        let place = self.present(location).map_err(refused)?;
        let there = match &place {
            Some(place) => place.stat().map_err(refused)?,
            None => None,
        };
        match change {
            Change::Write { expected: Expected::Absent, .. } | Change::Link { .. } => {
                if there.is_some() {
                    unexpected("already exists")
                } else {
                    Ok(())
                }
            }
            Change::Write { expected, .. } | Change::Remove { expected } => match (expected, there) {
                (_, Some(stat)) if stat.kind == Kind::Directory => unexpected("is a directory"),
                // Replacing what a link leads to is a change of another place.
                (_, Some(stat)) if stat.kind == Kind::Link && matches!(change, Change::Write { .. }) => {
                    unexpected("is a symbolic link")
                }
                (Expected::Absent, Some(_)) => unexpected("already exists"),
                (_, Some(stat)) if is_read_only(&stat) => unexpected("is read-only"),
                (_, Some(stat)) if stat.links > 1 && matches!(change, Change::Write { .. }) => {
                    unexpected("is a file with several names (hard links)")
                }
                (Expected::Content(_), None) => unexpected("does not exist"),
                (Expected::Content(hash), Some(_)) => match place.as_ref().map(hash_of) {
                    Some(Ok(found)) if found == *hash => Ok(()),
                    _ => unexpected("has changed"),
                },
                _ => Ok(()),
            },
            Change::MakeDirectory => match there {
                Some(stat) if stat.kind != Kind::Directory => unexpected("is no directory"),
                _ => Ok(()),
            },
            Change::Move { to } => {
                if there.is_none() {
                    return unexpected("does not exist");
                }
                let target = self.present(to).map_err(refused)?;
                if target.is_some_and(|place| matches!(place.stat(), Ok(Some(_)))) {
                    return Err(ApplyError::Unexpected { location: to.clone(), found: "already exists" });
                }
                Ok(())
            }
        }
    }

    /// Looks whether what a change makes may have its name.
    fn expect_creatable(&self, location: &Location, change: &Change) -> Result<(), ApplyError> {
        let made = match change {
            Change::Write { .. } | Change::MakeDirectory | Change::Link { .. } => location,
            Change::Move { to } => to,
            Change::Remove { .. } => return Ok(()),
        };
        let refused = |refusal| ApplyError::new(made.clone(), refusal);
        let is_there = match self.present(made) {
            Ok(Some(place)) => place.stat().map_err(refused)?.is_some(),
            Ok(None) => false,
            Err(refusal) => return Err(refused(refusal)),
        };
        if is_there { Ok(()) } else { self.expect_new_names(&made.path).map_err(refused) }
    }

    /// Returns the place with this name; none if the directory that would hold it is missing.
    fn present(&self, location: &Location) -> Result<Option<Place<'_>>, Refusal> {
        match self.resolving().entry_at(&location.path) {
            Ok(place) => Ok(Some(place)),
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Returns the hash of the file that stands at a place.
fn hash_of(place: &Place<'_>) -> Result<ContentHash, Refusal> {
    let (handle, stat) = place.open_file()?.ok_or(FileErrorKind::NotFound)?;
    Ok(ContentHash::of(&content(&handle, &stat, u64::MAX)?))
}

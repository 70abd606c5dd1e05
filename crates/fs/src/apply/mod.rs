//! Applying change sets atomically.

mod effect;
mod journal;
mod plan;
mod recover;
mod steps;

use std::io;

use minds_vfs::{Change, ChangeSet, ContentHash, Expected, Location, WorkspacePath};

use crate::Root;
use crate::files::temporary::JOURNAL;
use crate::files::{
    FileError, FileErrorKind, LockHolder, LockWait, Place, Refusal, is_read_only, journal_of, read_all,
};
use crate::syscalls::Kind;
use minds_process::describe_io_error;

/// Why a change set was not applied. Unless stated otherwise, no file was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The state of a file is not what the plan expected.
    #[error("`{location}` {found}; nothing was changed")]
    Unexpected {
        /// The place.
        location: Location,
        /// The actual state.
        found: &'static str,
    },
    /// A change applies to a mount that is not open here.
    #[error("`{location}` is not below the open directory; nothing was changed")]
    OtherMount {
        /// The place.
        location: Location,
    },
    /// Another process held a lock until the timeout.
    #[error("cannot change `{location}`: it is locked by {holder}; nothing was changed")]
    Locked {
        /// The place.
        location: Location,
        /// The holder of the lock.
        holder: LockHolder,
    },
    /// The system refused an operation.
    #[error("cannot change `{location}`: {}; nothing was changed", describe_io_error(.source))]
    Io {
        /// The place.
        location: Location,
        /// The cause.
        source: io::Error,
    },
    /// All changes were made, but the disk did not confirm that they are durable.
    #[error("`{location}` was changed, but the disk did not confirm that the change is durable: {}", describe_io_error(.source))]
    Unconfirmed {
        /// The place.
        location: Location,
        /// The cause.
        source: io::Error,
    },
    /// The system refused an operation, and also refused to undo earlier steps. The journal remains, and the
    /// next change below this root completes or undoes all steps.
    #[error("cannot change `{location}`: {}; earlier changes could not be undone completely", describe_io_error(.source))]
    HalfDone {
        /// The place.
        location: Location,
        /// The cause.
        source: io::Error,
    },
}

impl ApplyError {
    fn new(location: Location, refusal: Refusal) -> Self {
        match refusal.kind {
            // The journal prevents the change, independent of the files to change.
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
    /// First, the expected state of every file is checked. Each file is replaced in one step, so readers
    /// never see a partial file. A single change needs nothing else. Several changes are first recorded in a
    /// journal at the top of the root, and all new contents are staged next to their targets. If the process
    /// dies, the next change below this root, by any process, makes all changes if the journal and the
    /// contents were complete, and else none. If a step fails, the earlier steps are undone.
    ///
    /// # Errors
    ///
    /// Returns the first change that cannot be made.
    pub fn apply(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        if let Some((location, _)) = changes.iter().find(|(location, _)| location.mount != self.mount) {
            return Err(ApplyError::OtherMount { location: location.clone() });
        }
        let Some((first, _)) = changes.iter().next() else { return Ok(()) };
        self.recover(Some(&mut LockWait::new(JOURNAL)))
            .map_err(|refusal| ApplyError::new(first.clone(), refusal))?;
        self.expect_states(changes)?;
        if changes.len() == 1
            && let Some((location, change)) = changes.iter().next()
            && let Some(done) = self.apply_one(location, change)
        {
            return done;
        }
        self.apply_several(changes)
    }

    /// Completes or undoes changes that a process left unfinished, as the next [`Root::apply`] would. If
    /// nothing is unfinished, nothing is written.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses an operation, or the journal was not written by this program.
    pub fn recover_interrupted(&self) -> Result<(), ApplyError> {
        let top = || Location::new(self.mount.clone(), WorkspacePath::root());
        self.recover(Some(&mut LockWait::new(JOURNAL))).map_err(|refusal| ApplyError::new(top(), refusal))
    }

    /// Makes a change that is a single step; returns none if it takes several steps because directories are
    /// missing.
    fn apply_one(&self, location: &Location, change: &Change) -> Option<Result<(), ApplyError>> {
        let view = self.resolving();
        let place = view.entry_at(&location.path).ok()?;
        let done = match change {
            Change::Write { bytes, mode, expected } => {
                place.change("replace", || place.put(bytes, *mode, *expected))
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

    /// Checks that every file is in the state that the changes expect. Nothing is changed.
    ///
    /// # Errors
    ///
    /// Returns the first file that is not in the expected state.
    pub fn expect_states(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        changes.iter().try_for_each(|(location, change)| self.expect_state(location, change))
    }

    fn expect_state(&self, location: &Location, change: &Change) -> Result<(), ApplyError> {
        if location.mount != self.mount {
            return Err(ApplyError::OtherMount { location: location.clone() });
        }
        self.expect_creatable(location, change)?;
        let unexpected = |found| Err(ApplyError::Unexpected { location: location.clone(), found });
        let refused = |refusal| ApplyError::new(location.clone(), refusal);
        let place = self.existing_parent_entry(location).map_err(refused)?;
        let stat = match &place {
            Some(place) => place.stat().map_err(refused)?,
            None => None,
        };
        match change {
            Change::Write { expected: Expected::Absent, .. } | Change::Link { .. } => {
                if stat.is_some() {
                    unexpected("already exists")
                } else {
                    Ok(())
                }
            }
            Change::Write { expected, .. } | Change::Remove { expected } => match (expected, stat) {
                (_, Some(stat)) if stat.kind == Kind::Directory => unexpected("is a directory"),
                // Replacing the target of a link would be a change of another path.
                (_, Some(stat)) if stat.kind == Kind::Link && matches!(change, Change::Write { .. }) => {
                    unexpected("is a symbolic link")
                }
                (Expected::Absent, Some(_)) => unexpected("already exists"),
                (_, Some(stat)) if is_read_only(&stat) => unexpected("is read-only"),
                (_, Some(stat)) if stat.links > 1 && matches!(change, Change::Write { .. }) => {
                    unexpected("has several hard links")
                }
                (Expected::Content(_), None) => unexpected("does not exist"),
                (Expected::Content(hash), Some(_)) => match place.as_ref().map(hash_of) {
                    Some(Ok(found)) if found == *hash => Ok(()),
                    _ => unexpected("has changed"),
                },
                _ => Ok(()),
            },
            Change::MakeDirectory => match stat {
                Some(stat) if stat.kind != Kind::Directory => unexpected("is not a directory"),
                _ => Ok(()),
            },
            Change::Move { to } => {
                if stat.is_none() {
                    return unexpected("does not exist");
                }
                let target = self.existing_parent_entry(to).map_err(refused)?;
                if target.is_some_and(|place| matches!(place.stat(), Ok(Some(_)))) {
                    return Err(ApplyError::Unexpected { location: to.clone(), found: "already exists" });
                }
                Ok(())
            }
        }
    }

    /// Checks that the path that a change creates has a valid name.
    fn expect_creatable(&self, location: &Location, change: &Change) -> Result<(), ApplyError> {
        let created = match change {
            Change::Write { .. } | Change::MakeDirectory | Change::Link { .. } => location,
            Change::Move { to } => to,
            Change::Remove { .. } => return Ok(()),
        };
        let refused = |refusal| ApplyError::new(created.clone(), refusal);
        let exists = match self.existing_parent_entry(created) {
            Ok(Some(place)) => place.stat().map_err(refused)?.is_some(),
            Ok(None) => false,
            Err(refusal) => return Err(refused(refusal)),
        };
        if exists { Ok(()) } else { self.expect_new_names(&created.path).map_err(refused) }
    }

    /// Returns the place with this path; none if its parent directory does not exist.
    fn existing_parent_entry(&self, location: &Location) -> Result<Option<Place<'_>>, Refusal> {
        match self.resolving().entry_at(&location.path) {
            Ok(place) => Ok(Some(place)),
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Returns the hash of the file at a place.
fn hash_of(place: &Place<'_>) -> Result<ContentHash, Refusal> {
    let (handle, stat) = place.open_file()?.ok_or(FileErrorKind::NotFound)?;
    Ok(ContentHash::of(&read_all(&handle, &stat, u64::MAX)?))
}

//! A name in an open directory.

use minds_vfs::portable::{self, NameProblem};
use minds_vfs::{Expected, Location, MAX_PATH_BYTES, MAX_SEGMENTS, WorkspacePath};

use super::claim::Claim;
use super::error::{FileError, FileErrorKind, Refusal};
use super::list::{Listing, walk};
use super::open_file::{Metadata, OpenFile, expect_file, is_read_only, mode_of};
use super::temporary;
use crate::Root;
use crate::syscalls::{self, Access, Handle, Kind, Stat};

/// A name in an open directory, at which something exists or can be created.
///
/// A caller that checks permissions checks [`Place::real`] before it acts. Every operation then acts in
/// exactly that directory, even if links change meanwhile. A symbolic link at the name itself is never
/// followed.
#[derive(Debug)]
pub struct Place<'r> {
    pub(crate) root: &'r Root,
    pub(crate) directory: Handle,
    pub(crate) name: String,
    pub(crate) real: WorkspacePath,
}

impl Place<'_> {
    /// Returns the path that leads here without symbolic links.
    pub fn real(&self) -> &WorkspacePath {
        &self.real
    }

    /// Returns information about the entry at this place, without following a link; none if nothing exists.
    ///
    /// # Errors
    ///
    /// Fails if the entry cannot be examined.
    pub fn metadata(&self) -> Result<Option<Metadata>, FileError> {
        let stat = self.stat().map_err(|refusal| self.error_at("examine", refusal))?;
        Ok(stat.map(|stat| Metadata {
            kind: stat.kind,
            size: stat.size,
            mode: mode_of(&stat),
            links: stat.links,
            modified: stat.modified,
            real: self.real.clone(),
        }))
    }

    /// Opens the file at this place.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file with a single hard link.
    pub fn open(&self) -> Result<OpenFile, FileError> {
        let opened = self.open_file().and_then(|opened| opened.ok_or(FileErrorKind::NotFound.into()));
        match opened {
            Ok((handle, stat)) => Ok(OpenFile { handle, stat, real: self.location() }),
            Err(refusal) => Err(self.error_at("read", refusal)),
        }
    }

    /// Returns all entries below the directory at this place, at most `most`; symbolic links are not
    /// followed.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory, has more entries, or contains a directory that is not accessible.
    pub fn walk(&self, most: usize) -> Result<Listing, FileError> {
        let opened = syscalls::open_entry(&self.directory, &self.name, Access::Directory);
        let walked = opened.map_err(Refusal::from).and_then(|inner| walk(&inner, &self.real, most));
        walked.map_err(|refusal| self.error_at("list the tree", refusal))
    }

    /// Creates a directory at this place, where nothing exists.
    ///
    /// # Errors
    ///
    /// Fails if the place exists.
    pub fn make_directory(&self) -> Result<(), FileError> {
        self.change("create the directory", || {
            expect_portable(&self.real)?;
            syscalls::make_directory(&self.directory, &self.name)?;
            self.sync_directory()
        })
    }

    /// Moves the entry at this place to `to`, where nothing exists. A link is moved as a link.
    ///
    /// # Errors
    ///
    /// Fails if this place does not exist, `to` exists, or a directory would be moved into itself or to
    /// another file system.
    pub fn rename(&self, to: &Place<'_>) -> Result<(), FileError> {
        self.move_to(to, || {
            to.sync_directory()?;
            self.sync_directory()
        })
    }

    /// Like [`Place::rename`], without waiting until the change is on disk: after a power failure it may be
    /// undone. For changes that the next process can detect and repair.
    ///
    /// # Errors
    ///
    /// Fails as [`Place::rename`] does.
    pub fn rename_unsynced(&self, to: &Place<'_>) -> Result<(), FileError> {
        self.move_to(to, || Ok(()))
    }

    fn move_to(&self, to: &Place<'_>, sync: impl FnOnce() -> Result<(), Refusal>) -> Result<(), FileError> {
        to.root.prepare(&to.directory, &to.name).map_err(|refusal| to.error_at("move to", refusal))?;
        self.change("move", || {
            if to.real.is_at_or_below(&self.real) && to.real != self.real {
                return Err(FileErrorKind::IntoItself.into());
            }
            expect_portable(&to.real)?;
            syscalls::rename_new((&self.directory, &self.name), (&to.directory, &to.name))?;
            sync()
        })
    }

    /// Removes the file or link at this place. A link is removed rather than its target; of a file with
    /// several hard links, only this name is removed.
    ///
    /// # Errors
    ///
    /// Fails if the place is a directory, or not as expected.
    pub fn remove_file(&self, expected: Expected) -> Result<(), FileError> {
        self.change("remove", || match (expected, self.stat()?) {
            (Expected::Absent, None) => Ok(()),
            (Expected::Absent, Some(_)) => Err(FileErrorKind::AlreadyExists.into()),
            (_, None) => Err(FileErrorKind::NotFound.into()),
            (_, Some(Stat { kind: Kind::Directory, .. })) => {
                Err(FileErrorKind::NotFile(Kind::Directory).into())
            }
            (_, Some(stat)) if is_read_only(&stat) => Err(FileErrorKind::ReadOnly.into()),
            (Expected::Any, Some(_)) => self.unlink(),
            (Expected::Content(_), Some(_)) => {
                let claim = self.claim()?;
                let removed = self.open_expected(expected).and_then(|_| self.unlink());
                claim.drop_file();
                removed
            }
        })
    }

    /// Removes the file or link at this place regardless of its content, without waiting until the change is
    /// on disk: after a power failure it may exist again. For files that the next process can detect and
    /// remove.
    ///
    /// # Errors
    ///
    /// Fails if the place is a directory or does not exist.
    pub fn remove_file_unsynced(&self) -> Result<(), FileError> {
        self.change("remove", || match self.stat()? {
            None => Err(FileErrorKind::NotFound.into()),
            Some(Stat { kind: Kind::Directory, .. }) => Err(FileErrorKind::NotFile(Kind::Directory).into()),
            Some(stat) if is_read_only(&stat) => Err(FileErrorKind::ReadOnly.into()),
            Some(_) => Ok(syscalls::unlink(&self.directory, &self.name)?),
        })
    }

    /// Removes the empty directory at this place.
    ///
    /// # Errors
    ///
    /// Fails if the directory is not empty.
    pub fn remove_directory(&self) -> Result<(), FileError> {
        self.change("remove the directory", || {
            let directory = syscalls::open_entry(&self.directory, &self.name, Access::Directory)?;
            self.root.sweep(&directory)?;
            syscalls::remove_directory(&self.directory, &self.name)?;
            self.sync_directory()
        })
    }

    /// Returns the target of the symbolic link at this place.
    ///
    /// # Errors
    ///
    /// Fails if the place is not a symbolic link.
    pub fn link_target(&self) -> Result<String, FileError> {
        let read = syscalls::read_link(&self.directory, &self.name);
        let target = read.map_err(|error| self.error_at("read the link", error.into()))?;
        Ok(String::from_utf8_lossy(&target).into_owned())
    }

    /// Creates a symbolic link at this place, where nothing exists.
    pub(crate) fn link(&self, target: &str) -> Result<(), FileError> {
        self.change("create the symbolic link", || {
            expect_portable(&self.real)?;
            syscalls::symlink(target, &self.directory, &self.name)?;
            self.sync_directory()
        })
    }

    /// Waits until no other process changes this place, and excludes other processes until the claim is
    /// dropped.
    pub(crate) fn claim(&self) -> Result<Claim<'_>, Refusal> {
        Claim::take(&self.directory, &temporary::staging_name(&self.name), self.real.as_str())
    }

    fn unlink(&self) -> Result<(), Refusal> {
        syscalls::unlink(&self.directory, &self.name)?;
        self.sync_directory()
    }

    /// Waits until the entries of the directory are on disk, including all earlier changes.
    pub(crate) fn sync_directory(&self) -> Result<(), Refusal> {
        syscalls::sync_directory(&self.directory)
            .map_err(|source| Refusal { kind: FileErrorKind::Unconfirmed, source: Some(source) })
    }

    /// Runs a change of the directory, after cleanup and recovery.
    pub(crate) fn change<T>(
        &self,
        action: &'static str,
        action_fn: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<T, FileError> {
        let done = self.root.prepare(&self.directory, &self.name).and_then(|()| action_fn());
        done.map_err(|refusal| self.error_at(action, refusal))
    }

    pub(crate) fn stat(&self) -> Result<Option<Stat>, Refusal> {
        match syscalls::stat_entry(&self.directory, &self.name) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if syscalls::is_absent(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file at this place for reading; none if nothing exists.
    pub(crate) fn open_file(&self) -> Result<Option<(Handle, Stat)>, Refusal> {
        let handle = match syscalls::open_entry(&self.directory, &self.name, Access::Read) {
            Ok(handle) => handle,
            Err(error) if syscalls::is_absent(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let stat = syscalls::stat(&handle)?;
        expect_file(&stat)?;
        Ok(Some((handle, stat)))
    }

    pub(crate) fn location(&self) -> Location {
        Location::new(self.root.mount.clone(), self.real.clone())
    }

    pub(crate) fn error_at(&self, action: &'static str, refusal: Refusal) -> FileError {
        refusal.at(action, self.location())
    }
}

/// Checks that a new entry may have this name. Existing directories above it are not checked.
pub(crate) fn expect_portable(path: &WorkspacePath) -> Result<(), FileErrorKind> {
    if path.as_str().len() > MAX_PATH_BYTES || path.segments().count() > MAX_SEGMENTS {
        return Err(FileErrorKind::NameTooLong);
    }
    let checked = path.file_name().map_or(Ok(()), portable::check);
    checked.map_err(|problem| match problem {
        NameProblem::TooLong => FileErrorKind::NameTooLong,
        problem => FileErrorKind::Unportable(problem),
    })
}

//! A name in an open directory.

use minds_document::Expected;
use minds_paths::portable::{self, NameProblem};
use minds_paths::{Location, MAX_PATH_BYTES, MAX_SEGMENTS, WorkspacePath};

use super::claim::Claim;
use super::error::{FileError, FileErrorKind, Refusal};
use super::list::{Listing, walk};
use super::open_file::{Metadata, OpenFile, expect_file, is_read_only, mode_of};
use super::temporary;
use crate::Root;
use crate::syscalls::{self, Handle, Kind, Stat, Wanted};

/// A name in a directory that is open: what stands there, or could.
///
/// Whoever judges paths judges [`Place::real`] before anything is done, and what is done then is done in that very
/// directory, wherever links lead by then. What stands under the name is never followed as a link.
#[derive(Debug)]
pub struct Place<'r> {
    pub(crate) root: &'r Root,
    pub(crate) directory: Handle,
    pub(crate) name: String,
    pub(crate) real: WorkspacePath,
}

impl Place<'_> {
    /// Returns the path that leads here without any link.
    pub fn real(&self) -> &WorkspacePath {
        &self.real
    }

    /// Returns what stands here, of a link what the link is; none if there is nothing.
    ///
    /// # Errors
    ///
    /// Fails if the system does not say.
    pub fn metadata(&self) -> Result<Option<Metadata>, FileError> {
        let stat = self.stat().map_err(|refusal| self.failed("look at", refusal))?;
        Ok(stat.map(|stat| Metadata {
            kind: stat.kind,
            size: stat.size,
            mode: mode_of(&stat),
            links: stat.links,
            real: self.real.clone(),
        }))
    }

    /// Opens the file that stands here.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name.
    pub fn open(&self) -> Result<OpenFile, FileError> {
        let opened = self.open_file().and_then(|opened| opened.ok_or(FileErrorKind::NotFound.into()));
        match opened {
            Ok((handle, stat)) => Ok(OpenFile { handle, stat, real: self.location() }),
            Err(refusal) => Err(self.failed("read", refusal)),
        }
    }

    /// Returns all that lies below the directory that stands here, at most `most` entries; a link is a link.
    ///
    /// # Errors
    ///
    /// Fails if it is no directory, holds more, or a directory in it cannot be looked into.
    pub fn walk(&self, most: usize) -> Result<Listing, FileError> {
        let opened = syscalls::open_entry(&self.directory, &self.name, Wanted::Directory);
        let walked = opened.map_err(Refusal::from).and_then(|inner| walk(&inner, &self.real, most));
        walked.map_err(|refusal| self.failed("look through", refusal))
    }

    /// Makes a directory here, where nothing is.
    ///
    /// # Errors
    ///
    /// Fails if something is here.
    pub fn make_directory(&self) -> Result<(), FileError> {
        self.changing("make the directory", || {
            expect_portable(&self.real)?;
            syscalls::make_directory(&self.directory, &self.name)?;
            self.confirm()
        })
    }

    /// Moves what stands here to `to`, where nothing is. A link is moved as a link.
    ///
    /// # Errors
    ///
    /// Fails if nothing is here, or something is there, or a directory would move into itself or to another file system.
    pub fn rename(&self, to: &Place<'_>) -> Result<(), FileError> {
        self.move_to(to, || {
            to.confirm()?;
            self.confirm()
        })
    }

    /// The same without waiting until it is on disk: after a loss of power it may not have happened. For names that whoever
    /// comes next can tell and mend.
    ///
    /// # Errors
    ///
    /// Fails as [`Place::rename`] does.
    pub fn rename_soon(&self, to: &Place<'_>) -> Result<(), FileError> {
        self.move_to(to, || Ok(()))
    }

    fn move_to(
        &self,
        to: &Place<'_>,
        confirm: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<(), FileError> {
        to.root.prepare(&to.directory, &to.name).map_err(|refusal| to.failed("move to", refusal))?;
        self.changing("move", || {
            if to.real.is_at_or_below(&self.real) && to.real != self.real {
                return Err(FileErrorKind::IntoItself.into());
            }
            expect_portable(&to.real)?;
            syscalls::rename_new((&self.directory, &self.name), (&to.directory, &to.name))?;
            confirm()
        })
    }

    /// Removes the file or the link that stands here. A link is removed as a link, and of a file with several names this
    /// one.
    ///
    /// # Errors
    ///
    /// Fails if a directory is here, or not what was expected.
    pub fn remove_file(&self, expected: Expected) -> Result<(), FileError> {
        self.changing("remove", || match (expected, self.stat()?) {
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
                let removed = self.expect(expected).and_then(|_| self.unlink());
                claim.drop_file();
                removed
            }
        })
    }

    /// Removes the file or the link that stands here, whatever it holds, without waiting until that is on disk: after a loss
    /// of power it may be there again. For what whoever comes next can tell and remove.
    ///
    /// # Errors
    ///
    /// Fails if a directory is here, or nothing.
    pub fn remove_file_soon(&self) -> Result<(), FileError> {
        self.changing("remove", || match self.stat()? {
            None => Err(FileErrorKind::NotFound.into()),
            Some(Stat { kind: Kind::Directory, .. }) => Err(FileErrorKind::NotFile(Kind::Directory).into()),
            Some(stat) if is_read_only(&stat) => Err(FileErrorKind::ReadOnly.into()),
            Some(_) => Ok(syscalls::unlink(&self.directory, &self.name)?),
        })
    }

    /// Removes the empty directory that stands here.
    ///
    /// # Errors
    ///
    /// Fails if something is in it.
    pub fn remove_directory(&self) -> Result<(), FileError> {
        self.changing("remove the directory", || {
            let directory = syscalls::open_entry(&self.directory, &self.name, Wanted::Directory)?;
            self.root.sweep(&directory)?;
            syscalls::remove_directory(&self.directory, &self.name)?;
            self.confirm()
        })
    }

    /// Returns where the link that stands here says that it leads.
    ///
    /// # Errors
    ///
    /// Fails if no link is here.
    pub fn target(&self) -> Result<String, FileError> {
        let read = syscalls::read_link(&self.directory, &self.name);
        let target = read.map_err(|error| self.failed("read the link", error.into()))?;
        Ok(String::from_utf8_lossy(&target).into_owned())
    }

    /// Makes a symbolic link here, where nothing is.
    pub(crate) fn link(&self, target: &str) -> Result<(), FileError> {
        self.changing("make the link", || {
            expect_portable(&self.real)?;
            syscalls::symlink(target, &self.directory, &self.name)?;
            self.confirm()
        })
    }

    /// Waits until no other process changes what stands here, and keeps others from it.
    pub(crate) fn claim(&self) -> Result<Claim<'_>, Refusal> {
        Claim::take(&self.directory, &temporary::staged(&self.name), self.real.as_str())
    }

    fn unlink(&self) -> Result<(), Refusal> {
        syscalls::unlink(&self.directory, &self.name)?;
        self.confirm()
    }

    /// Waits until the names in the directory are on disk. What comes before has happened by then.
    pub(crate) fn confirm(&self) -> Result<(), Refusal> {
        syscalls::sync_directory(&self.directory)
            .map_err(|source| Refusal { kind: FileErrorKind::Unconfirmed, source: Some(source) })
    }

    /// Does something that changes the directory.
    pub(crate) fn changing<T>(
        &self,
        action: &'static str,
        change: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<T, FileError> {
        let done = self.root.prepare(&self.directory, &self.name).and_then(|()| change());
        done.map_err(|refusal| self.failed(action, refusal))
    }

    pub(crate) fn stat(&self) -> Result<Option<Stat>, Refusal> {
        match syscalls::stat_entry(&self.directory, &self.name) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if syscalls::is_absent(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file that stands here to be read; none if there is nothing.
    pub(crate) fn open_file(&self) -> Result<Option<(Handle, Stat)>, Refusal> {
        let handle = match syscalls::open_entry(&self.directory, &self.name, Wanted::Read) {
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

    pub(crate) fn failed(&self, action: &'static str, refusal: Refusal) -> FileError {
        refusal.at(action, self.location())
    }
}

/// Makes sure that something new may be called so. The directories above it are there, whatever they are called.
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

//! Operations on the files of a root, with or without following symbolic links.

use minds_vfs::{Expected, FileMode, Location, WorkspacePath};

use super::error::{FileError, FileErrorKind, Refusal};
use super::list::{Listing, list, walk};
use super::lock::Lock;
use super::open_file::{Metadata, OpenFile, ReadFile, expect_file, mode_of};
use super::place::Place;
use super::resolve::Mode;
use crate::Root;
use crate::syscalls::{self, Access, Kind, Sharing, Stamp, Stat};

/// The files below a root, in one of two modes.
///
/// *No-follow*: symbolic links are not followed at all, so every path is a real path. *Resolving*: links that
/// stay below the root are followed, and every result contains the real path, so that a policy can check both
/// the requested path and the real one.
///
/// To check permissions before an operation, open a handle and check [`OpenFile::real`] or [`Place::real`]:
/// operations on the handle apply to exactly what was checked, even if links change in between.
#[derive(Clone, Copy, Debug)]
pub struct View<'r> {
    root: &'r Root,
    mode: Mode,
}

impl Root {
    /// Returns the files below the root, without following symbolic links.
    pub fn no_follow(&self) -> View<'_> {
        View { root: self, mode: Mode::NoFollow }
    }

    /// Returns the files below the root, following symbolic links that stay below it.
    pub fn resolving(&self) -> View<'_> {
        let mode = if self.follows_links { Mode::Resolving } else { Mode::NoFollow };
        View { root: self, mode }
    }
}

impl<'r> View<'r> {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// Fails if the path is not a regular file with one name. A pipe, socket or device is refused without
    /// blocking.
    pub fn open(&self, path: &WorkspacePath) -> Result<OpenFile, FileError> {
        let opened = self.root.open_at(path, self.mode, Access::Read).and_then(|(handle, real)| {
            let stat = syscalls::stat(&handle)?;
            expect_file(&stat)?;
            Ok(OpenFile { handle, stat, real: self.location(&real) })
        });
        opened.map_err(|refusal| self.error_at("read", path, refusal))
    }

    /// Returns the content of a file of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// Fails as [`View::open`] and [`OpenFile::read`] do.
    pub fn read(&self, path: &WorkspacePath, most: u64) -> Result<ReadFile, FileError> {
        self.open(path)?.read(most)
    }

    /// Returns information about an entry without reading it. A symbolic link at the path is reported as a
    /// link in a no-follow view, and followed in a resolving one.
    ///
    /// # Errors
    ///
    /// Fails if the entry does not exist or cannot be examined.
    pub fn metadata(&self, path: &WorkspacePath) -> Result<Metadata, FileError> {
        let wanted = match self.mode {
            Mode::NoFollow => Access::Stat,
            Mode::Resolving => Access::StatNoLink,
        };
        let metadata = self.root.open_at(path, self.mode, wanted).and_then(|(handle, real)| {
            let stat = syscalls::stat(&handle)?;
            let mode = mode_of(&stat);
            let Stat { kind, size, links, modified, .. } = stat;
            Ok(Metadata { kind, size, mode, links, modified, real })
        });
        metadata.map_err(|refusal| self.error_at("examine", path, refusal))
    }

    /// Returns a stamp by which a change of an entry is detected. Symbolic links are treated as by
    /// [`View::metadata`].
    ///
    /// # Errors
    ///
    /// Fails if the entry does not exist or cannot be examined.
    pub fn stamp(&self, path: &WorkspacePath) -> Result<Stamp, FileError> {
        let wanted = match self.mode {
            Mode::NoFollow => Access::Stat,
            Mode::Resolving => Access::StatNoLink,
        };
        let opened = self.root.open_at(path, self.mode, wanted);
        let stamp = opened.and_then(|(handle, _)| Ok(syscalls::stamp(&handle)?));
        stamp.map_err(|refusal| self.error_at("examine", path, refusal))
    }

    /// Returns the entries of a directory, at most `most`, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if the path is not a directory or has more entries.
    pub fn list(&self, path: &WorkspacePath, most: usize) -> Result<Listing, FileError> {
        let opened = self.root.open_at(path, self.mode, Access::Directory);
        let listed = opened.and_then(|(directory, real)| list(&directory, &real, most));
        listed.map_err(|refusal| self.error_at("list", path, refusal))
    }

    /// Returns all entries below a directory, at most `most`; symbolic links are not followed. A caller that
    /// acts on a whole tree must check every entry, including the unnamed ones.
    ///
    /// # Errors
    ///
    /// Fails if the path is not a directory, has more entries, or contains a directory that is not
    /// accessible.
    pub fn walk(&self, path: &WorkspacePath, most: usize) -> Result<Listing, FileError> {
        let opened = self.root.open_at(path, self.mode, Access::Directory);
        let walked = opened.and_then(|(directory, real)| walk(&directory, &real, most));
        walked.map_err(|refusal| self.error_at("list the tree", path, refusal))
    }

    /// Returns the place with this name; a symbolic link at the name is the place itself and is not followed.
    /// For creating, moving and removing.
    ///
    /// # Errors
    ///
    /// Fails if the parent directory does not exist.
    pub fn entry(&self, path: &WorkspacePath) -> Result<Place<'r>, FileError> {
        self.entry_at(path).map_err(|refusal| self.error_at("reach", path, refusal))
    }

    /// Returns the place of the file with this name: in a resolving view, a symbolic link at the name is
    /// followed. For replacing and appending.
    ///
    /// # Errors
    ///
    /// Fails if the parent directory does not exist.
    pub fn place(&self, path: &WorkspacePath) -> Result<Place<'r>, FileError> {
        self.place_at(path).map_err(|refusal| self.error_at("reach", path, refusal))
    }

    pub(crate) fn entry_at(&self, path: &WorkspacePath) -> Result<Place<'r>, Refusal> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileErrorKind::Root.into());
        };
        let (directory, parent) = self.root.open_at(&parent, self.mode, Access::Directory)?;
        let real = parent.join(name).map_err(|_| FileErrorKind::Unnamed)?;
        Ok(Place { root: self.root, directory, name: name.to_owned(), real })
    }

    fn place_at(&self, path: &WorkspacePath) -> Result<Place<'r>, Refusal> {
        let place = self.entry_at(path)?;
        if self.mode == Mode::NoFollow || !is_link(&place)? {
            return Ok(place);
        }
        let no_follow = self.root.no_follow();
        self.root.follow(path, |real| match no_follow.entry_at(real) {
            Err(refusal) if refusal.kind == FileErrorKind::Link => Ok(None),
            place => {
                let place = place?;
                Ok((!is_link(&place)?).then_some(place))
            }
        })
    }

    fn location(&self, path: &WorkspacePath) -> Location {
        Location::new(self.root.mount.clone(), path.clone())
    }

    fn error_at(&self, action: &'static str, path: &WorkspacePath, refusal: Refusal) -> FileError {
        refusal.at(action, self.location(path))
    }
}

fn is_link(place: &Place<'_>) -> Result<bool, Refusal> {
    Ok(place.stat()?.is_some_and(|stat| stat.kind == Kind::Link))
}

/// The operations of a place, for callers that need no check in between.
impl View<'_> {
    /// Creates a file, like [`Place::create`].
    ///
    /// # Errors
    ///
    /// Fails if the path exists.
    pub fn create(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.entry(path)?.create(bytes, mode)
    }

    /// Replaces the content of a file, like [`Place::replace`].
    ///
    /// # Errors
    ///
    /// Fails if the file is not as expected, or not a regular file with one name.
    pub fn replace(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        mode: FileMode,
        expected: Expected,
    ) -> Result<(), FileError> {
        self.place(path)?.replace(bytes, mode, expected)
    }

    /// Appends to a file, like [`Place::append`].
    ///
    /// # Errors
    ///
    /// Fails if the file is not a regular file with one name.
    pub fn append(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.place(path)?.append(bytes, mode)
    }

    /// Appends to a file, like [`Place::extend`].
    ///
    /// # Errors
    ///
    /// Fails if the file is not a regular file with one name.
    pub fn extend(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.place(path)?.extend(bytes, mode)
    }

    /// Creates a directory, like [`Place::make_directory`].
    ///
    /// # Errors
    ///
    /// Fails if the path exists.
    pub fn make_directory(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.entry(path)?.make_directory()
    }

    /// Moves an entry to a path that does not exist, like [`Place::rename`].
    ///
    /// # Errors
    ///
    /// Fails if `from` does not exist, or `to` exists.
    pub fn rename(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), FileError> {
        self.entry(from)?.rename(&self.entry(to)?)
    }

    /// Moves an entry to a path that does not exist, like [`Place::rename_unsynced`].
    ///
    /// # Errors
    ///
    /// Fails if `from` does not exist, or `to` exists.
    pub fn rename_unsynced(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), FileError> {
        self.entry(from)?.rename_unsynced(&self.entry(to)?)
    }

    /// Removes a file or a link, like [`Place::remove_file_unsynced`].
    ///
    /// # Errors
    ///
    /// Fails if the path is a directory or does not exist.
    pub fn remove_file_unsynced(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.entry(path)?.remove_file_unsynced()
    }

    /// Removes a file or a link, like [`Place::remove_file`].
    ///
    /// # Errors
    ///
    /// Fails if the file is not as expected, or is a directory.
    pub fn remove_file(&self, path: &WorkspacePath, expected: Expected) -> Result<(), FileError> {
        self.entry(path)?.remove_file(expected)
    }

    /// Removes an empty directory, like [`Place::remove_directory`].
    ///
    /// # Errors
    ///
    /// Fails if the directory is not empty.
    pub fn remove_directory(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.entry(path)?.remove_directory()
    }

    /// Acquires the lock on a place, like [`Place::lock`].
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written, or the lock is not free before the timeout.
    pub fn lock(&self, path: &WorkspacePath, sharing: Sharing) -> Result<Lock, FileError> {
        self.place(path)?.lock(sharing)
    }
}

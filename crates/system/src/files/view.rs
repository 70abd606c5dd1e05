//! What a root shows, with links or without.

use minds_document::{Expected, FileMode};
use minds_paths::{Location, WorkspacePath};

use super::error::{FileError, FileErrorKind, Refusal};
use super::list::{Listing, list, walk};
use super::lock::Lock;
use super::open_file::{Metadata, OpenFile, ReadFile, expect_file, mode_of};
use super::place::Place;
use super::resolve::Mode;
use crate::Root;
use crate::syscalls::{self, Kind, Sharing, Stamp, Wanted};

/// The files below a root, in one of two ways.
///
/// *Scoped*: no symbolic link is followed at all, so every path is a real one. *Resolving*: links that stay below the root
/// are followed, and every answer has the real path, so that a policy judges what was asked for and what it is.
///
/// To judge before anything happens, take a handle and judge [`OpenFile::real`] or [`Place::real`]: what is done with the
/// handle is done to what was judged, however links change in between.
#[derive(Clone, Copy, Debug)]
pub struct View<'r> {
    root: &'r Root,
    mode: Mode,
}

impl Root {
    /// Returns the files below the root, where no symbolic link is followed.
    pub fn scoped(&self) -> View<'_> {
        View { root: self, mode: Mode::Scoped }
    }

    /// Returns the files below the root, where symbolic links are followed that stay below it.
    pub fn resolving(&self) -> View<'_> {
        let mode = if self.follows_links { Mode::Resolving } else { Mode::Scoped };
        View { root: self, mode }
    }
}

impl<'r> View<'r> {
    /// Opens a file to be read.
    ///
    /// # Errors
    ///
    /// Fails if there is no regular file with one name. A pipe, a socket or a device is refused without waiting for it.
    pub fn open(&self, path: &WorkspacePath) -> Result<OpenFile, FileError> {
        let opened = self.root.open_at(path, self.mode, Wanted::Read).and_then(|(handle, real)| {
            let stat = syscalls::stat(&handle)?;
            expect_file(&stat)?;
            Ok(OpenFile { handle, stat, real: self.location(&real) })
        });
        opened.map_err(|refusal| self.failed("read", path, refusal))
    }

    /// Returns the content of a file that has at most `most` bytes.
    ///
    /// # Errors
    ///
    /// Fails as [`View::open`] and [`OpenFile::read`] do.
    pub fn read(&self, path: &WorkspacePath, most: u64) -> Result<ReadFile, FileError> {
        self.open(path)?.read(most)
    }

    /// Returns what is known about something without reading it. Of a link it is known where links are not followed that
    /// it is one, else it is followed.
    ///
    /// # Errors
    ///
    /// Fails if nothing is there, or the system does not say.
    pub fn metadata(&self, path: &WorkspacePath) -> Result<Metadata, FileError> {
        let wanted = match self.mode {
            Mode::Scoped => Wanted::Look,
            Mode::Resolving => Wanted::LookBehind,
        };
        let looked = self.root.open_at(path, self.mode, wanted).and_then(|(handle, real)| {
            let stat = syscalls::stat(&handle)?;
            let mode = mode_of(&stat);
            Ok(Metadata { kind: stat.kind, size: stat.size, mode, links: stat.links, real })
        });
        looked.map_err(|refusal| self.failed("look at", path, refusal))
    }

    /// Returns by what it is seen that something is another than before. Links are treated as by [`View::metadata`].
    ///
    /// # Errors
    ///
    /// Fails if nothing is there, or the system does not say.
    pub fn stamp(&self, path: &WorkspacePath) -> Result<Stamp, FileError> {
        let wanted = match self.mode {
            Mode::Scoped => Wanted::Look,
            Mode::Resolving => Wanted::LookBehind,
        };
        let opened = self.root.open_at(path, self.mode, wanted);
        let looked = opened.and_then(|(handle, _)| Ok(syscalls::stamp(&handle)?));
        looked.map_err(|refusal| self.failed("look at", path, refusal))
    }

    /// Returns what a directory holds, at most `most` entries, in the order of their names.
    ///
    /// # Errors
    ///
    /// Fails if it is no directory or holds more.
    pub fn list(&self, path: &WorkspacePath, most: usize) -> Result<Listing, FileError> {
        let opened = self.root.open_at(path, self.mode, Wanted::Directory);
        let listed = opened.and_then(|(directory, real)| list(&directory, &real, most));
        listed.map_err(|refusal| self.failed("list", path, refusal))
    }

    /// Returns all that lies below a directory, at most `most` entries; a link is a link, and nothing is below it. Whoever
    /// does something to a whole directory judges all of it, and those that cannot be named too.
    ///
    /// # Errors
    ///
    /// Fails if it is no directory, holds more, or a directory in it cannot be looked into.
    pub fn walk(&self, path: &WorkspacePath, most: usize) -> Result<Listing, FileError> {
        let opened = self.root.open_at(path, self.mode, Wanted::Directory);
        let walked = opened.and_then(|(directory, real)| walk(&directory, &real, most));
        walked.map_err(|refusal| self.failed("look through", path, refusal))
    }

    /// Returns the place with this name; a link that stands there is the place, and is not followed. For what is made,
    /// moved and removed.
    ///
    /// # Errors
    ///
    /// Fails if there is no directory that could hold it.
    pub fn entry(&self, path: &WorkspacePath) -> Result<Place<'r>, FileError> {
        self.entry_at(path).map_err(|refusal| self.failed("reach", path, refusal))
    }

    /// Returns the place of the file with this name: of a link, where links are followed, the place that it leads to. For
    /// what is replaced and appended to.
    ///
    /// # Errors
    ///
    /// Fails if there is no directory that could hold it.
    pub fn place(&self, path: &WorkspacePath) -> Result<Place<'r>, FileError> {
        self.place_at(path).map_err(|refusal| self.failed("reach", path, refusal))
    }

    pub(crate) fn entry_at(&self, path: &WorkspacePath) -> Result<Place<'r>, Refusal> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileErrorKind::Root.into());
        };
        let (directory, parent) = self.root.open_at(&parent, self.mode, Wanted::Directory)?;
        let real = parent.join(name).map_err(|_| FileErrorKind::Unnamed)?;
        Ok(Place { root: self.root, directory, name: name.to_owned(), real })
    }

    fn place_at(&self, path: &WorkspacePath) -> Result<Place<'r>, Refusal> {
        let place = self.entry_at(path)?;
        if self.mode == Mode::Scoped || !is_link(&place)? {
            return Ok(place);
        }
        let scoped = self.root.scoped();
        self.root.follow(path, |real| match scoped.entry_at(real) {
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

    fn failed(&self, action: &'static str, path: &WorkspacePath, refusal: Refusal) -> FileError {
        refusal.at(action, self.location(path))
    }
}

fn is_link(place: &Place<'_>) -> Result<bool, Refusal> {
    Ok(place.stat()?.is_some_and(|stat| stat.kind == Kind::Link))
}

/// The verbs of a place, for those who have nothing to judge in between.
impl View<'_> {
    /// Makes a file, as [`Place::create`] does.
    ///
    /// # Errors
    ///
    /// Fails if something is there.
    pub fn create(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.entry(path)?.create(bytes, mode)
    }

    /// Gives a file another content, as [`Place::replace`] does.
    ///
    /// # Errors
    ///
    /// Fails if it is not as expected, or no regular file with one name.
    pub fn replace(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        mode: FileMode,
        expected: Expected,
    ) -> Result<(), FileError> {
        self.place(path)?.replace(bytes, mode, expected)
    }

    /// Writes at the end of a file, as [`Place::append`] does.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name.
    pub fn append(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.place(path)?.append(bytes, mode)
    }

    /// Writes at the end of a file, as [`Place::extend`] does.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file with one name.
    pub fn extend(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
        self.place(path)?.extend(bytes, mode)
    }

    /// Makes a directory, as [`Place::make_directory`] does.
    ///
    /// # Errors
    ///
    /// Fails if something is there.
    pub fn make_directory(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.entry(path)?.make_directory()
    }

    /// Moves something to where nothing is, as [`Place::rename`] does.
    ///
    /// # Errors
    ///
    /// Fails if there is nothing to move, or something where it should go.
    pub fn rename(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), FileError> {
        self.entry(from)?.rename(&self.entry(to)?)
    }

    /// Moves something to where nothing is, as [`Place::rename_soon`] does.
    ///
    /// # Errors
    ///
    /// Fails if there is nothing to move, or something where it should go.
    pub fn rename_soon(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), FileError> {
        self.entry(from)?.rename_soon(&self.entry(to)?)
    }

    /// Removes a file or a link, as [`Place::remove_file_soon`] does.
    ///
    /// # Errors
    ///
    /// Fails if it is a directory, or nothing.
    pub fn remove_file_soon(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.entry(path)?.remove_file_soon()
    }

    /// Removes a file or a link, as [`Place::remove_file`] does.
    ///
    /// # Errors
    ///
    /// Fails if it is not as expected, or a directory.
    pub fn remove_file(&self, path: &WorkspacePath, expected: Expected) -> Result<(), FileError> {
        self.entry(path)?.remove_file(expected)
    }

    /// Removes an empty directory, as [`Place::remove_directory`] does.
    ///
    /// # Errors
    ///
    /// Fails if something is in it.
    pub fn remove_directory(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.entry(path)?.remove_directory()
    }

    /// Takes the lock on a place, as [`Place::lock`] does.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written.
    pub fn lock(&self, path: &WorkspacePath, sharing: Sharing) -> Result<Lock, FileError> {
        self.place(path)?.lock(sharing)
    }
}

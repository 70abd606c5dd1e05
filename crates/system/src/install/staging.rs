//! What is to be installed, written down.

use std::path::{Path, PathBuf};

use minds_document::FileMode;
use minds_paths::WorkspacePath;

use super::error::InstallError;
use super::found::Found;
use super::moves::clear_entry;
use crate::files::temporary::INSTALLATION;
use crate::files::{FileErrorKind, Refusal, bits_of};
use crate::syscalls::{self, Handle, Wanted};
use crate::{Root, random};

/// The folder of what is not installed yet, at the top of a home.
const STAGING: &str = ".staging";

/// Several changes of a home and of agent homes, of which all or none happen.
///
/// The caller holds the lock of the home, and has called [`super::recover`] since. New files are written below
/// [`Transaction::folder`], and nothing else changes before [`Transaction::commit`]. What was staged is removed when the value
/// is dropped.
#[derive(Debug)]
pub struct Transaction<'h> {
    pub(super) home: &'h Root,
    pub(super) id: String,
    /// The folder of this transaction.
    pub(super) own: WorkspacePath,
    /// The folder for what the caller writes.
    new: WorkspacePath,
    pub(super) planned: Vec<Planned>,
    pub(super) states: Vec<Planned>,
    /// The directory in which something was written last, behind those above it, as far as they were opened.
    entered: Vec<(WorkspacePath, Handle)>,
}

/// What is to happen at one place.
#[derive(Debug)]
pub(super) enum Planned {
    Put { from: WorkspacePath, to: WorkspacePath },
    Remove { path: WorkspacePath },
    Link { lobe: PathBuf, path: WorkspacePath, target: String, found: Found },
    Copy { lobe: PathBuf, path: WorkspacePath, from: WorkspacePath, found: Found },
    Unlink { lobe: PathBuf, path: WorkspacePath, found: Found },
}

impl<'h> Transaction<'h> {
    /// Begins one in `home`.
    ///
    /// # Errors
    ///
    /// Fails if the home cannot be written.
    pub fn begin(home: &'h Root) -> Result<Self, InstallError> {
        let begun = || {
            let digits = random::<8>().map_err(Refusal::from)?;
            let id = format!("{:016x}", u64::from_be_bytes(digits));
            let own = staging()?.join(&id).map_err(|_| FileErrorKind::Unnamed)?;
            let new = own.join("new").map_err(|_| FileErrorKind::Unnamed)?;
            let mut transaction = Self {
                home,
                id,
                own,
                new: new.clone(),
                planned: Vec::new(),
                states: Vec::new(),
                entered: Vec::new(),
            };
            transaction.enter(&new)?;
            Ok(transaction)
        };
        begun().map_err(|refusal| InstallError::of(Path::new(STAGING), refusal))
    }

    /// Returns the folder, from the home, below which new files are written; it is there, and whatever else is put there, by
    /// programs as well, can be installed too.
    pub fn folder(&self) -> &WorkspacePath {
        &self.new
    }

    /// Makes a directory below the folder, and those above it. One that is there stays.
    ///
    /// # Errors
    ///
    /// Fails if the path does not lie below the folder, or the directory cannot be made.
    pub fn make_directory(&mut self, path: &WorkspacePath) -> Result<(), InstallError> {
        let made = self.expect_inside(path).and_then(|()| self.enter(path));
        made.map_err(|refusal| InstallError::of(path.as_str(), refusal))
    }

    /// Writes a new file below the folder, and makes the directories above it. It is not waited for that it is on disk.
    ///
    /// # Errors
    ///
    /// Fails if the path does not lie below the folder, or has a name that some system refuses, or something is there.
    pub fn write(&mut self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), InstallError> {
        let written = self.expect_inside(path).and_then(|()| self.write_file(path, bytes, mode));
        written.map_err(|refusal| InstallError::of(path.as_str(), refusal))
    }

    /// Plans that what stands at `from`, below the folder, gets the place `to` in the home, whatever has it now.
    pub fn put(&mut self, from: WorkspacePath, to: WorkspacePath) {
        self.planned.push(Planned::Put { from, to });
    }

    /// Plans that what stands at `path` in the home is removed. There may be nothing.
    pub fn remove(&mut self, path: WorkspacePath) {
        self.planned.push(Planned::Remove { path });
    }

    /// Plans a link at `path` in an agent home, in the place of what the caller found there. A link that leads there already
    /// stays as it is.
    pub fn link(&mut self, lobe: &Path, path: WorkspacePath, target: &str, found: Found) {
        let (lobe, target) = (lobe.to_owned(), target.to_owned());
        self.planned.push(Planned::Link { lobe, path, target, found });
    }

    /// Plans a copy of what stands at `from` in the home once all is put there, in the place of what the caller found.
    pub fn copy(&mut self, lobe: &Path, path: WorkspacePath, from: WorkspacePath, found: Found) {
        self.planned.push(Planned::Copy { lobe: lobe.to_owned(), path, from, found });
    }

    /// Plans that what the caller found in an agent home is removed. If nothing is there any more, that is as well.
    pub fn unlink(&mut self, lobe: &Path, path: WorkspacePath, found: Found) {
        self.planned.push(Planned::Unlink { lobe: lobe.to_owned(), path, found });
    }

    /// Plans that a file of the home says from now on what is installed. Such files change last.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written down.
    pub fn state(&mut self, path: WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), InstallError> {
        let staged = self.own.join(&format!("state-{}", self.states.len()));
        let staged = staged.map_err(|_| FileErrorKind::Unnamed.into());
        let written = staged.and_then(|staged| {
            self.write_file(&staged, bytes, mode)?;
            Ok(staged)
        });
        let from = written.map_err(|refusal| InstallError::of(path.as_str(), refusal))?;
        self.states.push(Planned::Put { from, to: path });
        Ok(())
    }

    fn expect_inside(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        if path.check_portable().is_err() {
            return Err(FileErrorKind::Unnamed.into());
        }
        if path != &self.new && path.is_at_or_below(&self.new) {
            Ok(())
        } else {
            Err(FileErrorKind::Root.into())
        }
    }

    fn write_file(&mut self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), Refusal> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileErrorKind::Root.into());
        };
        self.enter(&parent)?;
        let Some((_, directory)) = self.entered.last() else { return Err(FileErrorKind::NotFound.into()) };
        let handle = syscalls::create_new(directory, name, bits_of(mode))?;
        Ok(syscalls::write_all(&handle, bytes)?)
    }

    /// Opens a directory, and makes it and those above it if they are not there.
    fn enter(&mut self, path: &WorkspacePath) -> Result<(), Refusal> {
        while self.entered.last().is_some_and(|(above, _)| !path.is_at_or_below(above)) {
            self.entered.pop();
        }
        let Some((last, directory)) = self.entered.last() else {
            let handle = match self.home.open_exactly(path, Wanted::Directory) {
                Err(Refusal { kind: FileErrorKind::NotFound, .. }) => {
                    let parent = path.parent().ok_or(FileErrorKind::NotFound)?;
                    self.enter(&parent)?;
                    return self.enter(path);
                }
                opened => opened?,
            };
            self.entered.push((path.clone(), handle));
            return Ok(());
        };
        let inside = path.as_str().get(last.as_str().len()..).unwrap_or_default();
        let Some(name) = inside.trim_start_matches('/').split('/').next().filter(|name| !name.is_empty())
        else {
            return Ok(());
        };
        // Most of what is entered is new.
        match syscalls::make_directory(directory, name) {
            Err(error) if !syscalls::is_taken(&error) => return Err(error.into()),
            _ => {}
        }
        let handle = syscalls::open_entry(directory, name, Wanted::Directory)?;
        let next = last.join(name).map_err(|_| FileErrorKind::Unnamed)?;
        self.entered.push((next, handle));
        self.enter(path)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // As long as there is a journal it may need what was staged. What stays is removed by the next command.
        let journal = syscalls::stat_entry(&self.home.handle, INSTALLATION);
        if !journal.is_err_and(|error| syscalls::is_absent(&error)) {
            return;
        }
        let _ = sweep(self.home, Some(&self.own));
    }
}

/// Returns the folder of what is not installed yet.
pub(super) fn staging() -> Result<WorkspacePath, Refusal> {
    WorkspacePath::parse(STAGING).map_err(|_| FileErrorKind::Unnamed.into())
}

/// Removes what one transaction staged, or all that any did; and the folder of all if it is empty then.
pub(super) fn sweep(home: &Root, own: Option<&WorkspacePath>) -> Result<(), Refusal> {
    let all = staging()?;
    let view = home.scoped();
    let cleared = match view.entry_at(own.unwrap_or(&all)) {
        Ok(place) => clear_entry(&place.into()),
        Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Ok(()),
        Err(refusal) => Err(refusal),
    };
    if own.is_some() {
        let place = view.entry_at(&all)?;
        // That of another one may be in it, or something of the user's.
        let _ = syscalls::remove_directory(&place.directory, &place.name);
    }
    cleared
}

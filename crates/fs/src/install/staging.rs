//! Staging of new files and planned changes.

use std::path::{Path, PathBuf};

use minds_process::random;
use minds_vfs::{FileMode, WorkspacePath};

use super::entry_moves::clear_entry;
use super::error::InstallError;
use super::place_state::PlaceState;
use crate::Root;
use crate::files::temporary::INSTALL_JOURNAL;
use crate::files::{FileErrorKind, Refusal, bits_of};
use crate::syscalls::{self, Access, Handle};

/// The folder for staged files, at the top of a home.
const STAGING: &str = ".staging";

/// A set of changes of a home and of agent homes that are made completely or not at all.
///
/// The caller holds the lock of the home, and has called [`super::recover`] after acquiring it. New files are
/// written below [`Transaction::folder`]; nothing else changes before [`Transaction::commit`]. Staged files
/// are removed when the value is dropped.
#[derive(Debug)]
pub struct Transaction<'h> {
    pub(super) home: &'h Root,
    pub(super) id: String,
    /// The folder of this transaction.
    pub(super) own: WorkspacePath,
    /// The folder for files written by the caller.
    new: WorkspacePath,
    pub(super) planned: Vec<PlannedChange>,
    pub(super) states: Vec<PlannedChange>,
    /// The directory that was written last, preceded by its open ancestors.
    entered: Vec<(WorkspacePath, Handle)>,
}

#[derive(Debug)]
pub(super) enum PlannedChange {
    Put { from: WorkspacePath, to: WorkspacePath },
    Remove { path: WorkspacePath },
    Link { lobe: PathBuf, path: WorkspacePath, target: String, found: PlaceState },
    Copy { lobe: PathBuf, path: WorkspacePath, from: WorkspacePath, found: PlaceState },
    Unlink { lobe: PathBuf, path: WorkspacePath, found: PlaceState },
}

impl<'h> Transaction<'h> {
    /// Starts a transaction in `home`.
    ///
    /// # Errors
    ///
    /// Fails if the home cannot be written.
    pub fn begin(home: &'h Root) -> Result<Self, InstallError> {
        let create = || {
            let digits = random::<8>().map_err(Refusal::from)?;
            let id = format!("{:016x}", u64::from_be_bytes(digits));
            let own = staging_folder()?.join(&id).map_err(|_| FileErrorKind::Unnamed)?;
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
        create().map_err(|refusal| InstallError::of(Path::new(STAGING), refusal))
    }

    /// Returns the folder, relative to the home, below which new files are written. It exists, and files that
    /// other programs put there can be installed too.
    pub fn folder(&self) -> &WorkspacePath {
        &self.new
    }

    /// Creates a directory below the folder, with its parents. An existing directory is kept.
    ///
    /// # Errors
    ///
    /// Fails if the path is not below the folder, or the directory cannot be created.
    pub fn make_directory(&mut self, path: &WorkspacePath) -> Result<(), InstallError> {
        let made = self.expect_inside(path).and_then(|()| self.enter(path));
        made.map_err(|refusal| InstallError::of(path.as_str(), refusal))
    }

    /// Writes a new file below the folder, and creates its parent directories. Does not wait until the file
    /// is on disk.
    ///
    /// # Errors
    ///
    /// Fails if the path is not below the folder, is not portable, or exists.
    pub fn write(&mut self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), InstallError> {
        let written = self.expect_inside(path).and_then(|()| self.write_file(path, bytes, mode));
        written.map_err(|refusal| InstallError::of(path.as_str(), refusal))
    }

    /// Plans to move the entry at `from`, below the folder, to `to` in the home, replacing an existing entry.
    pub fn put(&mut self, from: WorkspacePath, to: WorkspacePath) {
        self.planned.push(PlannedChange::Put { from, to });
    }

    /// Plans to remove the entry at `path` in the home, if it exists.
    pub fn remove(&mut self, path: WorkspacePath) {
        self.planned.push(PlannedChange::Remove { path });
    }

    /// Plans a symbolic link at `path` in an agent home, replacing the entry that the caller inspected. A
    /// link that already has this target is kept.
    pub fn link(&mut self, lobe: &Path, path: WorkspacePath, target: &str, found: PlaceState) {
        let (lobe, target) = (lobe.to_owned(), target.to_owned());
        self.planned.push(PlannedChange::Link { lobe, path, target, found });
    }

    /// Plans a copy of the entry at `from` in the home, after all entries of the home are in place, replacing
    /// the entry that the caller inspected.
    pub fn copy(&mut self, lobe: &Path, path: WorkspacePath, from: WorkspacePath, found: PlaceState) {
        self.planned.push(PlannedChange::Copy { lobe: lobe.to_owned(), path, from, found });
    }

    /// Plans to remove the entry of an agent home that the caller inspected. An entry that no longer exists
    /// is not an error.
    pub fn unlink(&mut self, lobe: &Path, path: WorkspacePath, found: PlaceState) {
        self.planned.push(PlannedChange::Unlink { lobe: lobe.to_owned(), path, found });
    }

    /// Plans the new content of a file of the home that records what is installed. Such files are changed
    /// last.
    ///
    /// # Errors
    ///
    /// Fails if the content cannot be staged.
    pub fn state(&mut self, path: WorkspacePath, bytes: &[u8], mode: FileMode) -> Result<(), InstallError> {
        let staged = self.own.join(&format!("state-{}", self.states.len()));
        let staged = staged.map_err(|_| FileErrorKind::Unnamed.into());
        let written = staged.and_then(|staged| {
            self.write_file(&staged, bytes, mode)?;
            Ok(staged)
        });
        let from = written.map_err(|refusal| InstallError::of(path.as_str(), refusal))?;
        self.states.push(PlannedChange::Put { from, to: path });
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

    /// Opens a directory, and creates it and its parents if they do not exist.
    fn enter(&mut self, path: &WorkspacePath) -> Result<(), Refusal> {
        while self.entered.last().is_some_and(|(above, _)| !path.is_at_or_below(above)) {
            self.entered.pop();
        }
        let Some((last, directory)) = self.entered.last() else {
            let handle = match self.home.open_without_links(path, Access::Directory) {
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
        // Most directories are new, so creating is tried first.
        match syscalls::make_directory(directory, name) {
            Err(error) if !syscalls::is_existing_name(&error) => return Err(error.into()),
            _ => {}
        }
        let handle = syscalls::open_entry(directory, name, Access::Directory)?;
        let next = last.join(name).map_err(|_| FileErrorKind::Unnamed)?;
        self.entered.push((next, handle));
        self.enter(path)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // If a journal exists, it may need the staged files. Remaining files are removed by the next command.
        let journal = syscalls::stat_entry(&self.home.handle, INSTALL_JOURNAL);
        if !journal.is_err_and(|error| syscalls::is_absent(&error)) {
            return;
        }
        let _ = sweep(self.home, Some(&self.own));
    }
}

/// Returns the path of the staging folder.
pub(super) fn staging_folder() -> Result<WorkspacePath, Refusal> {
    WorkspacePath::parse(STAGING).map_err(|_| FileErrorKind::Unnamed.into())
}

/// Removes the staged files of one transaction, or of all; and then the staging folder if it is empty.
pub(super) fn sweep(home: &Root, own: Option<&WorkspacePath>) -> Result<(), Refusal> {
    let all = staging_folder()?;
    let view = home.no_follow();
    let cleared = match view.entry_at(own.unwrap_or(&all)) {
        Ok(place) => clear_entry(&place.into()),
        Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Ok(()),
        Err(refusal) => Err(refusal),
    };
    if own.is_some() {
        let place = view.entry_at(&all)?;
        // It may contain another transaction, or files of the user.
        let _ = syscalls::remove_directory(&place.directory, &place.name);
    }
    cleared
}

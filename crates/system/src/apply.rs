//! Change sets, applied.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, OpenOptions};
use minds_document::{Change, ChangeSet, ContentHash, Expected, FileMode};
use minds_paths::{Location, WorkspacePath};

use crate::Root;
use crate::error::reason;
use crate::root::mode as mode_of;

/// Why a change set was not applied. The files are as they were before.
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
    /// The system refused.
    #[error("cannot change `{location}`: {}; nothing was changed", reason(.source))]
    Io {
        /// The place.
        location: Location,
        /// Why.
        source: io::Error,
    },
    /// The system refused, and refused to take back what was done before as well.
    #[error("cannot change `{location}`: {}; what was done before could not all be taken back", reason(.source))]
    HalfDone {
        /// The place.
        location: Location,
        /// Why.
        source: io::Error,
    },
}

/// How to take back one step.
enum Undo {
    RemoveFile(String),
    RemoveDirectory(String),
    Restore(String, Vec<u8>, FileMode),
    Relink(String, PathBuf),
    MoveBack { from: String, to: String },
}

impl Root {
    /// Applies all changes, or none.
    ///
    /// What every change expects is looked at first. Each file is replaced by a rename, so a reader never sees half a
    /// file, and each replacement is on disk before the next begins. If a step fails, the earlier ones are taken back.
    /// A set of one file survives a crash whole; of a larger one a crash can leave the first files.
    ///
    /// # Errors
    ///
    /// Returns the first change that cannot be made.
    pub fn apply(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        self.expect_all(changes)?;
        let mut undo = Vec::new();
        for (location, change) in changes.iter() {
            if let Err(source) = self.perform(&location.path, change, &mut undo) {
                let location = location.clone();
                return Err(if self.take_back(undo) {
                    ApplyError::Io { location, source }
                } else {
                    ApplyError::HalfDone { location, source }
                });
            }
        }
        Ok(())
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
        let unexpected = |found| Err(ApplyError::Unexpected { location: location.clone(), found });
        let path = location.path.as_str();
        let there = self.dir.symlink_metadata(path);
        match change {
            Change::Write { expected: Expected::Absent, .. } | Change::Link { .. } => match there {
                Ok(_) => unexpected("already exists"),
                Err(_) => Ok(()),
            },
            Change::Write { expected, .. } | Change::Remove { expected } => match (expected, there) {
                (_, Ok(metadata)) if metadata.is_dir() => unexpected("is a directory"),
                // Replacing what a link leads to is a change of another place.
                (_, Ok(metadata)) if metadata.is_symlink() && matches!(change, Change::Write { .. }) => {
                    unexpected("is a symbolic link")
                }
                (Expected::Absent, Ok(_)) => unexpected("already exists"),
                (_, Ok(metadata)) if metadata.permissions().readonly() => unexpected("is read-only"),
                (Expected::Content(_), Err(_)) => unexpected("does not exist"),
                (Expected::Content(hash), Ok(_)) => match self.content(path) {
                    Ok((bytes, _)) if ContentHash::of(&bytes) == *hash => Ok(()),
                    _ => unexpected("has changed"),
                },
                _ => Ok(()),
            },
            Change::MakeDirectory => match there {
                Ok(metadata) if !metadata.is_dir() => unexpected("is no directory"),
                _ => Ok(()),
            },
            Change::Move { to } => {
                if there.is_err() {
                    return unexpected("does not exist");
                }
                if self.dir.symlink_metadata(to.path.as_str()).is_ok() {
                    return Err(ApplyError::Unexpected { location: to.clone(), found: "already exists" });
                }
                Ok(())
            }
        }
    }

    fn perform(&self, path: &WorkspacePath, change: &Change, undo: &mut Vec<Undo>) -> io::Result<()> {
        let name = path.as_str();
        match change {
            Change::Write { bytes, mode, expected } => {
                self.make_parents(path, undo)?;
                if *expected == Expected::Absent {
                    self.create(path, bytes, *mode)?;
                    undo.push(Undo::RemoveFile(name.to_owned()));
                } else {
                    let step = match self.content(name) {
                        Ok((old, mode)) => Undo::Restore(name.to_owned(), old, mode),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {
                            Undo::RemoveFile(name.to_owned())
                        }
                        Err(error) => return Err(error),
                    };
                    self.replace(path, bytes, *mode)?;
                    undo.push(step);
                }
            }
            Change::MakeDirectory => {
                self.make_parents(path, undo)?;
                self.make_directory(name, undo)?;
            }
            Change::Move { to } => {
                self.make_parents(&to.path, undo)?;
                self.dir.rename(name, &self.dir, to.path.as_str())?;
                undo.push(Undo::MoveBack { from: to.path.as_str().to_owned(), to: name.to_owned() });
            }
            Change::Link { target } => {
                self.make_parents(path, undo)?;
                symlink(&self.dir, Path::new(target), name)?;
                undo.push(Undo::RemoveFile(name.to_owned()));
            }
            Change::Remove { .. } => {
                let step = match self.dir.symlink_metadata(name) {
                    Ok(metadata) if metadata.is_symlink() => {
                        Undo::Relink(name.to_owned(), self.dir.read_link_contents(name)?)
                    }
                    Ok(_) => {
                        let (old, mode) = self.content(name)?;
                        Undo::Restore(name.to_owned(), old, mode)
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                    Err(error) => return Err(error),
                };
                self.dir.remove_file(name)?;
                undo.push(step);
            }
        }
        self.sync_parent(path)
    }

    /// Writes a new file under its name in one step; fails if the name is taken by then.
    fn create(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> io::Result<()> {
        let staged = self.stage(path, bytes, mode)?;
        let linked = self.dir.hard_link(&staged, &self.dir, path.as_str());
        let removed = self.dir.remove_file(&staged);
        linked?;
        removed.inspect_err(|_| {
            // The step failed as a whole, so it leaves nothing under the name either.
            let _ = self.dir.remove_file(path.as_str());
        })
    }

    fn replace(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> io::Result<()> {
        let staged = self.stage(path, bytes, mode)?;
        self.keep_permissions(path, &staged, mode).inspect_err(|_| {
            let _ = self.dir.remove_file(&staged);
        })?;
        self.dir.rename(&staged, &self.dir, path.as_str()).inspect_err(|_| {
            // The error that is returned says more than one about the leftover would.
            let _ = self.dir.remove_file(&staged);
        })
    }

    /// Gives what is staged the exact permissions of the file that it replaces, unless they are to change.
    fn keep_permissions(&self, path: &WorkspacePath, staged: &str, mode: FileMode) -> io::Result<()> {
        match self.dir.metadata(path.as_str()) {
            Ok(old) if mode_of(&old) == mode => self.dir.set_permissions(staged, old.permissions()),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes the content beside its place, and waits until it is on disk.
    fn stage(&self, path: &WorkspacePath, bytes: &[u8], mode: FileMode) -> io::Result<String> {
        let name = path.file_name().unwrap_or_default();
        let parent = path.parent().map(|parent| parent.as_str().to_owned()).unwrap_or_default();
        let hidden = format!(".{name}.minds-new");
        let staged = if parent.is_empty() { hidden } else { format!("{parent}/{hidden}") };
        // One that a crash left behind is nobody's: whoever stages writes it whole.
        match self.dir.remove_file(&staged) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(match mode {
                FileMode::Regular => 0o666,
                FileMode::Executable => 0o777,
                FileMode::Private => 0o600,
            });
        }
        let mut file = self.dir.open_with(&staged, &options)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        written.inspect_err(|_| {
            let _ = self.dir.remove_file(&staged);
        })?;
        Ok(staged)
    }

    fn make_parents(&self, path: &WorkspacePath, undo: &mut Vec<Undo>) -> io::Result<()> {
        let Some(parent) = path.parent().filter(|parent| !parent.is_root()) else { return Ok(()) };
        self.make_parents(&parent, undo)?;
        self.make_directory(parent.as_str(), undo)
    }

    fn make_directory(&self, name: &str, undo: &mut Vec<Undo>) -> io::Result<()> {
        match self.dir.create_dir(name) {
            Ok(()) => undo.push(Undo::RemoveDirectory(name.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn sync_parent(&self, path: &WorkspacePath) -> io::Result<()> {
        let parent = path.parent().filter(|parent| !parent.is_root());
        let name = parent.as_ref().map_or(".", WorkspacePath::as_str);
        if cfg!(unix) { self.dir.open(name)?.sync_all() } else { Ok(()) }
    }

    /// Takes back steps, the last first; returns whether all of them could be.
    fn take_back(&self, undo: Vec<Undo>) -> bool {
        let mut all = true;
        for step in undo.into_iter().rev() {
            let done = match step {
                Undo::RemoveFile(name) => gone(self.dir.remove_file(name)),
                Undo::RemoveDirectory(name) => gone(self.dir.remove_dir(name)),
                Undo::Restore(name, bytes, mode) => match WorkspacePath::parse(&name) {
                    Ok(path) => self.replace(&path, &bytes, mode),
                    Err(_) => Err(io::ErrorKind::InvalidInput.into()),
                },
                Undo::Relink(name, target) => relink(&self.dir, &target, &name),
                Undo::MoveBack { from, to } => self.dir.rename(from, &self.dir, to),
            };
            all &= done.is_ok();
        }
        all
    }
}

/// What is to be removed and is not there any more is as it was before; what is to be put back is not.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

#[cfg(unix)]
fn symlink(dir: &Dir, target: &Path, name: &str) -> io::Result<()> {
    dir.symlink(target, name)
}

#[cfg(not(unix))]
fn symlink(dir: &Dir, target: &Path, name: &str) -> io::Result<()> {
    dir.symlink_file(target, name)
}

/// Makes a link again that was there before, wherever it leads.
#[cfg(unix)]
fn relink(dir: &Dir, target: &Path, name: &str) -> io::Result<()> {
    dir.symlink_contents(target, name)
}

#[cfg(not(unix))]
fn relink(dir: &Dir, target: &Path, name: &str) -> io::Result<()> {
    dir.symlink_file(target, name)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test reads what it needs")]
mod tests {
    use std::fs;

    use minds_paths::MountId;

    use super::*;

    /// Takes back the steps, then expects that `a` holds its old text again, whatever became of the others.
    #[track_caller]
    fn check(steps: Vec<Undo>, all: bool) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "new").unwrap();
        fs::create_dir_all(folder.path().join("full/of")).unwrap();
        let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
        let old = || Undo::Restore("a".to_owned(), b"old".to_vec(), FileMode::Regular);
        let undo = std::iter::once(old()).chain(steps).collect();
        assert_eq!(root.take_back(undo), all);
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "old");
    }

    #[test]
    fn a_step_that_cannot_be_taken_back_is_told_and_stops_no_other() {
        let name = str::to_owned;
        check(vec![], true);
        check(vec![Undo::RemoveFile(name("absent")), Undo::RemoveDirectory(name("absent"))], true);
        check(vec![Undo::RemoveDirectory(name("full"))], false);
        check(vec![Undo::MoveBack { from: name("absent"), to: name("b") }], false);
        check(vec![Undo::Restore(name("absent/b"), b"old".to_vec(), FileMode::Regular)], false);
        check(vec![Undo::Relink(name("absent/b"), PathBuf::from("a"))], false);
    }
}

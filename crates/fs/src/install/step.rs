//! One step of an installation: executing, detecting and undoing it.
//!
//! Whether a step was made is determined from the file system alone, so another process can complete or undo
//! the steps of this one. Entries are identified by their inode numbers, which do not change when they are
//! renamed.

use minds_vfs::WorkspacePath;

use super::entry_moves::{Number, clear_entry, move_new, number, replace};
use super::open_directories::{Base, OpenDirectories};
use super::place_state::{PlaceState, read_state};
use crate::files::{FileErrorKind, Refusal, bits_of, mode_of, read_all};
use crate::syscalls::{self, Access, Handle, Kind};

/// One step. The previous entry has inode number `old`, and is afterwards where the new entry was, or at
/// `aside`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Creates a directory.
    Directory { base: Base, path: WorkspacePath },
    /// Moves a staged entry from `from` to its place in the home.
    Put { from: WorkspacePath, to: WorkspacePath, aside: WorkspacePath, new: Number, old: Option<Number> },
    /// Copies the entry at `from` in the home; the copy is created at `new`.
    Copy {
        base: Base,
        path: WorkspacePath,
        new: WorkspacePath,
        aside: WorkspacePath,
        from: WorkspacePath,
        old: Option<Number>,
    },
    /// Creates a symbolic link, at `new` if its place is occupied.
    Link {
        base: Base,
        path: WorkspacePath,
        new: WorkspacePath,
        aside: WorkspacePath,
        target: String,
        old: Option<Number>,
    },
    /// Moves an entry aside; it is deleted when all steps are done.
    Remove { base: Base, path: WorkspacePath, aside: WorkspacePath, old: Number },
}

/// The replacement of an entry: the three names, and the inode number of the current entry.
struct Swap<'s> {
    base: Base,
    new: &'s WorkspacePath,
    path: &'s WorkspacePath,
    aside: &'s WorkspacePath,
    old: Option<Number>,
}

impl Step {
    /// Returns the place that the step changes.
    pub(super) fn place(&self) -> (Base, &WorkspacePath) {
        match self {
            Self::Put { to, .. } => (Base::Home, to),
            Self::Directory { base, path }
            | Self::Copy { base, path, .. }
            | Self::Link { base, path, .. }
            | Self::Remove { base, path, .. } => (*base, path),
        }
    }

    fn swap(&self) -> Option<Swap<'_>> {
        match self {
            Self::Put { from, to, aside, old, .. } => {
                Some(Swap { base: Base::Home, new: from, path: to, aside, old: *old })
            }
            Self::Copy { base, path, new, aside, old, .. }
            | Self::Link { base, path, new, aside, old, .. } => {
                Some(Swap { base: *base, new, path, aside, old: *old })
            }
            Self::Directory { .. } | Self::Remove { .. } => None,
        }
    }

    /// Creates the copy of a copy step that has not been made yet.
    pub(super) fn prepare(&self, directories: &OpenDirectories<'_>) -> Result<(), Refusal> {
        let Self::Copy { base, path, new, aside, from, old } = self else { return Ok(()) };
        if self.is_done(directories)? {
            return Ok(());
        }
        let is_half_done = old.is_some() && number(directories, *base, path)?.is_none();
        if is_half_done && number(directories, *base, aside)? == *old {
            // The copy was complete before the replacement started.
            return Ok(());
        }
        let (source, copy) = (directories.place(Base::Home, from)?, directories.place(*base, new)?);
        clear_entry(&copy)?;
        let kind = source.stat()?.ok_or(FileErrorKind::NotFound)?.kind;
        copy_tree(source.entry(), copy.entry(), kind)
    }

    /// Makes the step, or the rest of it.
    pub(super) fn perform(&self, directories: &OpenDirectories<'_>) -> Result<(), Refusal> {
        if self.is_done(directories)? {
            return Ok(());
        }
        match self {
            Self::Directory { base, path } => {
                let place = directories.place(*base, path)?;
                return Ok(syscalls::make_directory(&place.directory, &place.name)?);
            }
            Self::Remove { base, path, aside, old } => {
                let (place, aside) = (directories.place(*base, path)?, directories.place(*base, aside)?);
                move_new(&place, &aside)?;
                if aside.stat()?.is_some_and(|stat| stat.id.1 == *old) {
                    return Ok(());
                }
                move_new(&aside, &place)?;
                return Err(FileErrorKind::Changed.into());
            }
            Self::Link { base, path, target, old: None, .. } => {
                let place = directories.place(*base, path)?;
                return match syscalls::symlink(target, &place.directory, &place.name) {
                    Err(error) if syscalls::is_existing_name(&error) => Err(FileErrorKind::Changed.into()),
                    made => Ok(made?),
                };
            }
            Self::Link { base, new, target, .. } => {
                let new = directories.place(*base, new)?;
                clear_entry(&new)?;
                syscalls::symlink(target, &new.directory, &new.name)?;
            }
            Self::Put { .. } | Self::Copy { .. } => {}
        }
        self.swap().map_or(Ok(()), |swap| swap.make(directories))
    }

    /// Returns whether the step was made.
    pub(super) fn is_done(&self, directories: &OpenDirectories<'_>) -> Result<bool, Refusal> {
        let (base, path) = self.place();
        let now = number(directories, base, path)?;
        match self {
            Self::Directory { .. } => Ok(now.is_some()),
            Self::Put { new, .. } => Ok(now == Some(*new)),
            Self::Remove { old, .. } => Ok(now != Some(*old)),
            Self::Link { target, old, .. } => Ok(now.is_some()
                && now != *old
                && read_state(&directories.place(base, path)?)? == PlaceState::Link(target.clone())),
            Self::Copy { from, old, .. } => {
                if now.is_none() || now == *old {
                    return Ok(false);
                }
                let now = read_state(&directories.place(base, path)?)?;
                // For entries that cannot be compared, it is unknown whether they are the copy.
                Ok(now != PlaceState::Other && now == read_state(&directories.place(Base::Home, from)?)?)
            }
        }
    }

    /// Undoes the step, if it was made completely or in part.
    pub(super) fn undo(&self, directories: &OpenDirectories<'_>) -> Result<(), Refusal> {
        let (base, path) = self.place();
        match self {
            Self::Directory { .. } => {
                let Some(place) = optional_entry(directories.place(base, path))? else { return Ok(()) };
                match syscalls::remove_directory(&place.directory, &place.name).map_err(Refusal::from) {
                    // Entries created externally in the directory are kept.
                    Err(Refusal {
                        kind: FileErrorKind::NotEmpty | FileErrorKind::NotFound | FileErrorKind::NotDirectory,
                        ..
                    }) => Ok(()),
                    removed => removed,
                }
            }
            Self::Remove { aside, old, .. } => {
                if number(directories, base, aside)? != Some(*old)
                    || number(directories, base, path)?.is_some()
                {
                    return Ok(());
                }
                move_new(&directories.place(base, aside)?, &directories.place(base, path)?)
            }
            Self::Link { old: None, .. } if self.is_done(directories)? => {
                let place = directories.place(base, path)?;
                Ok(syscalls::unlink(&place.directory, &place.name)?)
            }
            Self::Link { old: None, .. } => Ok(()),
            Self::Put { .. } | Self::Copy { .. } | Self::Link { .. } => {
                let is_done = self.is_done(directories)?;
                self.swap().map_or(Ok(()), |swap| swap.undo(directories, is_done))
            }
        }
    }

    /// Deletes what the step moved aside in an agent home. In the home, the whole staging folder is deleted
    /// instead.
    pub(super) fn clear(&self, directories: &OpenDirectories<'_>) -> Result<(), Refusal> {
        let (base, names) = match self {
            Self::Copy { base, new, aside, .. } | Self::Link { base, new, aside, old: Some(_), .. } => {
                (*base, [Some(new), Some(aside)])
            }
            Self::Remove { base: base @ Base::Lobe(_), aside, .. } => (*base, [Some(aside), None]),
            Self::Put { .. } | Self::Directory { .. } | Self::Remove { .. } | Self::Link { .. } => {
                return Ok(());
            }
        };
        let mut first = Ok(());
        for name in names.into_iter().flatten() {
            let cleared = match optional_entry(directories.place(base, name)) {
                Ok(Some(place)) => clear_entry(&place),
                Ok(None) => Ok(()),
                Err(refusal) => Err(refusal),
            };
            first = first.and(cleared);
        }
        first
    }
}

impl Swap<'_> {
    fn make(&self, directories: &OpenDirectories<'_>) -> Result<(), Refusal> {
        let now = number(directories, self.base, self.path)?;
        let (new, place) =
            (directories.place(self.base, self.new)?, directories.place(self.base, self.path)?);
        match self.old {
            None if now.is_none() => move_new(&new, &place),
            Some(old) if now == Some(old) => {
                replace(&new, &place, &directories.place(self.base, self.aside)?, old)
            }
            Some(old) if now.is_none() && number(directories, self.base, self.aside)? == Some(old) => {
                move_new(&new, &place)
            }
            _ => Err(FileErrorKind::Changed.into()),
        }
    }

    /// Restores the old entry. `is_done` means that the new entry is in place.
    fn undo(&self, directories: &OpenDirectories<'_>, is_done: bool) -> Result<(), Refusal> {
        let is_free = number(directories, self.base, self.path)?.is_none();
        if !is_done && !is_free {
            return Ok(());
        }
        let place = directories.place(self.base, self.path);
        let Some(old) = self.old else {
            if is_free {
                return Ok(());
            }
            return move_new(&place?, &directories.place(self.base, self.new)?);
        };
        let (new, aside) =
            (number(directories, self.base, self.new)?, number(directories, self.base, self.aside)?);
        if new == Some(old) {
            let (place, new) = (place?, directories.place(self.base, self.new)?);
            let exchanged = is_done && syscalls::try_exchange(new.entry(), place.entry())?;
            if exchanged {
                return Ok(());
            }
            if is_done {
                move_new(&place, &directories.place(self.base, self.aside)?)?;
            }
            return move_new(&new, &place);
        }
        if aside == Some(old) {
            let place = place?;
            if is_done {
                move_new(&place, &directories.place(self.base, self.new)?)?;
            }
            return move_new(&directories.place(self.base, self.aside)?, &place);
        }
        Ok(())
    }
}

/// Returns the entry; none if its parent directory does not exist.
fn optional_entry<T>(entry: Result<T, Refusal>) -> Result<Option<T>, Refusal> {
    match entry {
        Ok(entry) => Ok(Some(entry)),
        Err(Refusal {
            kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
            ..
        }) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Copies a file or a directory tree.
fn copy_tree(from: (&Handle, &str), to: (&Handle, &str), kind: Kind) -> Result<(), Refusal> {
    const MAX_ENTRIES: usize = 20_000;
    match kind {
        Kind::File => {
            let handle = syscalls::open_entry(from.0, from.1, Access::Read)?;
            let stat = syscalls::stat(&handle)?;
            let bytes = read_all(&handle, &stat, u64::MAX)?;
            let copy = syscalls::create_new(to.0, to.1, bits_of(mode_of(&stat)))?;
            Ok(syscalls::write_all(&copy, &bytes)?)
        }
        Kind::Directory => {
            let source = syscalls::open_entry(from.0, from.1, Access::Directory)?;
            syscalls::make_directory(to.0, to.1)?;
            let copy = syscalls::open_entry(to.0, to.1, Access::Directory)?;
            let entries = syscalls::entries(&source, MAX_ENTRIES)?.ok_or(FileErrorKind::TooLarge)?;
            for (name, kind) in entries {
                let name = String::from_utf8(name).map_err(|_| FileErrorKind::Unnamed)?;
                copy_tree((&source, &name), (&copy, &name), kind)?;
            }
            Ok(())
        }
        Kind::Link | Kind::Special => Err(FileErrorKind::NotFile(kind).into()),
    }
}

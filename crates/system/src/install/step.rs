//! One step of an installation: made, found made, and taken back.
//!
//! Whether a step was made is told from the disk alone, so that another process can finish or take back what this one began.
//! Things are known by their numbers on the file system, which they keep when they get another name.

use minds_paths::WorkspacePath;

use super::found::{Found, found};
use super::moves::{Number, clear_entry, move_new, number, replace};
use super::sites::{Base, Sites};
use crate::files::{FileErrorKind, Refusal, bits_of, content, mode_of};
use crate::syscalls::{self, Handle, Kind, Wanted};

/// One step. What had the name before has the number `old`, and is afterwards where the new thing was, or `aside`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A directory is made.
    Directory { base: Base, path: WorkspacePath },
    /// What was staged at `from` gets its place in the home.
    Put { from: WorkspacePath, to: WorkspacePath, aside: WorkspacePath, new: Number, old: Option<Number> },
    /// What stands at `from` in the home is copied; `new` is where the copy is made.
    Copy {
        base: Base,
        path: WorkspacePath,
        new: WorkspacePath,
        aside: WorkspacePath,
        from: WorkspacePath,
        old: Option<Number>,
    },
    /// A link is made, at `new` if something else has its place.
    Link {
        base: Base,
        path: WorkspacePath,
        new: WorkspacePath,
        aside: WorkspacePath,
        target: String,
        old: Option<Number>,
    },
    /// Something is put aside, to be removed when all is done.
    Remove { base: Base, path: WorkspacePath, aside: WorkspacePath, old: Number },
}

/// What a name stands for is changed: the three names, and the number of what has the place now.
struct Swap<'s> {
    base: Base,
    new: &'s WorkspacePath,
    path: &'s WorkspacePath,
    aside: &'s WorkspacePath,
    old: Option<Number>,
}

impl Step {
    /// Returns where something changes.
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

    /// Makes the copy that will get its place, if the step is about one that has not got it.
    pub(super) fn prepare(&self, sites: &Sites<'_>) -> Result<(), Refusal> {
        let Self::Copy { base, path, new, aside, from, old } = self else { return Ok(()) };
        if self.is_done(sites)? {
            return Ok(());
        }
        let is_half_done = old.is_some() && number(sites, *base, path)?.is_none();
        if is_half_done && number(sites, *base, aside)? == *old {
            // It was whole before that began.
            return Ok(());
        }
        let (source, copy) = (sites.place(Base::Home, from)?, sites.place(*base, new)?);
        clear_entry(&copy)?;
        let kind = source.stat()?.ok_or(FileErrorKind::NotFound)?.kind;
        duplicate(source.entry(), copy.entry(), kind)
    }

    /// Makes the step, or the rest of it.
    pub(super) fn perform(&self, sites: &Sites<'_>) -> Result<(), Refusal> {
        if self.is_done(sites)? {
            return Ok(());
        }
        match self {
            Self::Directory { base, path } => {
                let place = sites.place(*base, path)?;
                return Ok(syscalls::make_directory(&place.directory, &place.name)?);
            }
            Self::Remove { base, path, aside, old } => {
                let (place, aside) = (sites.place(*base, path)?, sites.place(*base, aside)?);
                move_new(&place, &aside)?;
                if aside.stat()?.is_some_and(|stat| stat.id.1 == *old) {
                    return Ok(());
                }
                move_new(&aside, &place)?;
                return Err(FileErrorKind::Changed.into());
            }
            Self::Link { base, path, target, old: None, .. } => {
                let place = sites.place(*base, path)?;
                return match syscalls::symlink(target, &place.directory, &place.name) {
                    Err(error) if syscalls::is_taken(&error) => Err(FileErrorKind::Changed.into()),
                    made => Ok(made?),
                };
            }
            Self::Link { base, new, target, .. } => {
                let new = sites.place(*base, new)?;
                clear_entry(&new)?;
                syscalls::symlink(target, &new.directory, &new.name)?;
            }
            Self::Put { .. } | Self::Copy { .. } => {}
        }
        self.swap().map_or(Ok(()), |swap| swap.make(sites))
    }

    /// Returns whether the step was made.
    pub(super) fn is_done(&self, sites: &Sites<'_>) -> Result<bool, Refusal> {
        let (base, path) = self.place();
        let now = number(sites, base, path)?;
        match self {
            Self::Directory { .. } => Ok(now.is_some()),
            Self::Put { new, .. } => Ok(now == Some(*new)),
            Self::Remove { old, .. } => Ok(now != Some(*old)),
            Self::Link { target, old, .. } => Ok(now.is_some()
                && now != *old
                && found(&sites.place(base, path)?)? == Found::Link(target.clone())),
            Self::Copy { from, old, .. } => {
                if now.is_none() || now == *old {
                    return Ok(false);
                }
                let now = found(&sites.place(base, path)?)?;
                // Of what cannot be compared it is not known whether it is ours.
                Ok(now != Found::Other && now == found(&sites.place(Base::Home, from)?)?)
            }
        }
    }

    /// Takes the step back, if it was made, or a part of it.
    pub(super) fn take_back(&self, sites: &Sites<'_>) -> Result<(), Refusal> {
        let (base, path) = self.place();
        match self {
            Self::Directory { .. } => {
                let Some(place) = there(sites.place(base, path))? else { return Ok(()) };
                match syscalls::remove_directory(&place.directory, &place.name).map_err(Refusal::from) {
                    // What somebody else put there keeps it.
                    Err(Refusal {
                        kind: FileErrorKind::NotEmpty | FileErrorKind::NotFound | FileErrorKind::NotDirectory,
                        ..
                    }) => Ok(()),
                    removed => removed,
                }
            }
            Self::Remove { aside, old, .. } => {
                if number(sites, base, aside)? != Some(*old) || number(sites, base, path)?.is_some() {
                    return Ok(());
                }
                move_new(&sites.place(base, aside)?, &sites.place(base, path)?)
            }
            Self::Link { old: None, .. } if self.is_done(sites)? => {
                let place = sites.place(base, path)?;
                Ok(syscalls::unlink(&place.directory, &place.name)?)
            }
            Self::Link { old: None, .. } => Ok(()),
            Self::Put { .. } | Self::Copy { .. } | Self::Link { .. } => {
                let is_done = self.is_done(sites)?;
                self.swap().map_or(Ok(()), |swap| swap.take_back(sites, is_done))
            }
        }
    }

    /// Removes what the step put aside in an agent home. In the home the whole folder of the installation goes.
    pub(super) fn clear(&self, sites: &Sites<'_>) -> Result<(), Refusal> {
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
            let cleared = match there(sites.place(base, name)) {
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
    fn make(&self, sites: &Sites<'_>) -> Result<(), Refusal> {
        let now = number(sites, self.base, self.path)?;
        let (new, place) = (sites.place(self.base, self.new)?, sites.place(self.base, self.path)?);
        match self.old {
            None if now.is_none() => move_new(&new, &place),
            Some(old) if now == Some(old) => replace(&new, &place, &sites.place(self.base, self.aside)?, old),
            Some(old) if now.is_none() && number(sites, self.base, self.aside)? == Some(old) => {
                move_new(&new, &place)
            }
            _ => Err(FileErrorKind::Changed.into()),
        }
    }

    /// Gives the old thing its place again. With `is_done` the new one has it.
    fn take_back(&self, sites: &Sites<'_>, is_done: bool) -> Result<(), Refusal> {
        let is_free = number(sites, self.base, self.path)?.is_none();
        if !is_done && !is_free {
            return Ok(());
        }
        let place = sites.place(self.base, self.path);
        let Some(old) = self.old else {
            if is_free {
                return Ok(());
            }
            return move_new(&place?, &sites.place(self.base, self.new)?);
        };
        let (new, aside) = (number(sites, self.base, self.new)?, number(sites, self.base, self.aside)?);
        if new == Some(old) {
            let (place, new) = (place?, sites.place(self.base, self.new)?);
            let exchanged = is_done && syscalls::try_exchange(new.entry(), place.entry())?;
            if exchanged {
                return Ok(());
            }
            if is_done {
                move_new(&place, &sites.place(self.base, self.aside)?)?;
            }
            return move_new(&new, &place);
        }
        if aside == Some(old) {
            let place = place?;
            if is_done {
                move_new(&place, &sites.place(self.base, self.new)?)?;
            }
            return move_new(&sites.place(self.base, self.aside)?, &place);
        }
        Ok(())
    }
}

/// Returns what was reached; none if no directory is there that could hold it.
fn there<T>(reached: Result<T, Refusal>) -> Result<Option<T>, Refusal> {
    match reached {
        Ok(place) => Ok(Some(place)),
        Err(Refusal {
            kind: FileErrorKind::NotFound | FileErrorKind::NotDirectory | FileErrorKind::Link,
            ..
        }) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Copies a file, or a directory with all below it.
fn duplicate(from: (&Handle, &str), to: (&Handle, &str), kind: Kind) -> Result<(), Refusal> {
    const MAX_ENTRIES: usize = 20_000;
    match kind {
        Kind::File => {
            let handle = syscalls::open_entry(from.0, from.1, Wanted::Read)?;
            let stat = syscalls::stat(&handle)?;
            let bytes = content(&handle, &stat, u64::MAX)?;
            let copy = syscalls::create_new(to.0, to.1, bits_of(mode_of(&stat)))?;
            Ok(syscalls::write_all(&copy, &bytes)?)
        }
        Kind::Directory => {
            let source = syscalls::open_entry(from.0, from.1, Wanted::Directory)?;
            syscalls::make_directory(to.0, to.1)?;
            let copy = syscalls::open_entry(to.0, to.1, Wanted::Directory)?;
            let entries = syscalls::entries(&source, MAX_ENTRIES)?.ok_or(FileErrorKind::TooLarge)?;
            for (name, kind) in entries {
                let name = String::from_utf8(name).map_err(|_| FileErrorKind::Unnamed)?;
                duplicate((&source, &name), (&copy, &name), kind)?;
            }
            Ok(())
        }
        Kind::Link | Kind::Special => Err(FileErrorKind::NotFile(kind).into()),
    }
}

//! From a change set to the single steps that it takes.

use std::collections::BTreeSet;

use minds_document::{Change, ChangeSet, ContentHash, Expected, FileMode};
use minds_paths::{Location, WorkspacePath};

use super::effect::Effect;
use super::hash_of;
use crate::Root;
use crate::files::{FileErrorKind, Mode, Place, Refusal, bits_of, expect_portable, mode_of, temporary};
use crate::syscalls::{self, Kind, Wanted};

/// A new content that is to be written down before anything is changed.
pub(super) struct Staged<'c> {
    pub(super) at: WorkspacePath,
    pub(super) bytes: &'c [u8],
    pub(super) mode: FileMode,
    /// The exact permissions, where those of the old file are kept.
    pub(super) bits: Option<u32>,
}

/// What a change set comes to: real paths on which there is no link.
#[derive(Default)]
pub(super) struct Plan<'c> {
    pub(super) staged: Vec<Staged<'c>>,
    /// Directories that are missing come first, each behind the one that holds it. Each step has the place of its change.
    pub(super) effects: Vec<(Location, Effect)>,
}

/// A place that may lie in directories that are still to be made.
struct Target<'r> {
    /// The place itself, if the directory that holds it is there.
    place: Option<Place<'r>>,
    real: WorkspacePath,
    /// The nearest directory above it that is there.
    base: WorkspacePath,
}

struct Planner<'c, 'r> {
    root: &'r Root,
    /// By which the temporary files of this set are known.
    id: String,
    missing: BTreeSet<WorkspacePath>,
    plan: Plan<'c>,
}

impl Root {
    /// Works out the steps. Nothing is changed.
    pub(super) fn plan<'c>(&self, changes: &'c ChangeSet) -> Result<Plan<'c>, (Location, Refusal)> {
        let (missing, plan) = (BTreeSet::new(), Plan::default());
        let mut planner = Planner { root: self, id: changes.id().to_string(), missing, plan };
        for (location, change) in changes.iter() {
            planner.add(location, change).map_err(|refusal| (location.clone(), refusal))?;
        }
        let Planner { missing, mut plan, .. } = planner;
        let made = missing.into_iter().map(|path| {
            let location = Location::new(self.mount.clone(), path.clone());
            (location, Effect::Directory { path })
        });
        plan.effects.splice(0..0, made);
        Ok(plan)
    }
}

impl Root {
    /// Makes sure that something new at a path, and the directories above it that are missing, may have their names.
    pub(super) fn expect_new_names(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        let (missing, plan) = (BTreeSet::new(), Plan::default());
        let target = Planner { root: self, id: String::new(), missing, plan }.target(path)?;
        Ok(expect_portable(&target.real)?)
    }
}

impl<'c, 'r> Planner<'c, 'r> {
    fn add(&mut self, location: &Location, change: &'c Change) -> Result<(), Refusal> {
        let target = self.target(&location.path)?;
        let path = target.real.clone();
        let effect = match change {
            Change::Write { bytes, mode, expected } => {
                let old = match &target.place {
                    Some(place) => place.open_file()?.map(|(_, stat)| stat),
                    None => None,
                };
                let hash = match &target.place {
                    Some(place) if old.is_some() => Some(hash_of(place)?),
                    _ => None,
                };
                meets(*expected, hash)?;
                if old.is_none() {
                    expect_portable(&path)?;
                }
                let new = ContentHash::of(bytes);
                let same_mode = old.as_ref().is_some_and(|old| mode_of(old) == *mode);
                if hash == Some(new) && same_mode {
                    return Ok(());
                }
                let bits = match old {
                    Some(old) if same_mode => Some(old.bits),
                    // Where only the permissions change they have to tell which file is the new one, whatever the mask.
                    Some(_) if hash == Some(new) => Some(match mode {
                        FileMode::Regular => 0o644,
                        FileMode::Executable => 0o755,
                        FileMode::Private => 0o600,
                    }),
                    _ => None,
                };
                let stage = self.temporary(&target.base)?;
                self.plan.staged.push(Staged { at: stage.clone(), bytes, mode: *mode, bits });
                Effect::Write { path, stage, new, mode: *mode, old: hash }
            }
            Change::MakeDirectory => {
                if target.place.as_ref().map(Place::stat).transpose()?.flatten().is_none() {
                    expect_portable(&path)?;
                    self.missing.insert(path);
                }
                return Ok(());
            }
            Change::Move { to } => {
                let to = self.target(&to.path)?.real;
                expect_portable(&to)?;
                Effect::Move { from: path, to }
            }
            Change::Link { target } => {
                expect_portable(&path)?;
                Effect::Link { path, target: target.clone() }
            }
            Change::Remove { expected } => {
                let Some(place) = target.place else { return Ok(()) };
                let old = match place.stat()? {
                    None => return Ok(()),
                    Some(stat) if stat.kind == Kind::File && stat.links == 1 => Some(hash_of(&place)?),
                    Some(_) => None,
                };
                if matches!(expected, Expected::Content(_)) {
                    meets(*expected, old)?;
                }
                Effect::Remove { path, aside: self.temporary(&target.base)?, old }
            }
        };
        self.plan.effects.push((location.clone(), effect));
        Ok(())
    }

    /// Works out the real path of a place, and notes which directories above it are missing.
    fn target(&mut self, path: &WorkspacePath) -> Result<Target<'r>, Refusal> {
        if path.segments().any(temporary::is_temporary) {
            return Err(FileErrorKind::Reserved.into());
        }
        let view = self.root.resolving();
        match view.entry_at(path) {
            Ok(place) => {
                let real = place.real().clone();
                let base = real.parent().unwrap_or_default();
                return Ok(Target { place: Some(place), real, base });
            }
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => {}
            Err(refusal) => return Err(refusal),
        }
        let mut above = path.parent().unwrap_or_default();
        let base = loop {
            match self.root.open_at(&above, Mode::Resolving, Wanted::Directory) {
                Ok((_, real)) => break real,
                // No directory can be made where a link to nothing stands.
                Err(Refusal { kind: FileErrorKind::NotFound, .. })
                    if !above.is_root() && !self.root.is_link(&above) =>
                {
                    above = above.parent().unwrap_or_default();
                }
                Err(refusal) => return Err(refusal),
            }
        };
        let skipped = above.segments().count();
        let rest: Vec<&str> = path.segments().skip(skipped).collect();
        let mut real = base.clone();
        for (at, segment) in rest.iter().enumerate() {
            real = real.join(segment).map_err(|_| FileErrorKind::Unnamed)?;
            if at + 1 < rest.len() {
                expect_portable(&real)?;
                self.missing.insert(real.clone());
            }
        }
        Ok(Target { place: None, real, base })
    }

    /// Returns the path of a temporary file of this set in a directory.
    fn temporary(&self, directory: &WorkspacePath) -> Result<WorkspacePath, Refusal> {
        let name = temporary::of_set(self.plan.effects.len(), &self.id);
        directory.join(&name).map_err(|_| FileErrorKind::NameTooLong.into())
    }
}

/// Makes sure that a place holds what is expected.
fn meets(expected: Expected, found: Option<ContentHash>) -> Result<(), Refusal> {
    match (expected, found) {
        (Expected::Absent, Some(_)) => Err(FileErrorKind::AlreadyExists.into()),
        (Expected::Content(hash), found) if found != Some(hash) => Err(FileErrorKind::Changed.into()),
        _ => Ok(()),
    }
}

impl Staged<'_> {
    /// Writes the content down, and waits until it is on disk.
    pub(super) fn write(&self, root: &Root) -> Result<(), Refusal> {
        let place = root.scoped().entry_at(&self.at)?;
        let bits = if self.bits.is_some() { 0o600 } else { bits_of(self.mode) };
        let handle = syscalls::create_new(&place.directory, &place.name, bits)?;
        if let Some(bits) = self.bits {
            syscalls::set_bits(&handle, bits)?;
        }
        syscalls::write_all(&handle, self.bytes)?;
        Ok(syscalls::sync_data(&handle)?)
    }
}

//! Planning the steps of a change set.

use std::collections::BTreeSet;

use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, WorkspacePath};

use super::effect::Effect;
use super::hash_of;
use crate::Root;
use crate::files::{FileErrorKind, Mode, Place, Refusal, bits_of, expect_portable, mode_of, temporary};
use crate::syscalls::{self, Access, Kind};

/// New content that is staged before any file is changed.
pub(super) struct StagedContent<'c> {
    pub(super) at: WorkspacePath,
    pub(super) bytes: &'c [u8],
    pub(super) mode: FileMode,
    /// The exact permissions, if those of the old file are kept.
    pub(super) bits: Option<u32>,
}

/// The steps of a change set, with real paths.
#[derive(Default)]
pub(super) struct Plan<'c> {
    pub(super) staged: Vec<StagedContent<'c>>,
    /// Directories to be created come first, each after its parent. Each step has the location of its change.
    pub(super) effects: Vec<(Location, Effect)>,
}

/// A place whose parent directories may still have to be created.
struct Target<'r> {
    /// The place, if its parent directory exists.
    place: Option<Place<'r>>,
    real: WorkspacePath,
    /// The nearest existing directory above it.
    base: WorkspacePath,
}

struct Planner<'c, 'r> {
    root: &'r Root,
    /// The id used in the names of the temporary files of this change set.
    id: String,
    missing: BTreeSet<WorkspacePath>,
    plan: Plan<'c>,
}

impl Root {
    /// Determines the steps. Nothing is changed.
    pub(super) fn plan<'c>(&self, changes: &'c ChangeSet) -> Result<Plan<'c>, (Location, Refusal)> {
        let (missing, plan) = (BTreeSet::new(), Plan::default());
        let mut planner = Planner { root: self, id: changes.id().to_string(), missing, plan };
        for (location, change) in changes.iter() {
            planner.add(location, change).map_err(|refusal| (location.clone(), refusal))?;
        }
        let Planner { missing, mut plan, .. } = planner;
        let created = missing.into_iter().map(|path| {
            let location = Location::new(self.mount.clone(), path.clone());
            (location, Effect::Directory { path })
        });
        plan.effects.splice(0..0, created);
        Ok(plan)
    }
}

impl Root {
    /// Checks that a new path, and the missing directories above it, have valid names.
    pub(super) fn expect_new_names(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        let (missing, plan) = (BTreeSet::new(), Plan::default());
        let target = Planner { root: self, id: String::new(), missing, plan }.resolve_target(path)?;
        Ok(expect_portable(&target.real)?)
    }
}

impl<'c, 'r> Planner<'c, 'r> {
    fn add(&mut self, location: &Location, change: &'c Change) -> Result<(), Refusal> {
        let target = self.resolve_target(&location.path)?;
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
                expect_hash(*expected, hash)?;
                if old.is_none() {
                    expect_portable(&path)?;
                }
                let new = ContentHash::of(bytes);
                let is_same_mode = old.as_ref().is_some_and(|old| mode_of(old) == *mode);
                if hash == Some(new) && is_same_mode {
                    return Ok(());
                }
                let bits = match old {
                    Some(old) if is_same_mode => Some(old.bits),
                    // If only the permissions change, they must distinguish the new file from the old one
                    // regardless of the umask.
                    Some(_) if hash == Some(new) => Some(match mode {
                        FileMode::Regular => 0o644,
                        FileMode::Executable => 0o755,
                        FileMode::Private => 0o600,
                    }),
                    _ => None,
                };
                let stage = self.temporary_path(&target.base)?;
                self.plan.staged.push(StagedContent { at: stage.clone(), bytes, mode: *mode, bits });
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
                let to = self.resolve_target(&to.path)?.real;
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
                    expect_hash(*expected, old)?;
                }
                Effect::Remove { path, aside: self.temporary_path(&target.base)?, old }
            }
        };
        self.plan.effects.push((location.clone(), effect));
        Ok(())
    }

    /// Determines the real path of a place, and records the missing directories above it.
    fn resolve_target(&mut self, path: &WorkspacePath) -> Result<Target<'r>, Refusal> {
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
            match self.root.open_at(&above, Mode::Resolving, Access::Directory) {
                Ok((_, real)) => break real,
                // A directory cannot be created at the name of a dangling link.
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

    /// Returns the path of a temporary file of this change set in a directory.
    fn temporary_path(&self, directory: &WorkspacePath) -> Result<WorkspacePath, Refusal> {
        let name = temporary::change_set_name(self.plan.effects.len(), &self.id);
        directory.join(&name).map_err(|_| FileErrorKind::NameTooLong.into())
    }
}

/// Checks that the content of a file is as expected.
fn expect_hash(expected: Expected, found: Option<ContentHash>) -> Result<(), Refusal> {
    match (expected, found) {
        (Expected::Absent, Some(_)) => Err(FileErrorKind::AlreadyExists.into()),
        (Expected::Content(hash), found) if found != Some(hash) => Err(FileErrorKind::Changed.into()),
        _ => Ok(()),
    }
}

impl StagedContent<'_> {
    /// Writes the staged content, and waits until it is on disk.
    pub(super) fn write(&self, root: &Root) -> Result<(), Refusal> {
        let place = root.no_follow().entry_at(&self.at)?;
        let bits = if self.bits.is_some() { 0o600 } else { bits_of(self.mode) };
        let handle = syscalls::create_new(&place.directory, &place.name, bits)?;
        if let Some(bits) = self.bits {
            syscalls::set_bits(&handle, bits)?;
        }
        syscalls::write_all(&handle, self.bytes)?;
        Ok(syscalls::sync_data(&handle)?)
    }
}

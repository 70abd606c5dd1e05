//! Planning the steps of an installation.

use std::collections::BTreeSet;
use std::path::PathBuf;

use minds_vfs::WorkspacePath;

use super::entry_moves::number;
use super::error::{InstallError, InstallErrorKind};
use super::open_directories::{Base, OpenDirectories};
use super::place_state::{PlaceState, read_state};
use super::staging::{PlannedChange, Transaction};
use super::step::Step;
use crate::files::{FileErrorKind, Refusal, temporary};
use crate::syscalls::Kind;

/// Determines the required steps, and checks that each place is in the expected state.
pub(super) struct Planner<'p> {
    transaction: &'p Transaction<'p>,
    directories: &'p OpenDirectories<'p>,
    pub(super) steps: Vec<Step>,
    missing: BTreeSet<(usize, WorkspacePath)>,
    /// The directories that are known to exist.
    existing: BTreeSet<(usize, WorkspacePath)>,
    taken: BTreeSet<(usize, WorkspacePath)>,
}

impl<'p> Planner<'p> {
    pub(super) fn new(transaction: &'p Transaction<'p>, directories: &'p OpenDirectories<'p>) -> Self {
        Self {
            transaction,
            directories,
            steps: Vec::new(),
            missing: BTreeSet::new(),
            existing: BTreeSet::new(),
            taken: BTreeSet::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        planned: &PlannedChange,
        number_of: &dyn Fn(&PathBuf) -> Base,
    ) -> Result<(), InstallError> {
        let (base, path) = match planned {
            PlannedChange::Put { to, .. } => (Base::Home, to),
            PlannedChange::Remove { path } => (Base::Home, path),
            PlannedChange::Link { lobe, path, .. }
            | PlannedChange::Copy { lobe, path, .. }
            | PlannedChange::Unlink { lobe, path, .. } => (number_of(lobe), path),
        };
        let display_path = self.directories.display_path(base, path);
        if path.check_portable().is_err()
            || path.segments().any(temporary::is_temporary)
            || !self.taken.insert((key(base), path.clone()))
        {
            return Err(InstallError::new(&display_path, InstallErrorKind::Place));
        }
        self.plan(planned, base, path).map_err(|refusal| InstallError::of(display_path, refusal))
    }

    fn plan(&mut self, planned: &PlannedChange, base: Base, path: &WorkspacePath) -> Result<(), Refusal> {
        let old = number(self.directories, base, path)?;
        match planned {
            PlannedChange::Put { from, .. } => {
                // Recovery accepts only sources below this folder.
                if !from.is_at_or_below(&self.transaction.own) {
                    return Err(FileErrorKind::Outside.into());
                }
                self.plan_parents(base, path)?;
                let new = number(self.directories, Base::Home, from)?.ok_or(FileErrorKind::NotFound)?;
                let (from, to, aside) = (from.clone(), path.clone(), self.temporary_path(base, path, 'o')?);
                self.steps.push(Step::Put { from, to, aside, new, old });
            }
            PlannedChange::Remove { .. } => {
                let Some(old) = old else { return Ok(()) };
                let aside = self.temporary_path(base, path, 'o')?;
                self.steps.push(Step::Remove { base, path: path.clone(), aside, old });
            }
            PlannedChange::Link { target, found, .. } => {
                let now = self.expect_state(base, path, found)?;
                if now == PlaceState::Link(target.clone()) {
                    return Ok(());
                }
                self.plan_parents(base, path)?;
                let (new, aside) =
                    (self.temporary_path(base, path, 'n')?, self.temporary_path(base, path, 'o')?);
                let (path, target) = (path.clone(), target.clone());
                self.steps.push(Step::Link { base, path, new, aside, target, old });
            }
            PlannedChange::Copy { from, found, .. } => {
                self.expect_state(base, path, found)?;
                self.plan_parents(base, path)?;
                let (new, aside) =
                    (self.temporary_path(base, path, 'n')?, self.temporary_path(base, path, 'o')?);
                self.steps.push(Step::Copy { base, path: path.clone(), new, aside, from: from.clone(), old });
            }
            PlannedChange::Unlink { found, .. } => {
                let Some(old) = old else { return Ok(()) };
                self.expect_state(base, path, found)?;
                let aside = self.temporary_path(base, path, 'o')?;
                self.steps.push(Step::Remove { base, path: path.clone(), aside, old });
            }
        }
        Ok(())
    }

    /// Checks that the state of a place is the one that the caller recorded.
    fn expect_state(
        &self,
        base: Base,
        path: &WorkspacePath,
        expected: &PlaceState,
    ) -> Result<PlaceState, Refusal> {
        let now = match self.directories.place(base, path) {
            Ok(place) => read_state(&place)?,
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => PlaceState::Nothing,
            Err(refusal) => return Err(refusal),
        };
        if now == *expected && now != PlaceState::Other {
            Ok(now)
        } else {
            Err(FileErrorKind::Changed.into())
        }
    }

    /// Plans the creation of missing parent directories.
    fn plan_parents(&mut self, base: Base, path: &WorkspacePath) -> Result<(), Refusal> {
        let mut above = Vec::new();
        let mut parent = path.parent();
        while let Some(path) = parent {
            // The folder of an agent home already exists.
            let is_top = path.is_root() || matches!(base, Base::Lobe(_)) && path.segments().count() == 1;
            let of = (key(base), path.clone());
            if is_top || self.missing.contains(&of) || self.existing.contains(&of) {
                break;
            }
            match self.directories.place(base, &path).and_then(|place| place.stat()) {
                Ok(Some(stat)) if stat.kind == Kind::Directory => {
                    self.existing.insert(of);
                    break;
                }
                Ok(Some(stat)) if stat.kind == Kind::Link => return Err(FileErrorKind::Link.into()),
                Ok(Some(_)) => return Err(FileErrorKind::NotDirectory.into()),
                Ok(None) | Err(Refusal { kind: FileErrorKind::NotFound, .. }) => {}
                Err(refusal) => return Err(refusal),
            }
            parent = path.parent();
            above.push(path);
        }
        for path in above.into_iter().rev() {
            self.missing.insert((key(base), path.clone()));
            self.steps.push(Step::Directory { base, path });
        }
        Ok(())
    }

    /// Returns a temporary name for the old or new entry of the next step.
    fn temporary_path(&self, base: Base, path: &WorkspacePath, kind: char) -> Result<WorkspacePath, Refusal> {
        let number = self.steps.len();
        let aside = match base {
            Base::Home => self.transaction.own.join(&format!("{kind}{number}")),
            Base::Lobe(_) => {
                let name = temporary::change_set_name(number, &format!("{kind}{}", self.transaction.id));
                path.parent().unwrap_or_default().join(&name)
            }
        };
        aside.map_err(|_| FileErrorKind::NameTooLong.into())
    }
}

fn key(base: Base) -> usize {
    if let Base::Lobe(number) = base { number } else { usize::MAX }
}

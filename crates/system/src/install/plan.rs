//! What an installation consists of.

use std::collections::BTreeSet;
use std::path::PathBuf;

use minds_paths::WorkspacePath;

use super::error::{InstallError, InstallErrorKind};
use super::found::{Found, found};
use super::moves::number;
use super::sites::{Base, Sites};
use super::staging::{Planned, Transaction};
use super::step::Step;
use crate::files::{FileErrorKind, Refusal, temporary};
use crate::syscalls::Kind;

/// Works out what has to be done, and that each place is as it was found.
pub(super) struct Planner<'p> {
    transaction: &'p Transaction<'p>,
    sites: &'p Sites<'p>,
    pub(super) steps: Vec<Step>,
    missing: BTreeSet<(usize, WorkspacePath)>,
    /// The directories that are there.
    there: BTreeSet<(usize, WorkspacePath)>,
    taken: BTreeSet<(usize, WorkspacePath)>,
}

impl<'p> Planner<'p> {
    pub(super) fn new(transaction: &'p Transaction<'p>, sites: &'p Sites<'p>) -> Self {
        Self {
            transaction,
            sites,
            steps: Vec::new(),
            missing: BTreeSet::new(),
            there: BTreeSet::new(),
            taken: BTreeSet::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        planned: &Planned,
        number_of: &dyn Fn(&PathBuf) -> Base,
    ) -> Result<(), InstallError> {
        let (base, path) = match planned {
            Planned::Put { to, .. } => (Base::Home, to),
            Planned::Remove { path } => (Base::Home, path),
            Planned::Link { lobe, path, .. }
            | Planned::Copy { lobe, path, .. }
            | Planned::Unlink { lobe, path, .. } => (number_of(lobe), path),
        };
        let shown = self.sites.shown(base, path);
        if path.check_portable().is_err()
            || path.segments().any(temporary::is_temporary)
            || !self.taken.insert((key(base), path.clone()))
        {
            return Err(InstallError::new(&shown, InstallErrorKind::Place));
        }
        self.plan(planned, base, path).map_err(|refusal| InstallError::of(shown, refusal))
    }

    fn plan(&mut self, planned: &Planned, base: Base, path: &WorkspacePath) -> Result<(), Refusal> {
        let old = number(self.sites, base, path)?;
        match planned {
            Planned::Put { from, .. } => {
                // Whoever finishes it believes only what lies there.
                if !from.is_at_or_below(&self.transaction.own) {
                    return Err(FileErrorKind::Outside.into());
                }
                self.make_parents(base, path)?;
                let new = number(self.sites, Base::Home, from)?.ok_or(FileErrorKind::NotFound)?;
                let (from, to, aside) = (from.clone(), path.clone(), self.aside(base, path, 'o')?);
                self.steps.push(Step::Put { from, to, aside, new, old });
            }
            Planned::Remove { .. } => {
                let Some(old) = old else { return Ok(()) };
                let aside = self.aside(base, path, 'o')?;
                self.steps.push(Step::Remove { base, path: path.clone(), aside, old });
            }
            Planned::Link { target, found, .. } => {
                let now = self.expect(base, path, found)?;
                if now == Found::Link(target.clone()) {
                    return Ok(());
                }
                self.make_parents(base, path)?;
                let (new, aside) = (self.aside(base, path, 'n')?, self.aside(base, path, 'o')?);
                let (path, target) = (path.clone(), target.clone());
                self.steps.push(Step::Link { base, path, new, aside, target, old });
            }
            Planned::Copy { from, found, .. } => {
                self.expect(base, path, found)?;
                self.make_parents(base, path)?;
                let (new, aside) = (self.aside(base, path, 'n')?, self.aside(base, path, 'o')?);
                self.steps.push(Step::Copy { base, path: path.clone(), new, aside, from: from.clone(), old });
            }
            Planned::Unlink { found, .. } => {
                let Some(old) = old else { return Ok(()) };
                self.expect(base, path, found)?;
                let aside = self.aside(base, path, 'o')?;
                self.steps.push(Step::Remove { base, path: path.clone(), aside, old });
            }
        }
        Ok(())
    }

    /// Makes sure that what stands at a place is what the caller found there.
    fn expect(&self, base: Base, path: &WorkspacePath, expected: &Found) -> Result<Found, Refusal> {
        let now = match self.sites.place(base, path) {
            Ok(place) => found(&place)?,
            Err(Refusal { kind: FileErrorKind::NotFound, .. }) => Found::Nothing,
            Err(refusal) => return Err(refusal),
        };
        if now == *expected && now != Found::Other { Ok(now) } else { Err(FileErrorKind::Changed.into()) }
    }

    /// Plans the directories above a place that are not there.
    fn make_parents(&mut self, base: Base, path: &WorkspacePath) -> Result<(), Refusal> {
        let mut above = Vec::new();
        let mut parent = path.parent();
        while let Some(path) = parent {
            // The folder of an agent home is there.
            let is_top = path.is_root() || matches!(base, Base::Lobe(_)) && path.segments().count() == 1;
            let of = (key(base), path.clone());
            if is_top || self.missing.contains(&of) || self.there.contains(&of) {
                break;
            }
            match self.sites.place(base, &path).and_then(|place| place.stat()) {
                Ok(Some(stat)) if stat.kind == Kind::Directory => {
                    self.there.insert(of);
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

    /// Returns a name for what is in the way of the next step, or about to come.
    fn aside(&self, base: Base, path: &WorkspacePath, kind: char) -> Result<WorkspacePath, Refusal> {
        let number = self.steps.len();
        let aside = match base {
            Base::Home => self.transaction.own.join(&format!("{kind}{number}")),
            Base::Lobe(_) => {
                let name = temporary::of_set(number, &format!("{kind}{}", self.transaction.id));
                path.parent().unwrap_or_default().join(&name)
            }
        };
        aside.map_err(|_| FileErrorKind::NameTooLong.into())
    }
}

fn key(base: Base) -> usize {
    if let Base::Lobe(number) = base { number } else { usize::MAX }
}

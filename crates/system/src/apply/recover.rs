//! Several changes at once, and what a process that died left of them.

use std::collections::BTreeSet;
use std::io;

use minds_document::ChangeSet;
use minds_paths::{Location, WorkspacePath};

use super::ApplyError;
use super::effect::Effect;
use super::journal::{self, Journal, STATE_AT, State};
use super::plan::Plan;
use crate::Root;
use crate::files::temporary::JOURNAL;
use crate::files::{Claim, FileErrorKind, Holder, Patience, Refusal, content, expect_file, is_named};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Handle, Kind, Sharing, Stat, Wanted};

impl Root {
    /// Makes several changes, or none.
    pub(super) fn apply_several(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        let top = Location::new(self.mount.clone(), WorkspacePath::root());
        let at_top = |refusal| ApplyError::new(top.clone(), refusal);
        let directory = self.open_exactly(&WorkspacePath::root(), Wanted::Directory).map_err(at_top)?;
        // Whoever else applies several changes below this root waits here.
        let claim = Claim::take_with(&directory, JOURNAL, JOURNAL, |patience| self.recover(Some(patience)));
        let claim = claim.map_err(at_top)?;
        let plan = match self.plan(changes) {
            Ok(plan) if !plan.effects.is_empty() => plan,
            Ok(_) => {
                claim.drop_file();
                return Ok(());
            }
            Err((location, refusal)) => {
                claim.drop_file();
                return Err(ApplyError::new(location, refusal));
            }
        };
        let effects: Vec<&Effect> = plan.effects.iter().map(|(_, effect)| effect).collect();
        if let Err(refusal) = self.write_down(&claim, &plan, &effects) {
            // What cannot be removed now is removed with the journal, which then stays.
            if effects.iter().all(|effect| effect.clear(self).is_ok()) {
                claim.drop_file();
            }
            return Err(at_top(refusal));
        }
        if let Err(refusal) = set_state(&claim.handle, State::Committed) {
            return Err(self.abandon(&claim, &effects, top, refusal));
        }
        for (location, effect) in &plan.effects {
            if let Err(refusal) = effect.perform(self) {
                return Err(self.abandon(&claim, &effects, location.clone(), refusal));
            }
        }
        if let Err(refusal) = self.sync_all(&effects) {
            return Err(self.abandon(&claim, &effects, top, refusal));
        }
        // From here on everything has happened; what fails is left to the next change.
        self.finish(claim.directory, &effects).map_err(|refusal| {
            let source = refusal.into();
            ApplyError::Unconfirmed { location: top.clone(), source }
        })
    }

    /// Writes down what is to happen, and then every new content.
    fn write_down(&self, claim: &Claim<'_>, plan: &Plan<'_>, effects: &[&Effect]) -> Result<(), Refusal> {
        let root = syscalls::stat(&self.handle)?.id;
        let text = journal::write(root, claim.stat.id, effects.iter().copied());
        syscalls::write_all(&claim.handle, text.as_bytes())?;
        syscalls::sync_data(&claim.handle)?;
        syscalls::sync_directory(claim.directory)?;
        plan.staged.iter().try_for_each(|staged| staged.write(self))?;
        let directories: BTreeSet<_> = plan.staged.iter().filter_map(|staged| staged.at.parent()).collect();
        directories.iter().try_for_each(|directory| self.sync_names(directory))
    }

    /// Takes back everything after a step that failed.
    fn abandon(
        &self,
        claim: &Claim<'_>,
        effects: &[&Effect],
        location: Location,
        refusal: Refusal,
    ) -> ApplyError {
        // As long as this is not noted, a process that finds the journal goes forward; so all stays that it needs for that.
        let noted = set_state(&claim.handle, State::Abandoned);
        let taken_back = self.take_back(effects).and_then(|()| {
            if noted.is_ok() {
                return self.finish(claim.directory, effects);
            }
            syscalls::unlink(claim.directory, JOURNAL)?;
            syscalls::sync_directory(claim.directory)?;
            effects.iter().try_for_each(|effect| effect.clear(self))
        });
        if taken_back.is_err() {
            return ApplyError::HalfDone { location, source: refusal.into() };
        }
        match ApplyError::new(location, refusal) {
            ApplyError::Unconfirmed { location, source } => ApplyError::Io { location, source },
            error => error,
        }
    }

    fn take_back(&self, effects: &[&Effect]) -> Result<(), Refusal> {
        let mut first = Ok(());
        for effect in effects.iter().rev() {
            let taken_back = effect.take_back(self);
            first = first.and(taken_back);
        }
        first?;
        self.sync_all(effects)
    }

    /// Removes what is not needed any more, the journal last.
    fn finish(&self, directory: &Handle, effects: &[&Effect]) -> Result<(), Refusal> {
        effects.iter().try_for_each(|effect| effect.clear(self))?;
        syscalls::unlink(directory, JOURNAL)?;
        Ok(syscalls::sync_directory(directory)?)
    }

    /// Finishes or takes back what a process that died left below this root. With some `patience`, a process that is still at
    /// it is waited for.
    pub(crate) fn recover(&self, patience: Option<&mut Patience<'_>>) -> Result<(), Refusal> {
        let Some((journal, stat)) = self.take_journal(patience)? else { return Ok(()) };
        let directory = self.open_exactly(&WorkspacePath::root(), Wanted::Directory)?;
        let root = syscalls::stat(&self.handle)?.id;
        let bytes = content(&journal, &stat, u64::MAX)?;
        match journal::read(root, stat.id, &bytes) {
            Journal::Foreign => Err(FileErrorKind::Foreign.into()),
            Journal::Begun => Ok(syscalls::unlink(&directory, JOURNAL)?),
            Journal::Whole(state, effects) => {
                let effects: Vec<&Effect> = effects.iter().collect();
                match state {
                    State::Planned => {}
                    State::Committed => self.go_forward(&effects)?,
                    State::Abandoned => self.take_back(&effects)?,
                }
                self.finish(&directory, &effects)?;
                let files: Vec<String> = effects.iter().map(|effect| effect.target().to_string()).collect();
                match state {
                    // No file had changed.
                    State::Planned => {}
                    State::Committed => notice::notify(&Notice::Finished { files: &files }),
                    State::Abandoned => notice::notify(&Notice::Undone { files: &files }),
                }
                Ok(())
            }
        }
    }

    /// Opens and locks the journal that a process left behind; none if there is none, or a process is still at it.
    fn take_journal(
        &self,
        mut patience: Option<&mut Patience<'_>>,
    ) -> Result<Option<(Handle, Stat)>, Refusal> {
        let foreign = |kind| Err(FileErrorKind::ForeignJournal(kind).into());
        loop {
            let journal = match syscalls::open_entry(&self.handle, JOURNAL, Wanted::Own) {
                Ok(journal) => journal,
                Err(error) if syscalls::is_absent(&error) => return Ok(None),
                Err(error) if syscalls::is_link(&error) => return foreign(Kind::Link),
                Err(error) if syscalls::is_no_file(&error) => return foreign(Kind::Special),
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => return foreign(Kind::Directory),
                // It belongs to another user, who is still at it as far as can be told.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    let Some(patience) = patience.as_deref_mut() else { return Ok(None) };
                    patience.pause(|| Holder::AnotherUser)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let stat = syscalls::stat(&journal)?;
            if stat.kind != Kind::File {
                return foreign(stat.kind);
            }
            match patience.as_deref_mut() {
                Some(patience) => patience.lock(&journal, Sharing::Exclusive)?,
                None if !syscalls::try_lock(&journal, Sharing::Exclusive)? => return Ok(None),
                None => {}
            }
            // It may have been finished, or written on, by the process that had it until now.
            let stat = syscalls::stat(&journal)?;
            if !is_named(&self.handle, JOURNAL, stat.id)? {
                return Ok(None);
            }
            expect_file(&stat).map_err(|_| FileErrorKind::Foreign)?;
            return Ok(Some((journal, stat)));
        }
    }

    /// Makes the steps that were not made. What somebody else changed meanwhile stays as they left it.
    fn go_forward(&self, effects: &[&Effect]) -> Result<(), Refusal> {
        for effect in effects {
            if effect.is_done(self)? {
                continue;
            }
            match effect.perform(self) {
                Err(refusal) if is_of_others(&refusal) => {}
                performed => performed?,
            }
        }
        self.sync_all(effects)
    }

    /// Waits until all names that the steps change are on disk.
    fn sync_all(&self, effects: &[&Effect]) -> Result<(), Refusal> {
        let directories: BTreeSet<_> = effects.iter().flat_map(|effect| effect.directories()).collect();
        for directory in &directories {
            match self.sync_names(directory) {
                // It was to be made and was not, or is gone again.
                Err(refusal) if is_of_others(&refusal) => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    fn sync_names(&self, directory: &WorkspacePath) -> Result<(), Refusal> {
        Ok(syscalls::sync_directory(&self.open_exactly(directory, Wanted::Directory)?)?)
    }
}

fn set_state(journal: &Handle, state: State) -> Result<(), Refusal> {
    syscalls::overwrite(journal, &[state.byte()], STATE_AT)?;
    Ok(syscalls::sync_data(journal)?)
}

/// Returns whether something is there that somebody else put there, or is gone that somebody else removed.
fn is_of_others(refusal: &Refusal) -> bool {
    match refusal.kind {
        FileErrorKind::Changed
        | FileErrorKind::AlreadyExists
        | FileErrorKind::NotFound
        | FileErrorKind::NotDirectory
        | FileErrorKind::NotFile(_)
        | FileErrorKind::SeveralLinks
        | FileErrorKind::Link => true,
        // The file system says so with a source.
        FileErrorKind::ReadOnly => refusal.source.is_none(),
        _ => false,
    }
}

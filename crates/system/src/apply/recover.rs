//! Applying several changes, and recovery of unfinished change sets.

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
use crate::files::{Claim, FileErrorKind, Holder, LockWait, Refusal, expect_file, is_named, read_all};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Access, Handle, Kind, Sharing, Stat};

impl Root {
    /// Makes several changes, or none.
    pub(super) fn apply_several(&self, changes: &ChangeSet) -> Result<(), ApplyError> {
        let top = Location::new(self.mount.clone(), WorkspacePath::root());
        let at_top = |refusal| ApplyError::new(top.clone(), refusal);
        let directory = self.open_without_links(&WorkspacePath::root(), Access::Directory).map_err(at_top)?;
        // Other processes that apply several changes below this root wait here.
        let claim = Claim::take_with(&directory, JOURNAL, JOURNAL, |wait| self.recover(Some(wait)));
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
        if let Err(refusal) = self.stage(&claim, &plan, &effects) {
            // If a staged file cannot be removed now, the journal remains, and both are removed later.
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
        // All changes were made; remaining cleanup is left to the next change.
        self.finish(claim.directory, &effects).map_err(|refusal| {
            let source = refusal.into();
            ApplyError::Unconfirmed { location: top.clone(), source }
        })
    }

    /// Writes the journal, and then stages every new content.
    fn stage(&self, claim: &Claim<'_>, plan: &Plan<'_>, effects: &[&Effect]) -> Result<(), Refusal> {
        let root = syscalls::stat(&self.handle)?.id;
        let text = journal::write(root, claim.stat.id, effects.iter().copied());
        syscalls::write_all(&claim.handle, text.as_bytes())?;
        syscalls::sync_data(&claim.handle)?;
        syscalls::sync_directory(claim.directory)?;
        plan.staged.iter().try_for_each(|staged| staged.write(self))?;
        let directories: BTreeSet<_> = plan.staged.iter().filter_map(|staged| staged.at.parent()).collect();
        directories.iter().try_for_each(|directory| self.sync_names(directory))
    }

    /// Undoes everything after a step that failed.
    fn abandon(
        &self,
        claim: &Claim<'_>,
        effects: &[&Effect],
        location: Location,
        refusal: Refusal,
    ) -> ApplyError {
        // Until the state is recorded, a process that finds the journal completes the changes, so everything
        // that it needs must be kept.
        let recorded = set_state(&claim.handle, State::Abandoned);
        let undone = self.undo(effects).and_then(|()| {
            if recorded.is_ok() {
                return self.finish(claim.directory, effects);
            }
            syscalls::unlink(claim.directory, JOURNAL)?;
            syscalls::sync_directory(claim.directory)?;
            effects.iter().try_for_each(|effect| effect.clear(self))
        });
        if undone.is_err() {
            return ApplyError::HalfDone { location, source: refusal.into() };
        }
        match ApplyError::new(location, refusal) {
            ApplyError::Unconfirmed { location, source } => ApplyError::Io { location, source },
            error => error,
        }
    }

    fn undo(&self, effects: &[&Effect]) -> Result<(), Refusal> {
        let mut first = Ok(());
        for effect in effects.iter().rev() {
            let undone = effect.undo(self);
            first = first.and(undone);
        }
        first?;
        self.sync_all(effects)
    }

    /// Removes temporary files, and the journal last.
    fn finish(&self, directory: &Handle, effects: &[&Effect]) -> Result<(), Refusal> {
        effects.iter().try_for_each(|effect| effect.clear(self))?;
        syscalls::unlink(directory, JOURNAL)?;
        Ok(syscalls::sync_directory(directory)?)
    }

    /// Completes or undoes what a process left unfinished below this root. With `wait`, waits for a process
    /// that is still working.
    pub(crate) fn recover(&self, wait: Option<&mut LockWait<'_>>) -> Result<(), Refusal> {
        let Some((journal, stat)) = self.take_journal(wait)? else { return Ok(()) };
        let directory = self.open_without_links(&WorkspacePath::root(), Access::Directory)?;
        let root = syscalls::stat(&self.handle)?.id;
        let bytes = read_all(&journal, &stat, u64::MAX)?;
        match journal::read(root, stat.id, &bytes) {
            Journal::Foreign => Err(FileErrorKind::Foreign.into()),
            Journal::Incomplete => Ok(syscalls::unlink(&directory, JOURNAL)?),
            Journal::Complete(state, effects) => {
                let effects: Vec<&Effect> = effects.iter().collect();
                match state {
                    State::Planned => {}
                    State::Committed => self.complete(&effects)?,
                    State::Abandoned => self.undo(&effects)?,
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

    /// Opens and locks the journal of an unfinished change set; none if there is none, or a process is still
    /// working.
    fn take_journal(&self, mut wait: Option<&mut LockWait<'_>>) -> Result<Option<(Handle, Stat)>, Refusal> {
        let foreign = |kind| Err(FileErrorKind::ForeignJournal(kind).into());
        loop {
            let journal = match syscalls::open_entry(&self.handle, JOURNAL, Access::Own) {
                Ok(journal) => journal,
                Err(error) if syscalls::is_absent(&error) => return Ok(None),
                Err(error) if syscalls::is_link(&error) => return foreign(Kind::Link),
                Err(error) if syscalls::is_not_regular_file(&error) => return foreign(Kind::Special),
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => return foreign(Kind::Directory),
                // It belongs to another user, who is assumed to be still working.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    let Some(wait) = wait.as_deref_mut() else { return Ok(None) };
                    wait.pause(|| Holder::AnotherUser)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let stat = syscalls::stat(&journal)?;
            if stat.kind != Kind::File {
                return foreign(stat.kind);
            }
            match wait.as_deref_mut() {
                Some(wait) => wait.lock(&journal, Sharing::Exclusive)?,
                None if !syscalls::try_lock(&journal, Sharing::Exclusive)? => return Ok(None),
                None => {}
            }
            // The previous holder of the lock may have removed or extended it.
            let stat = syscalls::stat(&journal)?;
            if !is_named(&self.handle, JOURNAL, stat.id)? {
                return Ok(None);
            }
            expect_file(&stat).map_err(|_| FileErrorKind::Foreign)?;
            return Ok(Some((journal, stat)));
        }
    }

    /// Makes the steps that were not made yet. Files changed externally in the meantime are kept.
    fn complete(&self, effects: &[&Effect]) -> Result<(), Refusal> {
        for effect in effects {
            if effect.is_done(self)? {
                continue;
            }
            match effect.perform(self) {
                Err(refusal) if is_external_change(&refusal) => {}
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
                // The directory was not created, or was removed again.
                Err(refusal) if is_external_change(&refusal) => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    fn sync_names(&self, directory: &WorkspacePath) -> Result<(), Refusal> {
        Ok(syscalls::sync_directory(&self.open_without_links(directory, Access::Directory)?)?)
    }
}

fn set_state(journal: &Handle, state: State) -> Result<(), Refusal> {
    syscalls::overwrite(journal, &[state.byte()], STATE_AT)?;
    Ok(syscalls::sync_data(journal)?)
}

/// Returns whether an entry was created or removed externally in the meantime.
fn is_external_change(refusal: &Refusal) -> bool {
    match refusal.kind {
        FileErrorKind::Changed
        | FileErrorKind::AlreadyExists
        | FileErrorKind::NotFound
        | FileErrorKind::NotDirectory
        | FileErrorKind::NotFile(_)
        | FileErrorKind::SeveralLinks
        | FileErrorKind::Link => true,
        // An error of the file system has a source; a read-only file does not.
        FileErrorKind::ReadOnly => refusal.source.is_none(),
        _ => false,
    }
}

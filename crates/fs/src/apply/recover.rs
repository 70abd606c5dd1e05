//! Applying several changes, and recovery of unfinished change sets.

use std::collections::BTreeSet;
use std::io;

use minds_vfs::{ChangeSet, Location, WorkspacePath};

use super::ApplyError;
use super::effect::Effect;
use super::journal::{self, Journal};
use super::plan::{Plan, StagedContent};
use super::steps::Effects;
use crate::Root;
use crate::files::temporary::JOURNAL;
use crate::files::{Claim, FileErrorKind, LockHolder, LockWait, Refusal, expect_file, is_named, read_all};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Access, Handle, Kind, Sharing, Stat};
use crate::transaction::{Failure, RecordFile, RecordedTransaction, Remainder, State};

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
        let Plan { staged, effects } = plan;
        let (locations, effects): (Vec<Location>, _) = effects.into_iter().unzip();
        let steps = Effects { root: self, effects };
        let transaction =
            RecordedTransaction { record: record_file(&claim.handle, claim.directory), steps: &steps };
        if let Err(refusal) = self.stage(&claim, &staged, &steps.effects) {
            // If a staged file cannot be removed now, the journal remains, and both are removed later.
            if transaction.clear().is_ok() {
                claim.drop_file();
            }
            return Err(at_top(refusal));
        }
        let failed = |Failure { step, error, remainder }: Failure<Refusal>| {
            let location = step.and_then(|step| locations.get(step)).unwrap_or(&top).clone();
            match remainder {
                Remainder::Steps => ApplyError::HalfDone { location, source: error.into() },
                // All changes were made; remaining cleanup is left to the next change.
                Remainder::UnconfirmedSteps => ApplyError::Unconfirmed { location, source: error.into() },
                Remainder::Nothing => match ApplyError::new(location, error) {
                    ApplyError::Unconfirmed { location, source } => ApplyError::Io { location, source },
                    error => error,
                },
            }
        };
        transaction.commit().map(drop).map_err(failed)
    }

    /// Writes the journal, and then stages every new content.
    fn stage(
        &self,
        claim: &Claim<'_>,
        staged: &[StagedContent<'_>],
        effects: &[Effect],
    ) -> Result<(), Refusal> {
        let root = syscalls::stat(&self.handle)?.id;
        let text = journal::write(root, claim.stat.id, effects);
        syscalls::write_all(&claim.handle, text.as_bytes())?;
        syscalls::sync_data(&claim.handle)?;
        syscalls::sync_directory(claim.directory)?;
        staged.iter().try_for_each(|staged| staged.write(self))?;
        let directories: BTreeSet<_> = staged.iter().filter_map(|staged| staged.at.parent()).collect();
        directories.iter().try_for_each(|directory| self.sync_names(directory))
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
                let steps = Effects { root: self, effects };
                let transaction =
                    RecordedTransaction { record: record_file(&journal, &directory), steps: &steps };
                let ended = transaction.recover(state).map_err(|failure| failure.error)?;
                let targets = steps.effects.iter().map(|effect| effect.target().to_string());
                let files: Vec<String> = targets.collect();
                match ended {
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
                    wait.pause(|| LockHolder::AnotherUser)?;
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
}

fn record_file<'d>(handle: &'d Handle, directory: &'d Handle) -> RecordFile<'d> {
    RecordFile { handle, directory, name: JOURNAL, format: journal::FORMAT }
}

//! Announcing a change, and completing or rolling back an interrupted one.

use minds_fs::transaction::State;
use minds_fs::{FileErrorKind, Notice, notify};
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_SECTION_BYTES, PENDING};
use minds_taskdoc::{Journal, TaskCode, TaskError};
use minds_vfs::{ContentHash, FileMode, WorkspacePath};

use crate::errors::task_error;
use crate::package::Package;
use crate::pending::{MAX_LINES, PendingChange, Progress};
use crate::steps::{ChangeStep, ChangeSteps};

/// How often a reader tries again while changes are made.
const MAX_ATTEMPTS: usize = 16;

/// The contents of the file for the change in progress.
enum PendingFile {
    Nothing,
    /// The file is incomplete or was not written by a change.
    Invalid,
    Pending(PendingChange),
}

/// The remaining steps of a change.
enum Remainder {
    /// It was not made.
    All,
    /// These lines are missing in the journal.
    Lines(Vec<u8>),
    /// It was made and is in the journal.
    Nothing,
}

impl Package<'_> {
    /// Writes the announcement of a change. If that fails, it is removed again.
    pub(crate) fn announce(&self, pending: &PendingChange, mode: FileMode) -> Result<(), TaskError> {
        let (file, bytes) = (self.pending_path()?, pending.to_bytes());
        let view = self.root.no_follow();
        let created = match view.create(&file, &bytes, mode) {
            Err(error) if error.kind() == FileErrorKind::NotFound => {
                let directory = self.path_of(HISTORY)?;
                match view.make_directory(&directory) {
                    Err(error) if error.kind() != FileErrorKind::AlreadyExists => Err(error),
                    _ => view.create(&file, &bytes, mode),
                }
            }
            created => created,
        };
        created.map_err(|error| {
            // A file of another process is handled by the next change.
            if error.kind() != FileErrorKind::AlreadyExists {
                self.withdraw();
            }
            task_error(&error)
        })
    }

    /// Removes the announcement of a change that was not made.
    pub(crate) fn withdraw(&self) {
        // If it cannot be removed, the next change discards it.
        if let Ok(file) = self.pending_path() {
            let _ = self.root.no_follow().remove_file_unsynced(&file);
        }
    }

    /// Completes or rolls back an interrupted change. The caller holds the lock.
    pub(crate) fn settle(&self) -> Result<(), TaskError> {
        let pending = match self.read_pending()? {
            PendingFile::Nothing => return Ok(()),
            PendingFile::Invalid => {
                self.withdraw();
                return Ok(());
            }
            PendingFile::Pending(pending) => pending,
        };
        let journal = self.journal_bytes()?.unwrap_or_default();
        let (steps, state) = match self.remainder(&pending, &journal)? {
            Remainder::All => (self.created_category(&pending).into_iter().collect(), State::Abandoned),
            Remainder::Lines(lines) => (vec![ChangeStep::Lines(lines)], State::Committed),
            Remainder::Nothing => (Vec::new(), State::Committed),
        };
        let adds_lines = steps.iter().any(|step| matches!(step, ChangeStep::Lines(_)));
        let recovered = ChangeSteps::new(self, &pending, steps).transaction().recover(state);
        recovered.map_err(|failure| failure.error)?;
        if let Some(change) = pending.change().filter(|_| adds_lines) {
            let file = self.path_of(&change.section.path())?.to_string();
            notify(&Notice::Finished { files: &[file] });
        }
        Ok(())
    }

    /// Returns the journal as the next change will see it: with the lines of a change that was made and is
    /// not yet in the journal, because it is in progress or was interrupted. Nothing is written.
    pub(crate) fn settled_journal(&self) -> Result<Vec<u8>, TaskError> {
        let mut attempts = 0;
        loop {
            // Read in this order: a partial line was either announced before, or is complete by the time the
            // journal is read.
            let pending_file = self.read_pending()?;
            let mut journal = self.journal_bytes()?.unwrap_or_default();
            let is_complete = journal.is_empty() || journal.ends_with(b"\n");
            if let PendingFile::Pending(pending) = pending_file
                && let Remainder::Lines(lines) = self.remainder(&pending, &journal)?
            {
                journal.extend_from_slice(&lines);
                return Ok(journal);
            }
            attempts += 1;
            if is_complete || attempts == MAX_ATTEMPTS {
                return Ok(journal);
            }
        }
    }

    /// Returns the remaining steps of an announced change.
    fn remainder(&self, pending: &PendingChange, journal: &[u8]) -> Result<Remainder, TaskError> {
        let Some(change) = pending.change() else { return Ok(Remainder::All) };
        let lines = pending.lines().into_bytes();
        match pending.progress_in(journal) {
            Progress::All => Ok(Remainder::Nothing),
            Progress::Begun(count) => {
                let before = pending.at().and_then(|at| journal.get(..at)).unwrap_or_default();
                let rest = lines.get(count..).unwrap_or_default().to_vec();
                Ok(if pending.fits(&Journal::read(before)) { Remainder::Lines(rest) } else { Remainder::All })
            }
            Progress::Nothing => {
                let now = match self.bytes(&change.section.path(), MAX_SECTION_BYTES) {
                    // A change does not create such an entry.
                    Err(error) if matches!(error.code, TaskCode::NotAFile | TaskCode::TooLarge) => {
                        return Ok(Remainder::All);
                    }
                    now => now?,
                };
                let is_made = now.as_deref().map(ContentHash::of) == change.after
                    && now.map_or(0, |now| now.len() as u64) == change.size
                    && pending.fits(&Journal::read(journal));
                let is_ended = journal.is_empty() || journal.ends_with(b"\n");
                let lines = if is_ended { lines } else { [b"\n".to_vec(), lines].concat() };
                Ok(if is_made { Remainder::Lines(lines) } else { Remainder::All })
            }
        }
    }

    /// Returns the step that created a directory for a section that was then not created.
    fn created_category(&self, pending: &PendingChange) -> Option<ChangeStep<'static>> {
        let change = pending.change().filter(|change| change.before.is_none())?;
        Some(ChangeStep::Category(self.path_of(change.section.category()?).ok()?))
    }

    /// Adds lines to the journal. If the process is killed, they may be written partially; the announcement
    /// allows completing them.
    pub(crate) fn append_to_journal(&self, lines: &[u8]) -> Result<(), TaskError> {
        let journal = self.path_of(JOURNAL)?;
        let extended = self.root.no_follow().extend(&journal, lines, FileMode::Regular);
        extended.map_err(|error| task_error(&error))
    }

    fn read_pending(&self) -> Result<PendingFile, TaskError> {
        match self.root.no_follow().read(&self.pending_path()?, MAX_SECTION_BYTES + MAX_LINES) {
            Ok(file) => {
                Ok(PendingChange::read(&file.bytes).map_or(PendingFile::Invalid, PendingFile::Pending))
            }
            Err(error) => match error.kind() {
                FileErrorKind::NotFound => Ok(PendingFile::Nothing),
                // On file systems without atomic renames a file briefly has two hard links. A change does not
                // create the other kinds of entries; only the directory entry is removed, never its target.
                FileErrorKind::SeveralLinks
                | FileErrorKind::Link
                | FileErrorKind::NotFile(_)
                | FileErrorKind::TooLarge => Ok(PendingFile::Invalid),
                _ => Err(task_error(&error)),
            },
        }
    }

    pub(crate) fn pending_path(&self) -> Result<WorkspacePath, TaskError> {
        self.path_of(&format!("{HISTORY}/{PENDING}"))
    }
}

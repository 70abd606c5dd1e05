//! The steps of a change as a kind of transaction.
//!
//! The file of the announced change is the record. It has no state, because the section and the journal show how
//! far the change got; when the change is made, the file becomes the saved previous content.

use std::cell::Cell;

use minds_fs::transaction::{Origin, Record, RecordedTransaction, State, Steps};
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{TaskCode, TaskError};
use minds_vfs::{ContentHash, Expected, FileMode, WorkspacePath};

use crate::errors::task_error;
use crate::package::Package;
use crate::pending::{PendingChange, Progress};

/// The content of a section, if it exists, and its permissions.
#[derive(Clone, Copy)]
pub(crate) struct Content<'c> {
    pub(crate) bytes: Option<&'c [u8]>,
    pub(crate) mode: FileMode,
}

/// A step of a change.
pub(crate) enum ChangeStep<'c> {
    /// Creates the directory of a category.
    Category(WorkspacePath),
    /// Replaces the content of a section, or removes the section; nothing happens if the content is the same.
    Section { path: WorkspacePath, before: Content<'c>, after: Content<'c> },
    /// Adds lines to the journal.
    Lines(Vec<u8>),
}

/// The steps of an announced change.
pub(crate) struct ChangeSteps<'c> {
    package: &'c Package<'c>,
    pending: &'c PendingChange,
    steps: Vec<ChangeStep<'c>>,
    /// Whether a part of the lines may be in the journal: then the change can only be completed.
    may_be_written: Cell<bool>,
}

/// The file of an announced change.
#[derive(Clone, Copy)]
pub(crate) struct Announcement<'c> {
    package: &'c Package<'c>,
    pending: &'c PendingChange,
}

impl<'c> ChangeSteps<'c> {
    pub(crate) fn new(
        package: &'c Package<'c>,
        pending: &'c PendingChange,
        steps: Vec<ChangeStep<'c>>,
    ) -> Self {
        Self { package, pending, steps, may_be_written: Cell::new(false) }
    }

    /// Returns the transaction with these steps, whose record is the announcement.
    pub(crate) fn transaction(&self) -> RecordedTransaction<'_, Self, Announcement<'c>> {
        let record = Announcement { package: self.package, pending: self.pending };
        RecordedTransaction { record, steps: self }
    }

    /// Returns an error if a part of the lines may be in the journal.
    fn expect_unwritten(&self) -> Result<(), TaskError> {
        let progress = self.package.journal_bytes().map(|journal| {
            let journal = journal.unwrap_or_default();
            self.pending.progress_in(&journal)
        });
        self.may_be_written.set(!matches!(progress, Ok(Progress::Nothing)));
        if self.may_be_written.get() { Err(not_undone()) } else { Ok(()) }
    }

    /// Restores the previous content of a section that has the new one.
    fn restore(
        &self,
        path: &WorkspacePath,
        before: Content<'_>,
        after: Content<'_>,
    ) -> Result<(), TaskError> {
        let holds = |content: Content<'_>| {
            let now = self.package.bytes_at(path, MAX_SECTION_BYTES);
            now.is_ok_and(|now| now.as_deref() == content.bytes)
        };
        if !holds(before) && holds(after) {
            // What the section has afterwards decides.
            let _ = self.package.put(path, after, before);
        }
        if holds(before) { Ok(()) } else { Err(not_undone()) }
    }
}

impl<'c> Steps for ChangeSteps<'c> {
    type Step = ChangeStep<'c>;
    type Error = TaskError;

    const MAY_REMAIN: bool = false;
    const IS_UNDONE_IF_INCOMPLETE: bool = false;

    fn steps(&self) -> &[ChangeStep<'c>] {
        &self.steps
    }

    fn perform(&self, step: &ChangeStep<'c>, _origin: Origin) -> Result<(), TaskError> {
        match step {
            ChangeStep::Category(directory) => {
                let made = self.package.root.no_follow().make_directory(directory);
                made.map_err(|error| task_error(&error))
            }
            ChangeStep::Section { before, after, .. } if before.bytes == after.bytes => Ok(()),
            ChangeStep::Section { path, before, after } => self.package.put(path, *before, *after),
            ChangeStep::Lines(lines) => self.package.append_to_journal(lines),
        }
    }

    fn undo(&self, step: &ChangeStep<'c>) -> Result<(), TaskError> {
        match step {
            // The lines are the last step, so they are the first one to be undone.
            ChangeStep::Lines(_) => self.expect_unwritten(),
            _ if self.may_be_written.get() => Err(not_undone()),
            ChangeStep::Section { path, before, after } => self.restore(path, *before, *after),
            ChangeStep::Category(directory) => {
                // A directory that is not empty is kept.
                let _ = self.package.root.no_follow().remove_directory(directory);
                Ok(())
            }
        }
    }
}

impl Record for Announcement<'_> {
    type Error = TaskError;

    fn note_abandoned(&self) -> bool {
        // A process that finds the announcement discards it once the section has its previous content.
        false
    }

    fn remove(&self, end: State) -> Result<(), TaskError> {
        match end {
            State::Committed => self.package.save_previous(self.pending),
            State::Planned | State::Abandoned => {
                self.package.withdraw();
                Ok(())
            }
        }
    }
}

impl Package<'_> {
    /// Replaces the content `now` of a section with `then`, or removes the section.
    fn put(&self, path: &WorkspacePath, now: Content<'_>, then: Content<'_>) -> Result<(), TaskError> {
        let expected = now.bytes.map_or(Expected::Absent, |bytes| Expected::Content(ContentHash::of(bytes)));
        let put = match then.bytes {
            Some(bytes) => self.root.no_follow().replace(path, bytes, then.mode, expected),
            None => self.root.no_follow().remove_file(path, expected),
        };
        put.map_err(|error| task_error(&error))
    }
}

fn not_undone() -> TaskError {
    TaskError::new(TaskCode::Failed, "the change cannot be undone")
}

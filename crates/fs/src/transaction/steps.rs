//! The steps of a kind of transaction.

use crate::files::{FileErrorKind, Refusal};

/// The process that started a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This process.
    ThisProcess,
    /// An earlier process, which may have made any number of steps.
    EarlierProcess,
}

/// The steps of a transaction, in the order in which they are made.
///
/// Whether a step was made is determined from the file system alone, so another process can complete or undo
/// the steps of this one.
pub trait Steps {
    /// A step.
    type Step;
    /// Why a step cannot be made or undone.
    type Error;

    /// Whether a file that cannot be removed at the end may remain. If not, the record remains with it, and the
    /// next change tries again.
    const MAY_REMAIN: bool;

    /// Whether a transaction of an earlier process is undone if it cannot be completed. If not, the record
    /// remains, and the next change tries again.
    const IS_UNDONE_IF_INCOMPLETE: bool;

    /// Returns the steps.
    fn steps(&self) -> &[Self::Step];

    /// Makes what the following steps need, before `step` is made.
    ///
    /// # Errors
    ///
    /// Fails like the step for which it cannot be made.
    fn prepare(&self, _step: &Self::Step, _origin: Origin) -> Result<(), StepFailure<Self::Error>> {
        Ok(())
    }

    /// Makes a step, or the rest of it.
    ///
    /// # Errors
    ///
    /// Fails if the step cannot be made.
    fn perform(&self, step: &Self::Step, origin: Origin) -> Result<(), Self::Error>;

    /// Undoes a step, if it was made completely or in part.
    ///
    /// # Errors
    ///
    /// Fails if the step was made and cannot be undone.
    fn undo(&self, step: &Self::Step) -> Result<(), Self::Error>;

    /// Removes what a step no longer needs once all steps are made or undone.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be removed.
    fn clear(&self, _step: &Self::Step) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Waits until all names that the steps change are on disk.
    ///
    /// # Errors
    ///
    /// Fails if the disk does not confirm it.
    fn sync_names(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Returns whether an error means that an entry was created or removed externally, so that the step of an
    /// earlier process is skipped.
    fn is_external_change(_error: &Self::Error) -> bool {
        false
    }
}

/// A step that failed.
#[derive(Clone, Copy, Debug)]
pub struct StepFailure<E> {
    /// Its index; none if the sync after all steps failed.
    pub step: Option<usize>,
    /// The cause.
    pub error: E,
}

/// Returns whether an entry was created or removed externally in the meantime.
pub(crate) fn is_external_change(refusal: &Refusal) -> bool {
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

//! The record of a transaction.

/// The state of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// New content is being staged; nothing has changed.
    Planned,
    /// Everything is staged; all steps will be made even after a crash.
    Committed,
    /// A step failed; all steps will be undone even after a crash.
    Abandoned,
}

/// The record of a transaction on disk. While it exists, the next process completes or undoes the steps.
pub trait Record {
    /// Why the record cannot be changed.
    type Error;

    /// Records that the steps will be undone; returns whether that is on disk. If it is not, a process that
    /// finds the record completes the steps, so everything that it needs must be kept until the record is
    /// removed.
    fn note_abandoned(&self) -> bool;

    /// Removes the record of a transaction that ended in this state.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed; then the next process repeats the end of the transaction.
    fn remove(&self, end: State) -> Result<(), Self::Error>;
}

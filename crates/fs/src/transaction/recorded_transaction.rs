//! Making, undoing and recovering the steps of a transaction that is recorded on disk.

use super::{Origin, Record, RecordFile, State, StepFailure, Steps};
use crate::files::Refusal;

/// A transaction whose steps are recorded on disk.
#[derive(Clone, Copy, Debug)]
pub struct RecordedTransaction<'t, S, R> {
    /// The record.
    pub record: R,
    /// The steps.
    pub steps: &'t S,
}

/// What a failed transaction left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remainder {
    /// Nothing: everything is as before.
    Nothing,
    /// Some steps; the record remains, and the next change completes or undoes them.
    Steps,
    /// All steps, but their end is not confirmed by the disk; the next change repeats it.
    UnconfirmedSteps,
}

/// Why a transaction failed.
#[derive(Clone, Copy, Debug)]
pub struct Failure<E> {
    /// The index of the failed step, if a step failed.
    pub step: Option<usize>,
    /// The cause.
    pub error: E,
    /// What it left.
    pub remainder: Remainder,
}

impl<S: Steps<Error = Refusal>> RecordedTransaction<'_, S, RecordFile<'_>> {
    /// Commits a planned transaction, and makes it like [`Self::execute`].
    pub(crate) fn commit(&self) -> Result<Vec<usize>, Failure<Refusal>> {
        match self.record.set_state(State::Committed) {
            Ok(()) => self.execute(),
            Err(error) => Err(self.abandon(StepFailure { step: None, error })),
        }
    }
}

impl<S: Steps, R: Record<Error = S::Error>> RecordedTransaction<'_, S, R> {
    /// Makes all steps of a committed transaction, or none; returns the indices of the steps of which files
    /// remain.
    ///
    /// # Errors
    ///
    /// Returns the first step that cannot be made; then the steps are undone.
    pub fn execute(&self) -> Result<Vec<usize>, Failure<S::Error>> {
        self.run(Origin::ThisProcess).map_err(|failure| self.abandon(failure))?;
        self.finish(State::Committed).map_err(|error| {
            let remainder = Remainder::UnconfirmedSteps;
            Failure { step: None, error, remainder }
        })
    }

    /// Completes or undoes a transaction of an earlier process in the given state; returns the state in which
    /// it ended. Entries changed externally in the meantime are kept.
    ///
    /// # Errors
    ///
    /// Fails if the steps can be neither completed nor undone; then the record remains.
    pub fn recover(&self, state: State) -> Result<State, Failure<S::Error>> {
        let failed = |error| Failure { step: None, error, remainder: Remainder::Steps };
        match state {
            State::Planned => {}
            State::Committed => match self.run(Origin::EarlierProcess) {
                Ok(()) => {}
                Err(failure) if S::IS_UNDONE_IF_INCOMPLETE => {
                    let failure = self.abandon(failure);
                    let is_undone = failure.remainder == Remainder::Nothing;
                    return if is_undone { Ok(State::Abandoned) } else { Err(failure) };
                }
                Err(StepFailure { step, error }) => {
                    return Err(Failure { step, error, remainder: Remainder::Steps });
                }
            },
            State::Abandoned => self.undo().map_err(failed)?,
        }
        let finished = self.finish(state);
        finished.map_err(|error| match state {
            State::Committed => Failure { step: None, error, remainder: Remainder::UnconfirmedSteps },
            State::Planned | State::Abandoned => failed(error),
        })?;
        Ok(state)
    }

    /// Removes what was staged for a transaction that was not committed; returns the indices of the steps of
    /// which files remain.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be removed and may not remain.
    pub fn clear(&self) -> Result<Vec<usize>, S::Error> {
        let mut remaining = Vec::new();
        for (index, step) in self.steps.steps().iter().enumerate() {
            match self.steps.clear(step) {
                Err(_) if S::MAY_REMAIN => remaining.push(index),
                cleared => cleared?,
            }
        }
        Ok(remaining)
    }

    /// Makes all steps, and waits until they are on disk.
    fn run(&self, origin: Origin) -> Result<(), StepFailure<S::Error>> {
        for (index, step) in self.steps.steps().iter().enumerate() {
            self.steps.prepare(step, origin)?;
            match self.steps.perform(step, origin) {
                Err(error) if origin == Origin::EarlierProcess && S::is_external_change(&error) => {}
                performed => performed.map_err(|error| StepFailure { step: Some(index), error })?,
            }
        }
        self.steps.sync_names().map_err(|error| StepFailure { step: None, error })
    }

    /// Undoes everything after a step that failed.
    fn abandon(&self, failure: StepFailure<S::Error>) -> Failure<S::Error> {
        let is_recorded = self.record.note_abandoned();
        let undone = self.undo().and_then(|()| {
            if is_recorded {
                return self.finish(State::Abandoned);
            }
            self.record.remove(State::Abandoned)?;
            self.clear()
        });
        let remainder = if undone.is_ok() { Remainder::Nothing } else { Remainder::Steps };
        Failure { step: failure.step, error: failure.error, remainder }
    }

    /// Undoes all steps in reverse order.
    fn undo(&self) -> Result<(), S::Error> {
        let mut first = Ok(());
        for step in self.steps.steps().iter().rev() {
            let undone = self.steps.undo(step);
            first = first.and(undone);
        }
        first?;
        self.steps.sync_names()
    }

    /// Removes temporary files, and the record last.
    fn finish(&self, end: State) -> Result<Vec<usize>, S::Error> {
        let remaining = self.clear()?;
        self.record.remove(end)?;
        Ok(remaining)
    }
}

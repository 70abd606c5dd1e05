//! The states of a confirmation.

use std::time::Duration;

use crate::limits::CONFIRMATION_LIFETIME;
use crate::{Caller, ConfirmDone};

/// A question to the owner of an agent.
///
/// ```text
/// asked ─► yes | no | expired      all final; expired and interrupted count as no
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    id: String,
    deadline: Duration,
    state: ConfirmationState,
}

/// The state of a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationState {
    /// The agent waits.
    Asked,
    /// The owner agrees.
    Yes,
    /// The owner refuses, or interrupted the work.
    No,
    /// There was no answer in time.
    Expired,
}

impl Confirmation {
    /// Asks. The question expires after [`CONFIRMATION_LIFETIME`].
    pub fn new(id: impl Into<String>, now: Duration) -> Self {
        let deadline = now.saturating_add(CONFIRMATION_LIFETIME);
        Self { id: id.into(), deadline, state: ConfirmationState::Asked }
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns when the question expires, on the clock of [`Confirmation::new`].
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Returns the state.
    pub fn state(&self) -> ConfirmationState {
        self.state
    }

    /// Returns whether the work may go on: only after an explicit yes.
    pub fn is_granted(&self) -> bool {
        self.state == ConfirmationState::Yes
    }

    /// Notes an answer, and returns the event to report; `None` if the question has an answer or has expired.
    pub fn answer(&mut self, answer: bool, by: Caller, now: Duration) -> Option<ConfirmDone> {
        if now >= self.deadline {
            return None;
        }
        let state = if answer { ConfirmationState::Yes } else { ConfirmationState::No };
        self.end(state, Some(by))
    }

    /// Notes an interrupt, which counts as no.
    pub fn interrupt(&mut self, by: Caller) -> Option<ConfirmDone> {
        self.end(ConfirmationState::No, Some(by))
    }

    /// Ends a question whose time has passed.
    pub fn poll(&mut self, now: Duration) -> Option<ConfirmDone> {
        (now >= self.deadline).then(|| self.end(ConfirmationState::Expired, None)).flatten()
    }

    fn end(&mut self, state: ConfirmationState, by: Option<Caller>) -> Option<ConfirmDone> {
        if self.state != ConfirmationState::Asked {
            return None;
        }
        self.state = state;
        Some(ConfirmDone { id: self.id.clone(), answer: self.is_granted(), by })
    }
}

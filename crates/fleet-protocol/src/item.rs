//! The states of an item of the queue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of an item.
///
/// ```text
/// pending ─► running ─► done
///    ▲          ▼ the agent restarts after an effect
///    └─retry─ parked ─drop─► done
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ItemState {
    /// The item waits.
    Pending,
    /// The agent works on it.
    Running,
    /// A user has to decide: to perform it again could repeat an effect.
    Parked,
    /// The item is finished.
    Done,
}

/// What changes the state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemEvent {
    /// The agent begins the work.
    Start,
    /// The work has ended, with or without success.
    Finish,
    /// The agent was started again, and the item had called a tool with an effect.
    RecoverWithEffects,
    /// The agent was started again, and the item had called no such tool.
    RecoverWithoutEffects,
    /// A user asks to perform it again.
    Retry,
    /// A user asks not to perform it.
    Drop,
    /// A user removes all pending items.
    Clear,
}

/// An event that is not possible in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{event:?}` is not possible for an item that is `{state:?}`")]
pub struct ItemError {
    /// The state.
    pub state: ItemState,
    /// The event.
    pub event: ItemEvent,
}

impl ItemState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Running, Self::Parked, Self::Done];

    /// Returns the state after an event.
    ///
    /// # Errors
    ///
    /// Returns an error if the event is not possible; the item stays in its state.
    pub fn apply(self, event: ItemEvent) -> Result<Self, ItemError> {
        match (self, event) {
            (Self::Pending, ItemEvent::Start) => Ok(Self::Running),
            (Self::Running, ItemEvent::RecoverWithEffects) => Ok(Self::Parked),
            (Self::Running, ItemEvent::RecoverWithoutEffects) | (Self::Parked, ItemEvent::Retry) => {
                Ok(Self::Pending)
            }
            (Self::Running, ItemEvent::Finish)
            | (Self::Parked, ItemEvent::Drop)
            | (Self::Pending, ItemEvent::Clear) => Ok(Self::Done),
            (state, event) => Err(ItemError { state, event }),
        }
    }
}

impl ItemEvent {
    /// Every event.
    pub const ALL: [Self; 7] = [
        Self::Start,
        Self::Finish,
        Self::RecoverWithEffects,
        Self::RecoverWithoutEffects,
        Self::Retry,
        Self::Drop,
        Self::Clear,
    ];
}

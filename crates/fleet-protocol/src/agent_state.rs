//! The states of an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of an agent, as it reports it and as readers display it.
///
/// ```text
/// init ─► registered ─► idle ⇄ busy        shutdown from each of them
/// ```
///
/// An agent never reports `disconnected`: readers display it while its heartbeat is missing. `running` of earlier
/// drafts is read as `idle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AgentState {
    /// The agent reads its files.
    Init,
    /// The agent has its lock and is listed.
    Registered,
    /// The agent waits for an item.
    #[serde(alias = "running")]
    Idle,
    /// The agent works on an item.
    Busy,
    /// The agent ends; it accepts no further requests.
    Shutdown,
    /// The heartbeat is missing. Only readers use this state.
    Disconnected,
}

/// What changes the state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentEvent {
    /// The lock is taken and the registry entry is written.
    Register,
    /// The files are read and requests are served.
    Serve,
    /// An item begins.
    Start,
    /// An item ends.
    Finish,
    /// The process is asked to end, or lost its lock.
    Stop,
}

/// An event that is not possible in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{event:?}` is not possible in the state `{}`", state.as_str())]
pub struct TransitionError {
    /// The state.
    pub state: AgentState,
    /// The event.
    pub event: AgentEvent,
}

impl AgentState {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Init, Self::Registered, Self::Idle, Self::Busy, Self::Shutdown, Self::Disconnected];

    /// Returns the name in the protocol.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Registered => "registered",
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Shutdown => "shutdown",
            Self::Disconnected => "disconnected",
        }
    }

    /// Returns the state after an event.
    ///
    /// To stop an agent that stops already changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the event is not possible; the agent stays in its state.
    pub fn apply(self, event: AgentEvent) -> Result<Self, TransitionError> {
        match (self, event) {
            (Self::Init, AgentEvent::Register) => Ok(Self::Registered),
            (Self::Registered, AgentEvent::Serve) | (Self::Busy, AgentEvent::Finish) => Ok(Self::Idle),
            (Self::Idle, AgentEvent::Start) => Ok(Self::Busy),
            (Self::Init | Self::Registered | Self::Idle | Self::Busy | Self::Shutdown, AgentEvent::Stop) => {
                Ok(Self::Shutdown)
            }
            (state, event) => Err(TransitionError { state, event }),
        }
    }

    /// Returns whether an agent in this state performs requests.
    pub fn accepts_requests(self) -> bool {
        matches!(self, Self::Idle | Self::Busy)
    }
}

impl AgentEvent {
    /// Every event.
    pub const ALL: [Self; 5] = [Self::Register, Self::Serve, Self::Start, Self::Finish, Self::Stop];
}

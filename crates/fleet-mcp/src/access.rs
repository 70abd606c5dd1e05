//! What the tools need of a fleet.

use minds_fleet_protocol::methods::TailValue;
use minds_fleet_protocol::{AgentInfo, EndReason, Failure, ItemId};

use crate::call::{ReadCall, SendCall};

/// A fleet, as the tools use it. Every call may block, and calls come from several threads.
pub trait FleetAccess: Send + Sync + 'static {
    /// Returns the agents that run, and those that were killed not long ago.
    ///
    /// # Errors
    ///
    /// Fails if the fleet cannot be read.
    fn list(&self) -> Result<Vec<AgentInfo>, Failure>;

    /// Adds an input to the queue of an agent, and waits for the end of its work if the call asks for it.
    ///
    /// # Errors
    ///
    /// Returns the failures of the method `input`, and `timeout` if the work does not end in time or the call is cancelled. The
    /// work goes on then.
    fn send(&self, call: &SendCall, watch: &dyn Watch) -> Result<Sent, Failure>;

    /// Returns frames of an agent, which need not run.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` if no frames of the agent exist.
    fn read(&self, call: &ReadCall) -> Result<TailValue, Failure>;

    /// Asks an agent to end its current work, and returns the item; none if it is idle.
    ///
    /// # Errors
    ///
    /// Returns the failures of the method `cancel`.
    fn cancel(&self, agent: &str) -> Result<Option<ItemId>, Failure>;
}

/// The client that waits for a call.
pub trait Watch {
    /// Returns whether the client has ended the call.
    fn is_cancelled(&self) -> bool;

    /// Reports what happens, as one line. The last report is repeated while nothing happens; a client that reads slowly
    /// misses some.
    fn report(&self, message: &str);
}

/// An input in the queue of an agent, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The item.
    pub qid: ItemId,
    /// What came of it, if it was waited for.
    pub answer: Option<Answer>,
}

/// The end of the work on an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Whether it succeeded.
    pub ok: bool,
    /// Why it ended.
    pub reason: Option<EndReason>,
    /// The text of the agent, at most [`crate::MAX_ANSWER_BYTES`].
    pub text: String,
    /// Whether the text was longer.
    pub is_truncated: bool,
}

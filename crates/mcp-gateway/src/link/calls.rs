//! What waits for answers of a gateway.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use minds_toolset::{ActionOutcome, CallClient, Code, ForeignAnswer, Refusal};

use super::relay::Relay;
use crate::documents::{GatewayState, ServerTools};

/// An answer to anything but a call.
pub(super) enum Reply {
    Outcome(ActionOutcome),
    State(Box<GatewayState>),
    Tools(Vec<ServerTools>),
}

/// What waits for an answer.
enum Waiting {
    Call {
        client: Arc<dyn CallClient>,
        /// Where this process makes the call itself; none if the process with the servers answers it.
        relay: Option<Arc<Relay>>,
    },
    Question(SyncSender<Result<Reply, Refusal>>),
}

/// Everything that waits for answers, by its number.
#[derive(Default)]
pub(super) struct Calls {
    waiting: BTreeMap<u64, Waiting>,
    last: u64,
}

impl Calls {
    pub(super) fn add_call(&mut self, client: Arc<dyn CallClient>, relay: Option<Arc<Relay>>) -> u64 {
        self.add(Waiting::Call { client, relay })
    }

    /// Records that the process with the servers answers a call; returns whether it is waited for.
    pub(super) fn leave_to_worker(&mut self, id: u64) -> bool {
        match self.waiting.get_mut(&id) {
            Some(Waiting::Call { relay, .. }) => {
                *relay = None;
                true
            }
            _ => false,
        }
    }

    pub(super) fn add_question(&mut self, reply: SyncSender<Result<Reply, Refusal>>) -> u64 {
        self.add(Waiting::Question(reply))
    }

    fn add(&mut self, waiting: Waiting) -> u64 {
        self.last += 1;
        self.waiting.insert(self.last, waiting);
        self.last
    }

    /// Forgets one; returns where it was made if it was waiting.
    pub(super) fn remove(&mut self, id: u64) -> Option<Place> {
        match self.waiting.remove(&id)? {
            Waiting::Call { relay: Some(relay), .. } => Some(Place::Relay(relay)),
            _ => Some(Place::Worker),
        }
    }

    /// Returns the client of a call that runs.
    pub(super) fn client(&self, id: u64) -> Option<Arc<dyn CallClient>> {
        match self.waiting.get(&id)? {
            Waiting::Call { client, .. } => Some(Arc::clone(client)),
            Waiting::Question(_) => None,
        }
    }

    /// Takes what is to be done with an answer to a call, which is done without a lock.
    pub(super) fn answer(&mut self, id: u64, answer: ForeignAnswer) -> Option<Answer> {
        Some(match (self.waiting.remove(&id)?, answer) {
            (Waiting::Call { client, .. }, answer) => Answer::Call(client, answer),
            (Waiting::Question(reply), Err(refusal)) => Answer::Question(reply, Err(refusal)),
            (Waiting::Question(reply), Ok(_)) => Answer::Question(reply, Err(no_answer())),
        })
    }

    /// Takes what is to be done with another answer.
    pub(super) fn reply(&mut self, id: u64, reply: Reply) -> Option<Answer> {
        match self.waiting.remove(&id)? {
            Waiting::Question(sender) => Some(Answer::Question(sender, Ok(reply))),
            Waiting::Call { client, .. } => Some(Answer::Call(client, Err(no_answer()))),
        }
    }

    /// Takes everything that waits, because no answer will come.
    pub(super) fn refuse_all(&mut self, refusal: &Refusal) -> Vec<Answer> {
        let waiting = std::mem::take(&mut self.waiting);
        let refuse = |waiting| match waiting {
            Waiting::Call { client, .. } => Answer::Call(client, Err(refusal.clone())),
            Waiting::Question(reply) => Answer::Question(reply, Err(refusal.clone())),
        };
        waiting.into_values().map(refuse).collect()
    }
}

/// Where a call is made.
pub(super) enum Place {
    Worker,
    Relay(Arc<Relay>),
}

/// An answer for whom waits for it.
pub(super) enum Answer {
    Call(Arc<dyn CallClient>, ForeignAnswer),
    Question(SyncSender<Result<Reply, Refusal>>, Result<Reply, Refusal>),
}

impl Answer {
    pub(super) fn give(self) {
        match self {
            Self::Call(client, answer) => client.answer(answer),
            Self::Question(reply, answer) => {
                // The one who asked may have stopped waiting.
                let _ = reply.try_send(answer);
            }
        }
    }
}

/// Returns the refusal for an answer that does not come.
pub(super) fn no_answer() -> Refusal {
    Refusal::new(Code::ServerUnavailable, "the gateway does not answer").next("call again")
}

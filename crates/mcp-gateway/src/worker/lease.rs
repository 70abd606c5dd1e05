//! The connections that conversations use.

use std::sync::Arc;

use minds_toolset::{Code, Refusal};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::refusal;
use super::slot::{Good, Slot, Starting};
use super::start::{Begin, Present};
use super::tracked::{InFlight, Tracked};

/// The key of a connection that all conversations share.
pub(super) const SHARED: &str = "";

/// The connection of a conversation.
pub(super) enum Lease {
    /// It is being opened; all calls wait for the same attempt.
    Connecting(Connecting),
    /// It is open.
    Open(Arc<Tracked>),
}

/// An attempt to open a connection.
pub(super) struct Connecting {
    number: u64,
    result: watch::Receiver<Option<Result<(), Refusal>>>,
    sender: watch::Sender<Option<Result<(), Refusal>>>,
    task: AbortHandle,
}

/// What a call waits for.
enum Wait {
    /// The connection of the conversation.
    Lease(watch::Receiver<Option<Result<(), Refusal>>>),
    /// The start of the server, whose connection the first conversation uses.
    Start(watch::Receiver<u64>),
}

impl Lease {
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    pub(super) fn is_of(&self, tracked: &Arc<Tracked>) -> bool {
        self.connection().is_some_and(|open| Arc::ptr_eq(open, tracked))
    }

    pub(super) fn connection(&self) -> Option<&Arc<Tracked>> {
        match self {
            Self::Open(tracked) => Some(tracked),
            Self::Connecting(_) => None,
        }
    }

    /// Returns the open connection. An attempt is cancelled, and so are the calls that wait for it.
    pub(super) fn into_connection(self) -> Option<Arc<Tracked>> {
        match self {
            Self::Open(tracked) => Some(tracked),
            Self::Connecting(connecting) => {
                connecting.task.abort();
                let message = "the connection to the server was released before it was open";
                connecting.sender.send_replace(Some(Err(Refusal::new(Code::Cancelled, message))));
                None
            }
        }
    }
}

impl Slot {
    /// Returns the connection of a conversation, and opens it first if necessary.
    ///
    /// # Errors
    ///
    /// Refuses the call if the server does not run.
    pub(super) async fn acquire(self: &Arc<Self>, conversation: &str) -> Result<InFlight, Refusal> {
        loop {
            let wait = match self.find_or_open(conversation)? {
                Ok(in_flight) => return Ok(in_flight),
                Err(wait) => wait,
            };
            match wait {
                Wait::Lease(mut result) => {
                    let result = result.wait_for(Option::is_some).await.map(|result| result.clone());
                    if let Ok(Some(Err(refusal))) = result {
                        return Err(refusal);
                    }
                }
                Wait::Start(mut outcomes) => {
                    // The sender lives as long as the server.
                    let _ = outcomes.changed().await;
                    let state = self.state();
                    let is_waiting = state.starting.as_ref().is_some_and(|starting| !starting.is_connecting);
                    if let Some(reason) = state.last_error.as_ref().filter(|_| is_waiting) {
                        return Err(refusal::unavailable(&self.id, reason));
                    }
                }
            }
        }
    }

    fn find_or_open(self: &Arc<Self>, conversation: &str) -> Result<Result<InFlight, Wait>, Refusal> {
        let mut state = self.state();
        let Some(good) = state.good.clone() else {
            // The caller knows it from a gateway before this one.
            if state.starting.as_ref().is_some_and(|starting| starting.is_connecting) {
                return Ok(Err(Wait::Start(self.outcomes.subscribe())));
            }
            let reason = state.last_error.as_deref().unwrap_or("it was stopped");
            return Err(refusal::unavailable(&self.id, reason));
        };
        let key = if good.is_shared { SHARED } else { conversation };
        match state.leases.get(key) {
            Some(Lease::Open(tracked)) => return Ok(Ok(tracked.begin_call())),
            Some(Lease::Connecting(connecting)) => return Ok(Err(Wait::Lease(connecting.result.clone()))),
            None => {}
        }
        if let Some(spare) = state.spare.take() {
            let in_flight = spare.begin_call();
            state.leases.insert(key.to_owned(), Lease::Open(spare));
            return Ok(Ok(in_flight));
        }
        let is_starting = state
            .starting
            .as_ref()
            .is_some_and(|starting| starting.is_connecting && starting.fingerprint == good.fingerprint);
        if is_starting {
            return Ok(Err(Wait::Start(self.outcomes.subscribe())));
        }
        let Some(server_set) = self.server_set.upgrade() else {
            return Err(refusal::unavailable(&self.id, "the gateway ends"));
        };
        let (sender, result) = watch::channel(None);
        state.starts += 1;
        let number = state.starts;
        let task = server_set.runtime.spawn(connect(Arc::clone(self), good, key.to_owned(), number));
        let wait = result.clone();
        let connecting = Connecting { number, result, sender, task: task.abort_handle() };
        state.leases.insert(key.to_owned(), Lease::Connecting(connecting));
        Ok(Err(Wait::Lease(wait)))
    }

    /// Returns whether all conversations share one connection.
    pub(super) fn is_shared(&self) -> bool {
        self.state().good.as_ref().is_some_and(|good| good.is_shared)
    }

    /// Ends the connection of a conversation after its calls; returns whether there was one. A shared connection stays.
    pub(super) fn release(self: &Arc<Self>, conversation: &str) -> bool {
        if conversation == SHARED {
            return false;
        }
        let lease = self.state().leases.remove(conversation);
        let was_leased = lease.is_some();
        if let Some(tracked) = lease.and_then(Lease::into_connection) {
            self.drain(tracked);
        }
        was_leased
    }

    /// Records a failure to connect, after which the server is started again until it works.
    pub(super) fn restart_after(self: &Arc<Self>, reason: &str) {
        let good = {
            let mut state = self.state();
            let is_starting = state.starting.is_some();
            let good = state.good.clone().filter(|_| !is_starting);
            if good.is_some() {
                let now = minds_process::now();
                state.backoff.fail(now);
                state.last_error = Some(reason.to_owned());
                state.since = now;
            }
            good
        };
        if let Some(good) = good {
            self.start(good.server, Begin::AfterPause, Present::Kept);
        }
    }
}

async fn connect(slot: Arc<Slot>, good: Good, key: String, number: u64) {
    let opened = slot.open(&good.server).await.map(Tracked::new);
    let is_ours =
        |lease: &Lease| matches!(lease, Lease::Connecting(connecting) if connecting.number == number);
    let mut state = slot.state();
    // A connection that no call waits for ends with its value.
    let Some(lease) = state.leases.get_mut(&key).filter(|lease| is_ours(lease)) else { return };
    match opened {
        Ok(tracked) => {
            let before = std::mem::replace(lease, Lease::Open(Arc::clone(&tracked)));
            // A start that waits for its next attempt is not needed anymore.
            let fingerprint = good.fingerprint;
            let waiting =
                |starting: &mut Starting| starting.fingerprint == fingerprint && !starting.is_connecting;
            let waiting = state.starting.take_if(waiting);
            drop(state);
            slot.watch(&tracked);
            if let Some(starting) = waiting {
                starting.task.abort();
                slot.record_recovery(&tracked);
            } else if good.is_from_memory && slot.is_built_in() {
                // Another version of the program may be installed than that with the remembered tools.
                slot.list(&tracked);
            }
            if let Lease::Connecting(connecting) = before {
                connecting.sender.send_replace(Some(Ok(())));
            }
        }
        Err(reason) => {
            let before = state.leases.remove(&key);
            drop(state);
            slot.restart_after(&reason);
            if let Some(Lease::Connecting(connecting)) = before {
                connecting.sender.send_replace(Some(Err(refusal::unavailable(&slot.id, &reason))));
            }
        }
    }
}

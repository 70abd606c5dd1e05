//! What the two threads of an agent share: one answers clients, the other performs the items of the queue.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minds_fleet_protocol::{
    AgentId, AgentState, Caller, Confirmation, ContextBudget, Event, Failure, ItemId, StateChange,
};
use minds_fleet_store::AgentStore;

use crate::clock::now;
use crate::config::AgentConfig;
use crate::metrics::Metrics;
use crate::tail::Tail;

/// The state of a running agent.
pub(crate) struct Shared {
    pub(crate) id: AgentId,
    store: Mutex<AgentStore>,
    tail: Mutex<Tail>,
    status: Mutex<Status>,
    commands: Mutex<VecDeque<Command>>,
    commanded: Condvar,
    /// Whether no other process can have taken the place of this one.
    has_place: AtomicBool,
    pub(crate) metrics: Metrics,
}

/// What clients see of an agent.
pub(crate) struct Status {
    pub(crate) state: AgentState,
    /// The item at work.
    pub(crate) current: Option<ItemId>,
    pub(crate) context: ContextBudget,
    pub(crate) model: Option<String>,
    pub(crate) last_error: Option<String>,
    /// The confirmation that the worker waits for.
    pub(crate) confirmation: Option<Confirmation>,
    /// Items that are done, whose requests need not be remembered for them.
    pub(crate) done: Vec<ItemId>,
}

/// What the worker is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Look for what has changed.
    Look,
    /// End the work on an item.
    Stop { item: ItemId, is_hard: bool },
    /// End.
    ShutDown { is_hard: bool },
}

impl Shared {
    pub(crate) fn new(config: &AgentConfig, store: AgentStore, tail: Tail, metrics: Metrics) -> Self {
        let status = Status {
            state: AgentState::Registered,
            current: None,
            context: ContextBudget {
                tokens: 0,
                window: config.model.as_ref().map_or(0, |model| model.window),
            },
            model: config.model_id(),
            last_error: None,
            confirmation: None,
            done: Vec::new(),
        };
        Self {
            id: config.id.clone(),
            store: Mutex::new(store),
            tail: Mutex::new(tail),
            status: Mutex::new(status),
            commands: Mutex::default(),
            commanded: Condvar::new(),
            has_place: AtomicBool::new(true),
            metrics,
        }
    }

    pub(crate) fn store(&self) -> MutexGuard<'_, AgentStore> {
        lock(&self.store)
    }

    pub(crate) fn tail(&self) -> MutexGuard<'_, Tail> {
        lock(&self.tail)
    }

    pub(crate) fn status(&self) -> MutexGuard<'_, Status> {
        lock(&self.status)
    }

    /// Notes whether no other process can have taken the place of this one.
    pub(crate) fn note_place(&self, has_place: bool) {
        if self.has_place.swap(has_place, Ordering::SeqCst) != has_place {
            self.command(Command::Look);
        }
    }

    /// Returns whether no other process can have taken the place of this one.
    pub(crate) fn has_place(&self) -> bool {
        self.has_place.load(Ordering::SeqCst)
    }

    /// Asks the worker for something.
    pub(crate) fn command(&self, command: Command) {
        lock(&self.commands).push_back(command);
        self.commanded.notify_all();
    }

    /// Returns the next command; none if none arrives within `wait`, and without a time only when there is one.
    pub(crate) fn next_command(&self, wait: Option<Duration>) -> Option<Command> {
        let commands = lock(&self.commands);
        let is_empty = |commands: &mut VecDeque<Command>| commands.is_empty();
        let mut commands = match wait {
            None => self.commanded.wait_while(commands, is_empty).unwrap_or_else(PoisonError::into_inner),
            Some(wait) => {
                let waited = self.commanded.wait_timeout_while(commands, wait, is_empty);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        commands.pop_front()
    }

    /// Publishes an event. If it cannot be stored, it is stored with a later one.
    pub(crate) fn report(&self, event: Event) {
        // In a `let` of its own: the lock of the tail, which `note_error` takes too, must end first.
        let reported = self.tail().report(event, now());
        if let Err(failure) = reported {
            self.note_error(&failure);
        }
    }

    /// Ends the waiting of the thread for requests, which publishes what has changed.
    pub(crate) fn wake(&self) {
        self.tail().wake();
    }

    /// Keeps the last error for the status, as one line without secrets.
    pub(crate) fn note_error(&self, failure: &Failure) {
        let line = failure.message.replace(['\n', '\r'], " ");
        let line = self.tail().redactor().redact(&line).into_owned();
        self.status().last_error = Some(line);
    }

    /// Changes the state, and publishes it.
    pub(crate) fn set_state(&self, state: AgentState) {
        let change = {
            let mut status = self.status();
            if status.state == state || status.state == AgentState::Shutdown {
                return;
            }
            status.state = state;
            let ContextBudget { tokens, .. } = status.context;
            StateChange { state, ctx_pct: status.context.part(), tokens_in_ctx: tokens }
        };
        self.report(Event::new(change));
        self.wake();
    }

    /// Stops the work on the current item, and returns the item; none if there is none. An open confirmation is answered with
    /// no.
    pub(crate) fn stop_current(&self, is_hard: bool, by: Option<Caller>) -> Option<ItemId> {
        let (item, done) = {
            let mut status = self.status();
            let item = status.current.clone()?;
            let open = status.confirmation.as_mut().zip(by);
            (item, open.and_then(|(confirmation, by)| confirmation.interrupt(by)))
        };
        if let Some(done) = done {
            self.report(Event::new(done));
        }
        self.command(Command::Stop { item: item.clone(), is_hard });
        Some(item)
    }

    /// Begins to end the agent: no further request is performed.
    pub(crate) fn shut_down(&self, is_hard: bool) {
        self.set_state(AgentState::Shutdown);
        self.command(Command::ShutDown { is_hard });
        self.wake();
    }
}

/// Locks a value that no panic can leave inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

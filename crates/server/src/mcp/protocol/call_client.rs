//! The client of a call of a tool of a server, as the source of the tool sees it, and the call as the session sees it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minds_toolset::{CallClient, ForeignAnswer, RunningCall};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::held_calls::Hold;

/// The maximum number of notifications and questions of a call that wait; further notifications are left out, and further
/// questions are declined.
const MAX_WAITING: usize = 64;

/// A question of a server to the user.
pub(super) struct Question {
    pub(super) params: Map<String, Value>,
    pub(super) reply: Box<dyn FnOnce(Map<String, Value>) + Send>,
}

/// What happens in a call before its answer.
pub(super) enum Event {
    Progress(Map<String, Value>),
    Question(Question),
}

/// The ends of the channels of a call that belong to the session.
pub(super) struct Channels {
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) answer: oneshot::Receiver<ForeignAnswer>,
    pub(super) guard: CallGuard,
}

/// Receives what happens in a call, on any thread.
pub(super) struct Client {
    events: mpsc::Sender<Event>,
    answer: Mutex<Option<oneshot::Sender<ForeignAnswer>>>,
    /// Where the request is kept until the session needs it.
    hold: Option<Hold>,
}

impl Client {
    /// Returns the client of a call that is about to start, and what the session needs of the call.
    pub(super) fn new(hold: Option<Hold>) -> (Self, Channels) {
        let (event, events) = mpsc::channel(MAX_WAITING);
        let (sender, answer) = oneshot::channel();
        let client = Self { events: event, answer: Mutex::new(Some(sender)), hold };
        (client, Channels { events, answer, guard: CallGuard::default() })
    }

    fn give(&self, answer: ForeignAnswer) {
        let sender = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A call that was cancelled has no receiver.
        let _ = sender.map(|sender| sender.send(answer));
    }
}

impl CallClient for Client {
    fn progress(&self, progress: Map<String, Value>) {
        match &self.hold {
            // The session would not pass it on either.
            Some(hold) if !hold.wants_progress() => return,
            Some(hold) => hold.hand_over(),
            None => {}
        }
        let _ = self.events.try_send(Event::Progress(progress));
    }

    fn elicit(&self, params: Map<String, Value>, reply: Box<dyn FnOnce(Map<String, Value>) + Send>) {
        if let Some(hold) = &self.hold {
            hold.hand_over();
        }
        let sent = self.events.try_send(Event::Question(Question { params, reply }));
        if let Err(mpsc::error::TrySendError::Full(Event::Question(question))) = sent {
            (question.reply)(action("decline"));
        }
    }

    fn answer(&self, answer: ForeignAnswer) {
        let held = self.hold.as_ref().and_then(Hold::take);
        let answer = match (&held, answer) {
            (Some(held), Ok(result)) => match held.reply(result) {
                Ok(()) => return,
                Err(result) => Ok(result),
            },
            (_, answer) => answer,
        };
        self.give(answer);
        if let Some(held) = held {
            held.hand_over();
        }
    }
}

/// Returns an answer to a question without content.
pub(super) fn action(action: &str) -> Map<String, Value> {
    Map::from_iter([("action".to_owned(), action.into())])
}

/// Cancels a call unless it has ended, also if the session ends while it runs.
#[derive(Default)]
pub(super) struct CallGuard(Arc<Mutex<CallState>>);

#[derive(Default)]
enum CallState {
    /// The source has not returned the call yet.
    #[default]
    Starting,
    Running(Box<dyn RunningCall>),
    Cancelled,
    Ended,
}

/// Where a call is recorded once the source has returned it.
pub(super) struct CallSlot(Arc<Mutex<CallState>>);

impl CallGuard {
    pub(super) fn slot(&self) -> CallSlot {
        CallSlot(Arc::clone(&self.0))
    }

    /// Records that the call has ended, so that it is not cancelled.
    pub(super) fn end(&self) {
        *lock(&self.0) = CallState::Ended;
    }
}

impl CallSlot {
    /// Records the call. If it was cancelled before, it is cancelled now.
    pub(super) fn record(self, call: Box<dyn RunningCall>) {
        let mut state = lock(&self.0);
        match &*state {
            CallState::Starting => *state = CallState::Running(call),
            CallState::Cancelled => {
                drop(state);
                call.cancel();
            }
            CallState::Running(_) | CallState::Ended => {}
        }
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        if matches!(*state, CallState::Ended) {
            return;
        }
        let before = std::mem::replace(&mut *state, CallState::Cancelled);
        drop(state);
        if let CallState::Running(call) = before {
            call.cancel();
        }
    }
}

fn lock(state: &Mutex<CallState>) -> MutexGuard<'_, CallState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Call(Arc<AtomicUsize>);

    impl RunningCall for Call {
        fn cancel(self: Box<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The reading thread may be interrupted between the start of a call and its record.
    #[test]
    fn a_call_is_cancelled_once_unless_it_has_ended() {
        let count = Arc::new(AtomicUsize::new(0));
        let call = || Box::new(Call(Arc::clone(&count)));
        let guard = CallGuard::default();
        guard.slot().record(call());
        drop(guard);
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let guard = CallGuard::default();
        let slot = guard.slot();
        drop(guard);
        slot.record(call());
        assert_eq!(count.load(Ordering::SeqCst), 2);
        let guard = CallGuard::default();
        let slot = guard.slot();
        guard.end();
        slot.record(call());
        drop(guard);
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }
}

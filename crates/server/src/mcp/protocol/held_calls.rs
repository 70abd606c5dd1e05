//! Calls that have begun, and that the session has not seen.
//!
//! The thread that reads requests begins a call of a tool of a server, and keeps the request. A short answer is written by the
//! thread that receives it, and the session never sees the call, because waking its thread takes longer than writing. Anything
//! else hands the request over to the session with the call: progress, a question, a refusal, a long answer, an output that is
//! not ready, a cancellation, the end of stdin. From then on the session does everything.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minds_toolset::{ForeignCall, ToolSource};
use serde_json::{Map, Value};
use tokio::sync::mpsc::{OwnedPermit, Sender};

use super::call_client::Client;
use super::direct_reply;
use super::early::Started;
use super::foreign::Running;
use super::output::Lines;
use super::stdio::Incoming;

/// The maximum number of calls that are kept; the session has further ones from the beginning. The queue of the session has as
/// many places for them, so that handing a request over never waits.
pub(super) const MAX_HELD: usize = 64;

/// The calls that the session has not seen.
#[derive(Clone)]
pub(super) struct HeldCalls(Arc<State>);

struct State {
    lines: Lines,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    held: BTreeMap<u64, HeldCall>,
    last: u64,
}

/// A call that the session has not seen.
pub(super) struct HeldCall {
    lines: Lines,
    id: Value,
    message: Value,
    running: Running,
    /// A place in the queue of the session.
    permit: OwnedPermit<Incoming>,
}

/// A request whose call may be kept.
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) message: Value,
    /// Whether the client asked for progress.
    pub(super) wants_progress: bool,
}

impl HeldCalls {
    pub(super) fn new(lines: Lines) -> Self {
        Self(Arc::new(State { lines, calls: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a call, and keeps its request.
    ///
    /// # Errors
    ///
    /// Returns the request and the call if the session has to have the request from the beginning.
    pub(super) fn start(
        &self,
        source: &dyn ToolSource,
        call: ForeignCall,
        request: Request,
        session: &Sender<Incoming>,
    ) -> Result<(), Box<(Request, ForeignCall)>> {
        let mut calls = self.lock();
        let has_place = calls.held.len() < MAX_HELD;
        let permit = if has_place { session.clone().try_reserve_owned().ok() } else { None };
        let Some(permit) = permit else { return Err(Box::new((request, call))) };
        calls.last += 1;
        let number = calls.last;
        let Request { id, message, wants_progress } = request;
        let (client, channels) = Client::new(Some(Hold { calls: self.clone(), number, wants_progress }));
        let slot = channels.guard.slot();
        let running = Running::new(&call.tool.name, channels);
        // The answer can arrive before the source returns the call.
        calls.held.insert(number, HeldCall { lines: self.0.lines.clone(), id, message, running, permit });
        drop(calls);
        slot.record(source.call(call, Arc::new(client)));
        Ok(())
    }

    /// Hands the calls of a request over; returns whether there is one.
    pub(super) fn hand_over(&self, id: &Value) -> bool {
        self.hand_over_where(|call| call.id == *id)
    }

    /// Hands all calls over.
    pub(super) fn hand_over_all(&self) {
        self.hand_over_where(|_| true);
    }

    fn hand_over_where(&self, is_wanted: impl Fn(&HeldCall) -> bool) -> bool {
        let calls: Vec<HeldCall> =
            self.lock().held.extract_if(.., |_, call| is_wanted(call)).map(|(_, call)| call).collect();
        let is_any = !calls.is_empty();
        calls.into_iter().for_each(HeldCall::hand_over);
        is_any
    }
}

impl HeldCall {
    /// Writes the reply.
    ///
    /// # Errors
    ///
    /// Returns the result if it is long, or stdout is not ready.
    pub(super) fn reply(&self, result: Map<String, Value>) -> Result<(), Map<String, Value>> {
        direct_reply::write(&self.lines, &self.id, result)?;
        self.running.end();
        Ok(())
    }

    /// Gives the request to the session with the call.
    pub(super) fn hand_over(self) {
        // Without a session, the call is cancelled with its value.
        self.permit
            .send(Incoming::Call { message: self.message, started: Started::new(Ok(Ok(self.running))) });
    }
}

/// Where the client of a call finds the request.
pub(super) struct Hold {
    calls: HeldCalls,
    number: u64,
    wants_progress: bool,
}

impl Hold {
    pub(super) fn wants_progress(&self) -> bool {
        self.wants_progress
    }

    /// Takes the call out; none if the session has it.
    pub(super) fn take(&self) -> Option<HeldCall> {
        self.calls.lock().held.remove(&self.number)
    }

    /// Hands the call over to the session, unless that has it.
    pub(super) fn hand_over(&self) {
        if let Some(call) = self.take() {
            call.hand_over();
        }
    }
}

impl Drop for Hold {
    /// A call whose client is dropped has no answer, which the session says.
    fn drop(&mut self) {
        self.hand_over();
    }
}

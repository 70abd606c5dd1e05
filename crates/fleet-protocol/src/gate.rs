//! The order in which a client sends its requests.

use std::collections::VecDeque;
use std::time::Duration;

use minds_fleet::ErrorCode;

use crate::limits::MAX_WAITING_INPUTS;
use crate::methods::Method;
use crate::{Failure, Now, Request, RequestId};

/// Sends one `input` at a time; the next one follows after the answer or the timeout.
///
/// All other methods are sent at once: an interrupt must not wait for the input that it interrupts.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    in_flight: Option<InFlight>,
    waiting: VecDeque<Request>,
}

#[derive(Clone, Debug)]
struct InFlight {
    req_id: RequestId,
    deadline: Duration,
}

/// The answer of a gate to a new request.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Submission {
    /// Send it now.
    Send(Request),
    /// It waits until another input is answered.
    Wait,
    /// Too many inputs wait: `busy`.
    Refuse(Failure),
}

impl Gate {
    /// Adds a request.
    pub fn submit(&mut self, request: Request, now: Now) -> Submission {
        let is_limited = Method::parse(&request.method).is_ok_and(Method::is_limited);
        if !is_limited {
            return Submission::Send(request);
        }
        if self.in_flight.is_some() {
            if self.waiting.len() >= MAX_WAITING_INPUTS {
                let message = format!("{MAX_WAITING_INPUTS} inputs already wait for an answer");
                return Submission::Refuse(Failure::new(ErrorCode::Busy, message));
            }
            self.waiting.push_back(request);
            return Submission::Wait;
        }
        Submission::Send(self.begin(request, now))
    }

    /// Notes the answer to a request, and returns the next one to send.
    ///
    /// An answer to another request, for example one that arrives after its timeout, changes nothing.
    pub fn finish(&mut self, req_id: &RequestId, now: Now) -> Option<Request> {
        if self.in_flight.as_ref().is_none_or(|current| current.req_id != *req_id) {
            return None;
        }
        self.next(now)
    }

    /// Ends the request in flight if its timeout has passed; returns its id and the next request to send.
    pub fn poll(&mut self, now: Now) -> Option<(RequestId, Option<Request>)> {
        let expired = self.in_flight.take_if(|current| current.deadline <= now.clock)?;
        Some((expired.req_id, self.next(now)))
    }

    /// Returns when to call [`Gate::poll`], on the clock of [`Now`].
    pub fn deadline(&self) -> Option<Duration> {
        self.in_flight.as_ref().map(|current| current.deadline)
    }

    /// Returns the number of inputs that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self, now: Now) -> Option<Request> {
        self.in_flight = None;
        let request = self.waiting.pop_front()?;
        Some(self.begin(request, now))
    }

    /// The time of a request is the time at which it is sent: one that waited has not used its timeout yet.
    fn begin(&mut self, mut request: Request, now: Now) -> Request {
        request.ts = now.time;
        let timeout = Duration::from_secs_f64(request.timeout().as_seconds());
        let deadline = now.clock.saturating_add(timeout);
        self.in_flight = Some(InFlight { req_id: request.req_id.clone(), deadline });
        request
    }
}

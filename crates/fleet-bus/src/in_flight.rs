//! The requests of a client that have no result yet.

use std::collections::BTreeMap;
use std::time::Duration;

use minds_fleet_protocol::limits::DEFAULT_TIMEOUT_SECONDS;
use minds_fleet_protocol::{
    Caller, EnvelopeError, ErrorCode, Failure, Now, Outcome, Request, RequestId, Response,
};

use crate::{ClientEvent, OwnerToken};

/// The maximum number of requests of one connection that have no result yet.
pub const MAX_IN_FLIGHT: usize = 1_024;

/// Gives every request exactly one result.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    deadlines: BTreeMap<RequestId, Duration>,
    claim: Option<Duration>,
    epoch: u64,
}

impl InFlight {
    /// Adds a request.
    pub(crate) fn begin(&mut self, request: &Request, now: Now) -> Result<(), Failure> {
        if self.deadlines.contains_key(&request.req_id) {
            let message = format!("the request `{}` is in flight", request.req_id);
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        }
        if self.deadlines.len() >= MAX_IN_FLIGHT {
            let message = format!("{MAX_IN_FLIGHT} requests wait for a response");
            return Err(Failure::new(ErrorCode::Busy, message));
        }
        let timeout = Duration::from_secs_f64(request.timeout().as_seconds());
        self.deadlines.insert(request.req_id.clone(), now.clock.saturating_add(timeout));
        Ok(())
    }

    /// Adds a claim, which may wait for the end of a takeover.
    pub(crate) fn begin_claim(&mut self, now: Now) -> Result<(), Failure> {
        if self.claim.is_some() {
            return Err(Failure::new(ErrorCode::Busy, "another claim has no result yet"));
        }
        self.claim = Some(now.clock.saturating_add(Duration::from_secs_f64(DEFAULT_TIMEOUT_SECONDS)));
        Ok(())
    }

    /// Notes the epoch of the agent.
    pub(crate) fn note_epoch(&mut self, epoch: u64) {
        self.epoch = self.epoch.max(epoch);
    }

    /// Ends a request; none if the response is a duplicate, late, of another client, or of an earlier process.
    pub(crate) fn finish(&mut self, response: Response) -> Option<ClientEvent> {
        if let Some(epoch) = response.epoch {
            if epoch < self.epoch {
                return None;
            }
            self.epoch = epoch;
        }
        self.deadlines.remove(&response.req_id)?;
        Some(ClientEvent::Response(response))
    }

    /// Ends the claim; none if there is none.
    pub(crate) fn finish_claim(&mut self, result: Result<OwnerToken, Failure>) -> Option<ClientEvent> {
        self.claim.take()?;
        Some(ClientEvent::Claim(result))
    }

    /// Ends one request, or the claim, whose timeout has passed.
    pub(crate) fn expire(&mut self, now: Now) -> Option<ClientEvent> {
        let failure = || Failure::new(ErrorCode::Timeout, "the agent did not answer in time");
        if self.claim.take_if(|deadline| *deadline <= now.clock).is_some() {
            return Some(ClientEvent::Claim(Err(failure())));
        }
        let expired = self.deadlines.iter().find(|(_, deadline)| **deadline <= now.clock);
        let req_id = expired.map(|(req_id, _)| req_id.clone())?;
        self.deadlines.remove(&req_id);
        Some(fail(req_id, failure()))
    }

    /// Ends one request, or the claim, because the connection has ended; none after the last one.
    pub(crate) fn disconnect(&mut self) -> Option<ClientEvent> {
        self.fail(connection_ended)
    }

    /// Ends one request, or the claim, with a failure; none after the last one.
    pub(crate) fn fail(&mut self, failure: impl FnOnce() -> Failure) -> Option<ClientEvent> {
        if let Some((req_id, _)) = self.deadlines.pop_first() {
            return Some(fail(req_id, failure()));
        }
        self.claim.take().map(|_| ClientEvent::Claim(Err(failure())))
    }

    /// Forgets a request that was not sent.
    #[cfg(feature = "redis")]
    pub(crate) fn forget(&mut self, request: &RequestId) {
        self.deadlines.remove(request);
    }

    /// Forgets a claim that was not made.
    #[cfg(feature = "redis")]
    pub(crate) fn forget_claim(&mut self) {
        self.claim = None;
    }

    /// Returns the highest epoch that was seen.
    #[cfg(feature = "redis")]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns when to call [`InFlight::expire`].
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadlines.values().copied().chain(self.claim).min()
    }
}

/// Returns `agent.not_found` for a connection that has ended.
pub(crate) fn connection_ended() -> Failure {
    Failure::new(ErrorCode::AgentNotFound, "the connection to the agent has ended")
}

fn fail(req_id: RequestId, failure: Failure) -> ClientEvent {
    ClientEvent::Response(Response { req_id, outcome: Outcome::Failure(failure), epoch: None })
}

/// Encodes a request of a connection.
pub(crate) fn encode_request(request: &Request, caller: &Caller) -> Result<String, Failure> {
    if request.caller != *caller {
        let message = format!("the caller `{}` is not that of the connection, `{caller}`", request.caller);
        return Err(Failure::new(ErrorCode::ArgsInvalid, message));
    }
    request.encode().map_err(|error| Failure::new(error.code(), error.to_string()))
}

/// Encodes a response, or what replaces a response above the limit.
pub(crate) fn encode_response(response: &Response) -> Result<(Response, String), Failure> {
    let failed = |error: EnvelopeError| Failure::new(ErrorCode::HandlerError, error.to_string());
    match response.encode() {
        Ok(text) => Ok((response.clone(), text)),
        Err(error) => {
            let outcome = Outcome::Failure(Failure::new(error.code(), error.to_string()));
            let replacement = Response { outcome, ..response.clone() };
            let text = replacement.encode().map_err(failed)?;
            Ok((replacement, text))
        }
    }
}

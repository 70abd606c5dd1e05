//! Clients of transports that break one law each.

use std::collections::VecDeque;
use std::time::Duration;

use minds_fleet_bus::{ClaimCall, ClientEvent, ClientPort, OwnerToken};
use minds_fleet_protocol::{
    AgentId, Caller, ErrorCode, Failure, Now, Outcome, Request, Response, deny_ownership,
};

use super::{Defect, Shared};

pub(super) struct DefectiveClient {
    pub(super) inner: Box<dyn ClientPort>,
    pub(super) defect: Defect,
    pub(super) state: Shared,
    pub(super) number: u64,
    pub(super) agent: AgentId,
    pub(super) caller: Caller,
    pub(super) waiting: VecDeque<ClientEvent>,
    /// Whether the second step of a claim follows.
    pub(super) sets_owner: bool,
    pub(super) has_claim: bool,
}

impl ClientPort for DefectiveClient {
    fn send(&mut self, request: Request, now: Now) -> Result<(), Failure> {
        self.inner.send(request, now)
    }

    fn claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure> {
        self.has_claim = true;
        if self.defect != Defect::DeleteThenSet {
            return self.inner.claim(claim, now);
        }
        let mut state = self.state.lock().unwrap();
        let is_foreign = state.owners.get(&self.agent).is_some_and(|owner| *owner != self.caller);
        if is_foreign && !claim.is_takeover {
            self.waiting.push_back(ClientEvent::Claim(Err(deny_ownership(None))));
        } else {
            state.owners.remove(&self.agent);
            self.sets_owner = true;
        }
        Ok(())
    }

    fn release(&mut self, now: Now) -> Result<(), Failure> {
        let mut state = self.state.lock().unwrap();
        if self.defect == Defect::DeleteThenSet && state.owners.get(&self.agent) == Some(&self.caller) {
            state.owners.remove(&self.agent);
        }
        drop(state);
        self.inner.release(now)
    }

    fn receive(&mut self, mut now: Now, wait: Duration) -> Result<Option<ClientEvent>, Failure> {
        if std::mem::take(&mut self.sets_owner) {
            self.state.lock().unwrap().owners.insert(self.agent.clone(), self.caller.clone());
            return Ok(Some(ClientEvent::Claim(Ok(OwnerToken::new([0; 16])))));
        }
        if let Some(event) = self.waiting.pop_front() {
            return Ok(Some(event));
        }
        if self.defect == Defect::HastyTakeover && self.has_claim {
            now.clock += Duration::from_secs(2);
        }
        let Some(event) = self.inner.receive(now, wait)? else { return Ok(self.receive_foreign()) };
        self.has_claim &= !matches!(event, ClientEvent::Claim(_));
        match (self.defect, event) {
            (Defect::GrantsEveryClaim, ClientEvent::Claim(Err(_))) => {
                Ok(Some(ClientEvent::Claim(Ok(OwnerToken::new([0; 16])))))
            }
            (Defect::RepeatsResults, event @ ClientEvent::Response(_)) => {
                self.waiting.push_back(event.clone());
                Ok(Some(event))
            }
            (Defect::LosesTimeouts, ClientEvent::Response(response)) if is_timeout(&response) => {
                self.receive(now, wait)
            }
            (Defect::SharesResponses, ClientEvent::Response(response)) => {
                self.state.lock().unwrap().responses.push((self.number, response.clone()));
                Ok(Some(ClientEvent::Response(response)))
            }
            (Defect::MixesResponses, ClientEvent::Response(mut response)) => {
                let previous = self.state.lock().unwrap().outcome.replace(response.outcome.clone());
                response.outcome = previous.unwrap_or(response.outcome);
                Ok(Some(ClientEvent::Response(response)))
            }
            (_, event) => Ok(Some(event)),
        }
    }
}

impl DefectiveClient {
    /// Returns a response to another client.
    fn receive_foreign(&mut self) -> Option<ClientEvent> {
        let mut state = self.state.lock().unwrap();
        let foreign = state.responses.iter().position(|(number, _)| *number != self.number);
        foreign.map(|at| ClientEvent::Response(state.responses.remove(at).1))
    }
}

fn is_timeout(response: &Response) -> bool {
    matches!(&response.outcome, Outcome::Failure(failure) if failure.code() == Some(ErrorCode::Timeout))
}

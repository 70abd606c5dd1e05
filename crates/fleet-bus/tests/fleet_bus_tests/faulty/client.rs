//! The side of the client: requests that end its connection or the agent.

use std::collections::VecDeque;
use std::time::Duration;

use minds_fleet_bus::{ClaimCall, ClientEvent, ClientPort};
use minds_fleet_protocol::{AgentId, ErrorCode, Failure, Now, Outcome, Request, RequestId, Response};

use super::Shared;

pub(super) struct FaultyClient {
    /// None after a fault ended the connection.
    inner: Option<Box<dyn ClientPort>>,
    shared: Shared,
    agent: AgentId,
    /// The requests and claims without a result.
    open: Vec<Open>,
    /// What the client receives after the end of the connection.
    events: VecDeque<ClientEvent>,
}

#[derive(PartialEq, Eq)]
enum Open {
    Request(RequestId),
    Claim,
}

impl FaultyClient {
    pub(super) fn new(inner: Box<dyn ClientPort>, shared: Shared, agent: AgentId) -> Self {
        Self { inner: Some(inner), shared, agent, open: Vec::new(), events: VecDeque::new() }
    }

    fn inner(&mut self) -> Result<&mut dyn ClientPort, Failure> {
        match &mut self.inner {
            Some(inner) => Ok(inner.as_mut()),
            None => Err(ended()),
        }
    }

    /// Ends the connection. What had no result gets one.
    fn disconnect(&mut self) {
        self.inner = None;
        for open in self.open.drain(..) {
            self.events.push_back(match open {
                Open::Request(req_id) => ClientEvent::Response(Response {
                    req_id,
                    outcome: Outcome::Failure(ended()),
                    epoch: None,
                }),
                Open::Claim => ClientEvent::Claim(Err(ended())),
            });
        }
    }
}

fn ended() -> Failure {
    Failure::new(ErrorCode::AgentNotFound, "a fault ended the connection")
}

impl ClientPort for FaultyClient {
    fn send(&mut self, request: Request, now: Now) -> Result<(), Failure> {
        self.inner()?;
        let (ends_connection, ends_agent) = {
            let schedule = &mut self.shared.state().schedule;
            let faults = schedule.faults;
            (schedule.random.is_hit(faults.disconnect), schedule.random.is_hit(faults.restart))
        };
        let open = Open::Request(request.req_id.clone());
        if ends_connection {
            self.open.push(open);
            self.disconnect();
            return Ok(());
        }
        if ends_agent {
            self.shared.end(&self.agent);
        }
        self.inner()?.send(request, now)?;
        self.open.push(open);
        Ok(())
    }

    fn claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure> {
        self.inner()?.claim(claim, now)?;
        self.open.push(Open::Claim);
        Ok(())
    }

    fn release(&mut self, now: Now) -> Result<(), Failure> {
        self.inner()?.release(now)
    }

    fn receive(&mut self, now: Now, wait: Duration) -> Result<Option<ClientEvent>, Failure> {
        if self.inner.is_none() {
            return self.events.pop_front().map(Some).ok_or_else(ended);
        }
        let event = self.inner()?.receive(now, wait)?;
        let open = match &event {
            Some(ClientEvent::Response(response)) => Some(Open::Request(response.req_id.clone())),
            Some(ClientEvent::Claim(_)) => Some(Open::Claim),
            _ => None,
        };
        if let Some(at) = open.and_then(|open| self.open.iter().position(|one| *one == open)) {
            self.open.swap_remove(at);
        }
        Ok(event)
    }
}

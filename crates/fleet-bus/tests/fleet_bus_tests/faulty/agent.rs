//! The side of the agent: what happens to requests and responses on their way.

use std::time::Duration;

use minds_fleet_bus::memory::{Care, Transit};
use minds_fleet_bus::{AgentPort, Served, Ticket};
use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{AgentId, AgentInfo, ErrorCode, Failure, Now, Response};

use super::Shared;

pub(super) struct FaultyAgent {
    /// None after a fault ended the process.
    inner: Option<Box<dyn AgentPort>>,
    shared: Shared,
    id: AgentId,
    /// The number of this process.
    start: u64,
    epoch: u64,
    requests: Transit<(Ticket, Vec<u8>)>,
    responses: Transit<(Ticket, Response)>,
}

impl FaultyAgent {
    pub(super) fn new(inner: Box<dyn AgentPort>, shared: Shared, id: AgentId, start: u64) -> Self {
        let epoch = inner.epoch();
        let (requests, responses) = (Transit::default(), Transit::default());
        Self { inner: Some(inner), shared, id, start, epoch, requests, responses }
    }

    /// Returns the agent below, if no fault has ended the process.
    fn inner(&mut self) -> Result<&mut dyn AgentPort, Failure> {
        if self.shared.start_of(&self.id) != self.start {
            self.inner = None;
        }
        match &mut self.inner {
            Some(inner) => Ok(inner.as_mut()),
            None => Err(Failure::new(ErrorCode::AgentNotFound, "a fault ended the agent")),
        }
    }

    /// Sends the responses that have arrived.
    fn deliver(&mut self, now: Now) -> Result<(), Failure> {
        while let Some((ticket, response)) = self.responses.pop(now.clock) {
            self.inner()?.answer(ticket, response, now)?;
        }
        Ok(())
    }
}

impl AgentPort for FaultyAgent {
    fn epoch(&self) -> u64 {
        self.inner.as_ref().map_or(self.epoch, |inner| inner.epoch())
    }

    fn has_place(&self, now: Now) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.has_place(now))
    }

    fn update(&mut self, info: AgentInfo, now: Now) -> Result<(), Failure> {
        self.inner()?.update(info, now)
    }

    fn serve(&mut self, now: Now, wait: Duration) -> Result<Option<Served>, Failure> {
        self.deliver(now)?;
        loop {
            if let Some((ticket, message)) = self.requests.pop(now.clock) {
                return Ok(Some(Served::Message { ticket, message }));
            }
            match self.inner()?.serve(now, wait)? {
                Some(Served::Message { ticket, message }) => {
                    let arrivals = self.shared.state().schedule.arrivals(Care::Message, now.clock);
                    for arrival in arrivals {
                        self.requests.push(arrival, (ticket.clone(), message.clone()));
                    }
                }
                served => return Ok(served),
            }
        }
    }

    fn answer(&mut self, ticket: Ticket, response: Response, now: Now) -> Result<(), Failure> {
        self.inner()?;
        let arrivals = self.shared.state().schedule.arrivals(Care::Message, now.clock);
        for arrival in arrivals {
            self.responses.push(arrival, (ticket.clone(), response.clone()));
        }
        self.deliver(now)
    }

    fn owner(&mut self, ticket: &Ticket, now: Now) -> Result<Option<Owner>, Failure> {
        self.inner()?.owner(ticket, now)
    }

    fn leave(mut self: Box<Self>, now: Now) -> Result<(), Failure> {
        self.inner()?;
        match self.inner.take() {
            Some(inner) => inner.leave(now),
            None => Ok(()),
        }
    }
}

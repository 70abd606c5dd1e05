//! A fleet, a clock and a sequence of random numbers.

use std::time::Duration;

use minds_fleet_protocol::{
    AgentId, Caller, ErrorCode, Event, Failure, Json, Now, Outcome, OwnerChange, Presence, Request,
    RequestId, Response, Timestamp, Warning,
};

use super::{Fleet, Violation};
use crate::memory::Random;
use crate::{
    AgentPort, Announced, Bus, ClaimCall, ClientEvent, ClientPort, Follower, OwnerToken, Publisher, Served,
    Start, Ticket,
};

/// The time of day at the start of a run, in seconds since 1970.
const START: f64 = 1_790_000_000.0;
/// The most calls in which a port returns something; a port that returns more never ends.
const MAX_CALLS: usize = 100_000;

/// A run of a law.
pub(super) struct World<'f> {
    fleet: &'f dyn Fleet,
    clock: Duration,
    requests: u64,
    /// The random numbers of the run.
    pub(super) random: Random,
    /// Whether messages may be lost and agents may end.
    pub(super) has_faults: bool,
}

/// An agent that answers requests with what they contain.
pub(super) struct TestAgent {
    /// The messages that arrived, in their order.
    pub(super) received: Vec<Request>,
    /// The changes of the owner, in their order.
    pub(super) changes: Vec<OwnerChange>,
    port: Box<dyn AgentPort>,
    publisher: Box<dyn Publisher>,
}

/// Parses the id of an agent of the project `p`.
pub(super) fn id(name: &str) -> AgentId {
    AgentId::parse(&format!("p/{name}")).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Makes a caller.
pub(super) fn caller(number: usize) -> Caller {
    Caller::parse(&format!("console:s-{number:016x}")).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Returns the code of a failure.
pub(super) fn code<T>(result: Result<T, Failure>) -> Option<ErrorCode> {
    result.err().and_then(|failure| failure.code())
}

/// Returns the code of a response; none for a success.
pub(super) fn outcome_code(response: &Response) -> Option<ErrorCode> {
    match &response.outcome {
        Outcome::Success { .. } => None,
        Outcome::Failure(failure) => failure.code(),
    }
}

/// Makes an event with a message.
pub(super) fn warning(text: impl Into<String>) -> Event {
    Event::new(Warning { msg: text.into() })
}

impl<'f> World<'f> {
    /// Begins a run.
    pub(super) fn new(fleet: &'f dyn Fleet, seed: u64, has_faults: bool) -> Self {
        let random = Random::new(seed ^ 0x5eed);
        Self { fleet, clock: Duration::from_secs(100), requests: 0, random, has_faults }
    }

    /// Returns the transport.
    pub(super) fn bus(&self) -> &'f dyn Bus {
        self.fleet.bus()
    }

    /// Returns the time.
    pub(super) fn now(&self) -> Now {
        let time = Timestamp::from_seconds(START + self.clock.as_secs_f64());
        Now { clock: self.clock, time: time.unwrap_or_else(|| unreachable!("the clock is finite")) }
    }

    /// Moves the clock.
    pub(super) fn advance(&mut self, time: Duration) {
        self.clock += time;
        self.fleet.advance(time);
    }

    /// Starts an agent.
    pub(super) fn announce(&self, id: &AgentId) -> Result<TestAgent, Failure> {
        let Announced { agent: port, publisher } = self.bus().announce(self.fleet.info(id), self.now())?;
        Ok(TestAgent { received: Vec::new(), changes: Vec::new(), port, publisher })
    }

    /// Returns an entry with which an agent can be announced.
    pub(super) fn info(&self, id: &AgentId) -> minds_fleet_protocol::AgentInfo {
        self.fleet.info(id)
    }

    /// Connects a client.
    pub(super) fn connect(&self, agent: &AgentId, number: usize) -> Result<Box<dyn ClientPort>, Failure> {
        self.bus().connect(agent, &caller(number), self.now())
    }

    /// Follows the frames of an agent.
    pub(super) fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure> {
        self.bus().follow(agent, start)
    }

    /// Returns how an agent is listed; none if it is not.
    pub(super) fn presence(&self, agent: &AgentId) -> Result<Option<Presence>, Failure> {
        let listed = self.bus().list(self.now())?;
        Ok(listed.into_iter().find(|listed| listed.info.id == *agent).map(|listed| listed.presence))
    }

    /// Returns a random number below a limit.
    pub(super) fn pick(&mut self, limit: usize) -> usize {
        usize::try_from(self.random.number_below(limit as u64)).unwrap_or_default()
    }

    /// Makes a request with an id of its own.
    pub(super) fn request(&mut self, number: usize) -> Request {
        self.requests += 1;
        let text = format!("{}-{}", self.requests, self.random.number());
        self.request_with(number, &text)
    }

    /// Makes a request with an id of its own and a string as its parameter.
    pub(super) fn request_with(&mut self, number: usize, text: &str) -> Request {
        self.requests += 1;
        let params = serde_json::json!({ "text": text });
        Request {
            req_id: RequestId::new(self.requests),
            method: "model.use".to_owned(),
            params: Json::from_value(&params).unwrap_or_else(|error| unreachable!("{error}")),
            ts: self.now().time,
            caller: caller(number),
            timeout: None,
        }
    }

    /// Returns everything that has arrived at a client; at the end of the connection, everything until then.
    pub(super) fn receive(&self, client: &mut dyn ClientPort) -> Vec<ClientEvent> {
        let events = std::iter::from_fn(|| client.receive(self.now(), Duration::ZERO).ok().flatten());
        events.take(MAX_CALLS).collect()
    }

    /// Returns the responses among what has arrived.
    pub(super) fn responses(&self, client: &mut dyn ClientPort) -> Vec<Response> {
        let response = |event| match event {
            ClientEvent::Response(response) => Some(response),
            _ => None,
        };
        self.receive(client).into_iter().filter_map(response).collect()
    }

    /// Returns whether a connection has ended.
    pub(super) fn has_ended(&self, client: &mut dyn ClientPort) -> bool {
        self.receive(client);
        code(client.receive(self.now(), Duration::ZERO)) == Some(ErrorCode::AgentNotFound)
    }

    /// Claims an agent and returns the result, if there is one without waiting.
    pub(super) fn claim(
        &self,
        agent: &mut TestAgent,
        client: &mut dyn ClientPort,
        call: ClaimCall,
    ) -> Result<Option<Result<OwnerToken, Failure>>, Failure> {
        client.claim(call, self.now())?;
        agent.step(self)?;
        Ok(self.claim_result(client))
    }

    /// Returns the result of a claim among what has arrived.
    pub(super) fn claim_result(&self, client: &mut dyn ClientPort) -> Option<Result<OwnerToken, Failure>> {
        let result = |event| match event {
            ClientEvent::Claim(result) => Some(result),
            _ => None,
        };
        self.receive(client).into_iter().find_map(result)
    }

    /// Claims an agent without an owner.
    pub(super) fn own(
        &self,
        agent: &mut TestAgent,
        client: &mut dyn ClientPort,
    ) -> Result<OwnerToken, Violation> {
        match self.claim(agent, client, ClaimCall::default())? {
            Some(result) => Ok(result?),
            None => Err(Violation("a claim of an agent without an owner has no result".to_owned())),
        }
    }

    /// Returns whether a client is the owner, as the agent decides about its request.
    pub(super) fn is_owner(
        &mut self,
        agent: &mut TestAgent,
        client: &mut dyn ClientPort,
        number: usize,
    ) -> Result<bool, Failure> {
        let request = self.request(number);
        client.send(request, self.now())?;
        let mut is_owner = false;
        agent.serve(self, |port, ticket, request| {
            let owner = port.owner(&ticket, self.now())?;
            is_owner = owner.is_some_and(|owner| owner.caller == request.caller);
            port.answer(ticket, echo(request, port.epoch()), self.now())
        })?;
        self.receive(client);
        Ok(is_owner)
    }

    /// Reads all frames that exist.
    #[expect(clippy::unused_self, reason = "it reads like the other calls of a run")]
    pub(super) fn read(
        &self,
        follower: &mut dyn Follower,
    ) -> Result<Vec<minds_fleet_protocol::Frame>, Failure> {
        let mut frames = Vec::new();
        for _ in 0..MAX_CALLS {
            let next = follower.read(Duration::ZERO)?;
            if next.is_empty() {
                break;
            }
            frames.extend(next);
        }
        Ok(frames)
    }
}

impl TestAgent {
    /// Answers everything that has arrived with its content.
    pub(super) fn step(&mut self, world: &World<'_>) -> Result<(), Failure> {
        let now = world.now();
        self.serve(world, |port, ticket, request| port.answer(ticket, echo(request, port.epoch()), now))
    }

    /// Passes every message that has arrived to a function.
    pub(super) fn serve(
        &mut self,
        world: &World<'_>,
        mut handle: impl FnMut(&mut dyn AgentPort, Ticket, &Request) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for _ in 0..MAX_CALLS {
            match self.port.serve(world.now(), Duration::ZERO)? {
                None => return Ok(()),
                Some(Served::Owner(change)) => self.changes.push(change),
                Some(Served::Message { ticket, message }) => {
                    let invalid = |error| Failure::new(ErrorCode::ArgsInvalid, format!("{error}"));
                    let request = Request::decode(&message).map_err(invalid)?;
                    handle(self.port.as_mut(), ticket, &request)?;
                    self.received.push(request);
                }
            }
        }
        Err(Failure::new(ErrorCode::HandlerError, "the transport never stops to return messages"))
    }

    /// Publishes events.
    pub(super) fn publish(&mut self, world: &World<'_>, events: Vec<Event>) -> Result<u64, Failure> {
        self.publisher.publish(events, world.now())
    }

    /// Returns the port.
    pub(super) fn port(&mut self) -> &mut dyn AgentPort {
        self.port.as_mut()
    }

    /// Ends the agent.
    pub(super) fn leave(self, world: &World<'_>) -> Result<(), Failure> {
        drop(self.publisher);
        self.port.leave(world.now())
    }
}

/// Returns the response with the content of a request.
pub(super) fn echo(request: &Request, epoch: u64) -> Response {
    let value = serde_json::json!({ "caller": request.caller, "params": request.params });
    let value = Json::from_value(&value).unwrap_or_else(|error| unreachable!("{error}"));
    Response {
        req_id: request.req_id.clone(),
        outcome: Outcome::Success { value, ts: request.ts },
        epoch: Some(epoch),
    }
}

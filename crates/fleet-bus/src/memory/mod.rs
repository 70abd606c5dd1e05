//! A fleet in the memory of one process, with a clock that only the caller moves.

mod faults;
mod model;
mod transit;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minds_fleet_protocol::limits::MAX_TAIL_FRAMES;
use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    AgentId, AgentInfo, Bootstrap, BootstrapLifetime, Caller, ErrorCode, Event, Failure, Frame, Now,
    Presence, Request, Response,
};

pub use faults::{Faults, Random};
pub use transit::{Care, Schedule, Transit};

use crate::in_flight::{InFlight, connection_ended, encode_request, encode_response};
use crate::owners::Connection;
use crate::{
    AgentPort, Announced, BootstrapToken, Bus, ClaimCall, ClientEvent, ClientPort, Follower, Listed,
    Publisher, Served, Start, TailCursor, Ticket,
};
use model::{Agent, Model};

/// The model of a transport: deterministic, and with the faults that a seed decides.
///
/// No call waits: what is due at the time that the caller passes happens, and nothing else. Clones are one fleet.
#[derive(Clone, Debug)]
pub struct MemoryBus(Arc<Mutex<Model>>);

impl MemoryBus {
    /// Makes a fleet without agents.
    pub fn new(faults: Faults) -> Self {
        Self(Arc::new(Mutex::new(Model::new(faults))))
    }

    fn model(&self, now: Now) -> MutexGuard<'_, Model> {
        let mut model = self.lock();
        model.advance(now);
        model
    }

    fn lock(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for MemoryBus {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn announce(&self, info: AgentInfo, now: Now) -> Result<Announced, Failure> {
        let id = info.id.clone();
        let Some(epoch) = self.model(now).start(info) else {
            let message = format!("the agent `{id}` runs already");
            return Err(Failure::new(ErrorCode::DuplicateInstance, message));
        };
        let process = Process { bus: self.clone(), id, epoch };
        Ok(Announced { agent: Box::new(MemoryAgent(process.clone())), publisher: Box::new(process) })
    }

    fn list(&self, now: Now) -> Result<Vec<Listed>, Failure> {
        let model = self.model(now);
        let list = |agent: &Agent| Listed { info: agent.info.clone(), presence: agent.presence };
        Ok(model.agents.values().map(list).collect())
    }

    fn connect(&self, agent: &AgentId, caller: &Caller, now: Now) -> Result<Box<dyn ClientPort>, Failure> {
        let Some((connection, epoch)) = self.model(now).connect(agent, caller) else {
            return Err(not_found(agent));
        };
        let mut in_flight = InFlight::default();
        in_flight.note_epoch(epoch);
        let (id, caller) = (agent.clone(), caller.clone());
        let last = now;
        Ok(Box::new(MemoryClient { bus: self.clone(), id, caller, connection, in_flight, last }))
    }

    fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure> {
        let model = self.lock();
        let found = model.agents.get(agent).ok_or_else(|| not_found(agent))?;
        let cursor = TailCursor::new(start, found.next_offset);
        let pending = VecDeque::new();
        Ok(Box::new(MemoryFollower { bus: self.clone(), id: agent.clone(), cursor, pending }))
    }

    fn issue(
        &self,
        agent: &AgentId,
        lifetime: BootstrapLifetime,
        now: Now,
    ) -> Result<Option<BootstrapToken>, Failure> {
        let mut model = self.model(now);
        let token = BootstrapToken::new(model.schedule.random.bytes());
        let invalid = || Failure::new(ErrorCode::HandlerError, "the time is not valid");
        let bootstrap = Bootstrap::issue(agent.clone(), lifetime, now.time).ok_or_else(invalid)?;
        model.tokens.insert(token.clone(), bootstrap);
        Ok(Some(token))
    }

    fn revoke(&self, agent: &AgentId, now: Now) -> Result<Option<usize>, Failure> {
        let mut model = self.model(now);
        let tokens = model.tokens.values_mut().filter(|token| token.agent() == agent);
        Ok(Some(tokens.filter_map(|token| token.revoke(now.time).then_some(())).count()))
    }

    fn redeem(&self, agent: &AgentId, token: &BootstrapToken, now: Now) -> Result<(), Failure> {
        let mut model = self.model(now);
        let invalid = || Failure::new(ErrorCode::BootstrapInvalid, "the bootstrap token is not valid");
        model.tokens.get_mut(token).ok_or_else(invalid)?.redeem(agent, now.time)
    }
}

fn not_found(agent: &AgentId) -> Failure {
    Failure::new(ErrorCode::AgentNotFound, format!("the agent `{agent}` does not run"))
}

/// One process of an agent.
#[derive(Clone)]
struct Process {
    bus: MemoryBus,
    id: AgentId,
    epoch: u64,
}

impl Process {
    /// Uses the model, if this process still runs in it.
    fn with<T>(&self, now: Now, act: impl FnOnce(&mut Model) -> T) -> Result<T, Failure> {
        let mut model = self.bus.model(now);
        model.running(&self.id, self.epoch).ok_or_else(|| not_found(&self.id))?;
        Ok(act(&mut model))
    }
}

struct MemoryAgent(Process);

impl AgentPort for MemoryAgent {
    fn epoch(&self) -> u64 {
        self.0.epoch
    }

    fn has_place(&self, now: Now) -> bool {
        self.0.with(now, |_| ()).is_ok()
    }

    fn update(&mut self, info: AgentInfo, now: Now) -> Result<(), Failure> {
        let Process { id, epoch, .. } = &self.0;
        self.0.with(now, |model| {
            if let Some(agent) = model.running(id, *epoch) {
                agent.info = AgentInfo { id: id.clone(), epoch: *epoch, ..info };
            }
        })
    }

    fn serve(&mut self, now: Now, _: Duration) -> Result<Option<Served>, Failure> {
        let Process { id, epoch, .. } = &self.0;
        self.0.with(now, |model| {
            model.poll(id, now);
            let change = model.running(id, *epoch).and_then(|agent| agent.changes.pop_front());
            change
                .map(Served::Owner)
                .or_else(|| model.pop(id).map(|(ticket, message)| Served::Message { ticket, message }))
        })
    }

    fn answer(&mut self, ticket: Ticket, response: Response, now: Now) -> Result<(), Failure> {
        let (response, _) = encode_response(&response)?;
        self.0.with(now, |model| model.answer(&self.0.id, &ticket, &response))
    }

    fn owner(&mut self, ticket: &Ticket, now: Now) -> Result<Option<Owner>, Failure> {
        let Process { id, epoch, .. } = &self.0;
        self.0.with(now, |model| {
            model.poll(id, now);
            model.running(id, *epoch).and_then(|agent| agent.owner_for(ticket, now))
        })
    }

    fn leave(self: Box<Self>, now: Now) -> Result<(), Failure> {
        self.0.with(now, |model| model.end(&self.0.id, self.0.epoch, Presence::Left))
    }
}

impl Drop for MemoryAgent {
    fn drop(&mut self) {
        self.0.bus.lock().end(&self.0.id, self.0.epoch, Presence::Disconnected);
    }
}

impl Publisher for Process {
    fn publish(&mut self, events: Vec<Event>, now: Now) -> Result<u64, Failure> {
        self.with(now, |model| model.publish(&self.id, events, now))
    }

    fn wake(&self) {}
}

struct MemoryClient {
    bus: MemoryBus,
    id: AgentId,
    caller: Caller,
    connection: Connection,
    in_flight: InFlight,
    /// The time of the last call, which is that of the end of the connection if it is dropped.
    last: Now,
}

impl MemoryClient {
    fn model(&mut self, now: Now) -> Result<MutexGuard<'_, Model>, Failure> {
        self.last = now;
        let model = self.bus.model(now);
        if model.is_connected(&self.id, self.connection) { Ok(model) } else { Err(connection_ended()) }
    }
}

impl ClientPort for MemoryClient {
    fn send(&mut self, request: Request, now: Now) -> Result<(), Failure> {
        let text = encode_request(&request, &self.caller)?;
        drop(self.model(now)?);
        self.in_flight.begin(&request, now)?;
        let (id, connection) = (self.id.clone(), self.connection);
        self.model(now)?.send(&id, connection, text.as_bytes(), now);
        Ok(())
    }

    fn claim(&mut self, claim: ClaimCall, now: Now) -> Result<(), Failure> {
        drop(self.model(now)?);
        self.in_flight.begin_claim(now)?;
        let (id, connection) = (self.id.clone(), self.connection);
        self.model(now)?.claim(&id, connection, &claim, now);
        Ok(())
    }

    fn release(&mut self, now: Now) -> Result<(), Failure> {
        let (id, connection) = (self.id.clone(), self.connection);
        self.model(now)?.release(&id, connection, now);
        Ok(())
    }

    fn receive(&mut self, now: Now, _: Duration) -> Result<Option<ClientEvent>, Failure> {
        self.last = now;
        let bus = self.bus.clone();
        let mut model = bus.model(now);
        if !model.is_connected(&self.id, self.connection) {
            return self.in_flight.disconnect().map(Some).ok_or_else(connection_ended);
        }
        model.poll(&self.id, now);
        while let Some(event) = model.receive(&self.id, self.connection) {
            let event = match event {
                ClientEvent::Response(response) => self.in_flight.finish(response),
                ClientEvent::Claim(result) => self.in_flight.finish_claim(result),
                event => Some(event),
            };
            if event.is_some() {
                return Ok(event);
            }
        }
        Ok(self.in_flight.expire(now))
    }
}

impl Drop for MemoryClient {
    fn drop(&mut self) {
        self.bus.lock().disconnect(&self.id, self.connection, self.last);
    }
}

struct MemoryFollower {
    bus: MemoryBus,
    id: AgentId,
    cursor: TailCursor,
    /// Frames that did not fit into the last result.
    pending: VecDeque<Frame>,
}

impl Follower for MemoryFollower {
    fn read(&mut self, _: Duration) -> Result<Vec<Frame>, Failure> {
        let model = self.bus.lock();
        let mut frames: Vec<Frame> = self.pending.drain(..).collect();
        if let Some(agent) = model.agents.get(&self.id) {
            for frame in &agent.frames {
                if frames.len() >= MAX_TAIL_FRAMES {
                    break;
                }
                self.cursor.accept(frame.clone(), &mut frames);
            }
        }
        let surplus = frames.len().min(MAX_TAIL_FRAMES);
        self.pending.extend(frames.split_off(surplus));
        Ok(frames)
    }

    fn position(&self) -> u64 {
        self.pending.front().map_or(self.cursor.position(), |frame| frame.offset)
    }
}

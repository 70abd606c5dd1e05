//! The state of all agents and messages of a model.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use minds_fleet_protocol::limits::RING_FRAMES;
use minds_fleet_protocol::{
    AgentId, AgentInfo, Bootstrap, Caller, Event, Frame, Now, OwnerChange, Presence, Response,
};

use super::faults::Faults;
use super::transit::{Care, Schedule, Transit};
use crate::owners::{Connection, OwnerEffect, Owners};
use crate::{BootstrapToken, ClaimCall, ClientEvent, OwnerToken, Ticket};

/// All agents of a fleet, and the messages on their way.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) schedule: Schedule,
    pub(super) clock: Duration,
    pub(super) agents: BTreeMap<AgentId, Agent>,
    pub(super) tokens: BTreeMap<BootstrapToken, Bootstrap>,
    connections: Connection,
}

/// An agent, which runs or has run.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) info: AgentInfo,
    pub(super) presence: Presence,
    /// The epoch of the running process, or of the last one.
    pub(super) epoch: u64,
    pub(super) next_offset: u64,
    pub(super) frames: VecDeque<Frame>,
    pub(super) changes: VecDeque<OwnerChange>,
    owners: Owners,
    inbox: Transit<(Ticket, Vec<u8>)>,
    peers: BTreeMap<Connection, Peer>,
}

#[derive(Debug)]
struct Peer {
    caller: Caller,
    outbox: Transit<ClientEvent>,
    wake: Option<u64>,
}

impl Model {
    pub(super) fn new(faults: Faults) -> Self {
        Self {
            schedule: Schedule::new(faults),
            clock: Duration::ZERO,
            agents: BTreeMap::new(),
            tokens: BTreeMap::new(),
            connections: 0,
        }
    }

    /// Sets the clock, which never goes back.
    pub(super) fn advance(&mut self, now: Now) {
        self.clock = self.clock.max(now.clock);
    }

    /// Starts an agent; none if it runs.
    pub(super) fn start(&mut self, mut info: AgentInfo) -> Option<u64> {
        let (mut next_offset, mut frames, mut epoch) = (0, VecDeque::new(), 0);
        if let Some(previous) = self.agents.remove(&info.id) {
            if previous.presence == Presence::Alive {
                self.agents.insert(info.id, previous);
                return None;
            }
            (next_offset, frames, epoch) = (previous.next_offset, previous.frames, previous.epoch);
        }
        epoch += 1;
        info.epoch = epoch;
        let agent = Agent {
            info: info.clone(),
            presence: Presence::Alive,
            epoch,
            next_offset,
            frames,
            changes: VecDeque::new(),
            owners: Owners::default(),
            inbox: Transit::default(),
            peers: BTreeMap::new(),
        };
        self.agents.insert(info.id, agent);
        Some(epoch)
    }

    /// Ends a process, if it is the running one.
    pub(super) fn end(&mut self, id: &AgentId, epoch: u64, presence: Presence) {
        if let Some(agent) = self.running(id, epoch) {
            agent.presence = presence;
            agent.owners = Owners::default();
            agent.changes.clear();
            agent.inbox.clear();
            agent.peers.clear();
        }
    }

    /// Returns the agent, if the process with this epoch runs.
    pub(super) fn running(&mut self, id: &AgentId, epoch: u64) -> Option<&mut Agent> {
        let agent = self.agents.get_mut(id)?;
        (agent.presence == Presence::Alive && agent.epoch == epoch).then_some(agent)
    }

    /// Connects a client; none if the agent does not run.
    pub(super) fn connect(&mut self, id: &AgentId, caller: &Caller) -> Option<(Connection, u64)> {
        let agent = self.agents.get_mut(id).filter(|agent| agent.presence == Presence::Alive)?;
        self.connections += 1;
        let peer = Peer { caller: caller.clone(), outbox: Transit::default(), wake: None };
        agent.peers.insert(self.connections, peer);
        Some((self.connections, agent.epoch))
    }

    pub(super) fn is_connected(&self, id: &AgentId, connection: Connection) -> bool {
        self.agents.get(id).is_some_and(|agent| agent.peers.contains_key(&connection))
    }

    pub(super) fn disconnect(&mut self, id: &AgentId, connection: Connection, now: Now) {
        let Some(agent) = self.agents.get_mut(id) else { return };
        if agent.peers.remove(&connection).is_some() {
            let effects = agent.owners.disconnect(connection, now);
            self.apply(id, effects);
        }
    }

    /// Sends a message to an agent.
    pub(super) fn send(&mut self, id: &AgentId, connection: Connection, message: &[u8], now: Now) {
        let faults = self.schedule.faults;
        if self.schedule.random.is_hit(faults.disconnect) {
            return self.disconnect(id, connection, now);
        }
        let epoch = self.agents.get(id).map_or(0, |agent| agent.epoch);
        if self.schedule.random.is_hit(faults.restart) {
            return self.end(id, epoch, Presence::Disconnected);
        }
        for arrival in self.schedule.arrivals(Care::Message, self.clock) {
            if let Some(agent) = self.running(id, epoch) {
                let ticket = Ticket { connection, number: arrival.order };
                agent.inbox.push(arrival, (ticket, message.to_vec()));
            }
        }
    }

    /// Returns the next message of an agent.
    pub(super) fn pop(&mut self, id: &AgentId) -> Option<(Ticket, Vec<u8>)> {
        let clock = self.clock;
        let agent = self.agents.get_mut(id)?;
        loop {
            let (ticket, message) = agent.inbox.pop(clock)?;
            if agent.peers.contains_key(&ticket.connection) {
                return Some((ticket, message));
            }
        }
    }

    pub(super) fn answer(&mut self, id: &AgentId, ticket: &Ticket, response: &Response) {
        self.deliver(id, ticket.connection, &ClientEvent::Response(response.clone()), Care::Message);
    }

    /// Returns what arrives next at a client.
    pub(super) fn receive(&mut self, id: &AgentId, connection: Connection) -> Option<ClientEvent> {
        let clock = self.clock;
        let peer = self.agents.get_mut(id)?.peers.get_mut(&connection)?;
        peer.outbox.pop(clock).or_else(|| peer.wake.take().map(ClientEvent::Wake))
    }

    pub(super) fn claim(&mut self, id: &AgentId, connection: Connection, call: &ClaimCall, now: Now) {
        let token = OwnerToken::new(self.schedule.random.bytes());
        let Some(agent) = self.agents.get_mut(id) else { return };
        let Some(peer) = agent.peers.get(&connection) else { return };
        let effects = agent.owners.claim((connection, &peer.caller), call, token, now);
        self.apply(id, effects);
    }

    pub(super) fn release(&mut self, id: &AgentId, connection: Connection, now: Now) {
        let Some(agent) = self.agents.get_mut(id) else { return };
        let effects = agent.owners.release(connection, now);
        self.apply(id, effects);
    }

    /// Performs what has become due.
    pub(super) fn poll(&mut self, id: &AgentId, now: Now) {
        self.advance(now);
        let Some(agent) = self.agents.get_mut(id) else { return };
        let effects = agent.owners.poll(now);
        self.apply(id, effects);
    }

    pub(super) fn publish(&mut self, id: &AgentId, events: Vec<Event>, now: Now) -> u64 {
        let Some(agent) = self.agents.get_mut(id) else { return 0 };
        let first = agent.next_offset;
        for event in events {
            let (offset, epoch, ts) = (agent.next_offset, agent.epoch, now.time);
            agent.frames.push_back(Frame { offset, epoch, ts, event });
            agent.next_offset += 1;
        }
        let surplus = agent.frames.len().saturating_sub(RING_FRAMES);
        agent.frames.drain(..surplus);
        for peer in agent.peers.values_mut() {
            if !self.schedule.random.is_hit(self.schedule.faults.drop) {
                peer.wake = Some(agent.next_offset);
            }
        }
        first
    }

    fn apply(&mut self, id: &AgentId, effects: Vec<OwnerEffect>) {
        for effect in effects {
            match effect {
                OwnerEffect::Answer(connection, result) => {
                    self.deliver(id, connection, &ClientEvent::Claim(result), Care::Reliable);
                }
                OwnerEffect::Notify(connection, notice) => {
                    self.deliver(id, connection, &ClientEvent::Takeover(notice), Care::Notice);
                }
                OwnerEffect::Report(change) => {
                    if let Some(agent) = self.agents.get_mut(id) {
                        agent.changes.push_back(change);
                    }
                }
            }
        }
    }

    fn deliver(&mut self, id: &AgentId, connection: Connection, event: &ClientEvent, care: Care) {
        for arrival in self.schedule.arrivals(care, self.clock) {
            let agent = self.agents.get_mut(id);
            if let Some(peer) = agent.and_then(|agent| agent.peers.get_mut(&connection)) {
                peer.outbox.push(arrival, event.clone());
            }
        }
    }
}

impl Agent {
    pub(super) fn owner_for(
        &self,
        ticket: &Ticket,
        now: Now,
    ) -> Option<minds_fleet_protocol::methods::Owner> {
        let caller = self.peers.get(&ticket.connection).map(|peer| &peer.caller);
        self.owners.owner_for(ticket.connection, caller, now)
    }
}

//! Faults in front of any transport: messages are lost, delayed, repeated and reordered, connections and agents end.

mod agent;
mod client;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use minds_fleet_bus::conformance::{Fleet, Transport};
use minds_fleet_bus::memory::{Faults, Schedule};
use minds_fleet_bus::{Announced, BootstrapToken, Bus, ClientPort, Follower, Listed, Publisher, Start};
use minds_fleet_protocol::{AgentId, AgentInfo, BootstrapLifetime, Caller, Event, Failure, Now};

use agent::FaultyAgent;
use client::FaultyClient;

/// A transport with the faults of the model.
pub(crate) struct Faulty<T>(pub(crate) T);

impl<T: Transport> Transport for Faulty<T> {
    fn name(&self) -> String {
        format!("{} with faults", self.0.name())
    }

    fn open(&self, seed: u64) -> Box<dyn Fleet> {
        let inner = self.0.open(seed);
        let state = State { schedule: Schedule::new(Faults::usual(seed)), starts: BTreeMap::new() };
        // The fleet outlives its bus, which borrows from it for the length of one call only.
        Box::new(FaultyFleet { inner, shared: Shared(Arc::new(Mutex::new(state))) })
    }

    fn has_faults(&self) -> bool {
        true
    }
}

/// What decides about the faults of a run.
struct State {
    schedule: Schedule,
    /// The number of the process that each agent has; a process with another number has been ended.
    starts: BTreeMap<AgentId, u64>,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<State>>);

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Ends the process of an agent.
    fn end(&self, agent: &AgentId) {
        *self.state().starts.entry(agent.clone()).or_default() += 1;
    }

    fn start_of(&self, agent: &AgentId) -> u64 {
        self.state().starts.get(agent).copied().unwrap_or_default()
    }
}

struct FaultyFleet {
    inner: Box<dyn Fleet>,
    shared: Shared,
}

impl Fleet for FaultyFleet {
    fn bus(&self) -> &dyn Bus {
        self
    }

    fn info(&self, agent: &AgentId) -> AgentInfo {
        self.inner.info(agent)
    }

    fn advance(&self, time: Duration) {
        self.inner.advance(time);
    }
}

impl Bus for FaultyFleet {
    fn kind(&self) -> &'static str {
        self.inner.bus().kind()
    }

    fn announce(&self, info: AgentInfo, now: Now) -> Result<Announced, Failure> {
        let id = info.id.clone();
        let Announced { agent, publisher } = self.inner.bus().announce(info, now)?;
        let start = self.shared.start_of(&id);
        let agent = FaultyAgent::new(agent, self.shared.clone(), id, start);
        Ok(Announced { agent: Box::new(agent), publisher: Box::new(FaultyPublisher(publisher)) })
    }

    fn list(&self, now: Now) -> Result<Vec<Listed>, Failure> {
        self.inner.bus().list(now)
    }

    fn connect(&self, agent: &AgentId, caller: &Caller, now: Now) -> Result<Box<dyn ClientPort>, Failure> {
        let inner = self.inner.bus().connect(agent, caller, now)?;
        Ok(Box::new(FaultyClient::new(inner, self.shared.clone(), agent.clone())))
    }

    fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure> {
        self.inner.bus().follow(agent, start)
    }

    fn issue(
        &self,
        agent: &AgentId,
        lifetime: BootstrapLifetime,
        now: Now,
    ) -> Result<Option<BootstrapToken>, Failure> {
        self.inner.bus().issue(agent, lifetime, now)
    }

    fn revoke(&self, agent: &AgentId, now: Now) -> Result<Option<usize>, Failure> {
        self.inner.bus().revoke(agent, now)
    }

    fn redeem(&self, agent: &AgentId, token: &BootstrapToken, now: Now) -> Result<(), Failure> {
        self.inner.bus().redeem(agent, token, now)
    }
}

struct FaultyPublisher(Box<dyn Publisher>);

impl Publisher for FaultyPublisher {
    fn publish(&mut self, events: Vec<Event>, now: Now) -> Result<u64, Failure> {
        self.0.publish(events, now)
    }

    fn wake(&self) {
        self.0.wake();
    }
}

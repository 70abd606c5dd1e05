//! The laws on the model.

use minds_fleet_bus::conformance::{Fleet, Transport, check_all, laws};
use minds_fleet_bus::memory::Faults;
use minds_fleet_bus::{Bus, MemoryBus};
use minds_fleet_protocol::methods::QueueCounts;
use minds_fleet_protocol::{AgentId, AgentInfo, AgentState};

use crate::numbers::seeds;

/// The number of seeds for each law; `cargo xtask accept fleet-conformance` uses more.
const SEEDS: u64 = 40;

/// The model, with or without faults.
pub(crate) struct Memory(pub(crate) bool);

pub(crate) struct MemoryFleet(pub(crate) MemoryBus);

impl Transport for Memory {
    fn name(&self) -> String {
        if self.0 { "memory with faults" } else { "memory" }.to_owned()
    }

    fn open(&self, seed: u64) -> Box<dyn Fleet> {
        let faults = if self.0 { Faults::usual(seed) } else { Faults::none(seed) };
        Box::new(MemoryFleet(MemoryBus::new(faults)))
    }

    fn has_faults(&self) -> bool {
        self.0
    }
}

impl Fleet for MemoryFleet {
    fn bus(&self) -> &dyn Bus {
        &self.0
    }

    fn info(&self, agent: &AgentId) -> AgentInfo {
        info(agent)
    }
}

/// Returns the entry of a new agent.
pub(crate) fn info(agent: &AgentId) -> AgentInfo {
    AgentInfo {
        id: agent.clone(),
        name: agent.name().to_owned(),
        project: agent.project().to_owned(),
        model: Some("scripted".to_owned()),
        cwd: "/workspace".to_owned(),
        host: "laptop".to_owned(),
        pid: 4_242,
        started_at: "2026-09-21T13:33:20Z".to_owned(),
        state: AgentState::Registered,
        ctx_pct: 0.0,
        tools: vec!["fs.read".to_owned()],
        engine: "llm".to_owned(),
        epoch: 0,
        version: "0.1.0".to_owned(),
        sandbox: "full".to_owned(),
        queue: QueueCounts::default(),
        server_capabilities: vec!["tail.offsets".to_owned()],
        state_dir: None,
    }
}

#[test]
fn laws_have_unique_names_and_many_hold_with_faults() {
    let laws = laws();
    let mut names: Vec<&str> = laws.iter().map(|law| law.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), laws.len());
    assert!(laws.len() >= 40, "{}", laws.len());
    assert!(laws.iter().filter(|law| law.holds_with_faults).count() >= 10);
}

#[test]
fn the_model_keeps_every_law() {
    assert_eq!(check_all(&Memory(false), seeds(SEEDS)), []);
}

#[test]
fn the_model_keeps_its_laws_while_messages_are_lost_and_agents_end() {
    assert_eq!(check_all(&Memory(true), seeds(SEEDS * 5)), []);
}

#[test]
fn the_model_repeats_a_run_with_the_same_seed() {
    let law = laws().into_iter().find(|law| law.name == "most_requests_succeed").unwrap();
    for seed in 0..20 {
        assert_eq!(law.check(&Memory(true), seed), law.check(&Memory(true), seed));
    }
}

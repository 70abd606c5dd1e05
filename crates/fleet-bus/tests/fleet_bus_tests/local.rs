//! The laws on files and sockets.

use minds_fleet_bus::conformance::{Fleet, Transport, check_all};
use minds_fleet_bus::{Bus, LocalBus};
use minds_fleet_protocol::{AgentId, AgentInfo};
use tempfile::TempDir;

use crate::faulty::Faulty;
use crate::numbers::seeds;

/// The number of seeds for each law. A run creates folders, so it is slower than one on the model.
const SEEDS: u64 = 2;

pub(crate) struct Local;

/// A fleet in a folder of its own.
pub(crate) struct LocalFleet {
    pub(crate) bus: LocalBus,
    pub(crate) folder: TempDir,
}

impl LocalFleet {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Small segments, so that frames are removed within a test.
        let bus = LocalBus::at(folder.path().join("run"), "f").unwrap().with_segment_bytes(200_000);
        Self { bus, folder }
    }
}

impl Transport for Local {
    fn name(&self) -> String {
        "local".to_owned()
    }

    fn open(&self, _: u64) -> Box<dyn Fleet> {
        Box::new(LocalFleet::new())
    }
}

impl Fleet for LocalFleet {
    fn bus(&self) -> &dyn Bus {
        &self.bus
    }

    fn info(&self, agent: &AgentId) -> AgentInfo {
        let state = self.folder.path().join("state").join(agent.name());
        AgentInfo { state_dir: Some(state.to_str().unwrap().to_owned()), ..crate::memory::info(agent) }
    }
}

#[test]
fn the_local_bus_keeps_every_law() {
    assert_eq!(check_all(&Local, seeds(SEEDS)), []);
}

#[test]
fn the_local_bus_keeps_its_laws_while_messages_are_lost_and_agents_end() {
    assert_eq!(check_all(&Faulty(Local), seeds(SEEDS * 2)), []);
}

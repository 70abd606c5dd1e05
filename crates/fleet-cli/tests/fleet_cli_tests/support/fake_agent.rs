//! An agent of the tests, which answers what a test says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use minds_fleet_bus::{Announced, Bus as _, LocalBus, Served};
use minds_fleet_protocol::methods::QueueCounts;
use minds_fleet_protocol::{
    AgentId, AgentInfo, AgentState, ErrorCode, Event, Failure, Json, Now, Outcome, Request, Response,
    Timestamp,
};
use serde_json::Value;

use super::{FLEET, World};

/// What an agent of the tests does for a request.
pub(crate) type Answer = Result<(Value, Vec<Event>), ErrorCode>;

/// A running agent. It ends when this value is dropped.
pub(crate) struct FakeAgent {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeAgent {
    /// Starts an agent that answers every request with `answer`, and then reports the events that it returns.
    pub(crate) fn start(
        world: &World,
        id: &str,
        mut answer: impl FnMut(&str, &Value) -> Answer + Send + 'static,
    ) -> Self {
        let id = AgentId::parse(id).unwrap();
        let bus = LocalBus::at(world.home().join("run"), FLEET).unwrap();
        let state = world.home().join(format!("state-{}", id.name()));
        let info = describe(&id, state.to_str().unwrap());
        let start = Instant::now();
        let Announced { mut agent, mut publisher } = bus.announce(info, now(start)).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let serve = move || {
            while !is_stopped.load(Ordering::SeqCst) {
                let served = agent.serve(now(start), Duration::from_millis(20)).unwrap();
                let Some(Served::Message { ticket, message }) = served else { continue };
                let request = Request::decode(&message).unwrap();
                let params: Value = request.params.decode().unwrap();
                let (outcome, events) = match answer(&request.method, &params) {
                    Ok((value, events)) => {
                        let value = Json::from_value(&value).unwrap();
                        (Outcome::Success { value, ts: now(start).time }, events)
                    }
                    Err(code) => (Outcome::Failure(Failure::new(code, "the test says so")), Vec::new()),
                };
                let response = Response { req_id: request.req_id, outcome, epoch: Some(agent.epoch()) };
                agent.answer(ticket, response, now(start)).unwrap();
                if !events.is_empty() {
                    publisher.publish(events, now(start)).unwrap();
                }
            }
            agent.leave(now(start)).unwrap();
        };
        Self { stop, thread: Some(std::thread::spawn(serve)) }
    }
}

impl Drop for FakeAgent {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Returns the time.
pub(crate) fn now(start: Instant) -> Now {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Now { clock: start.elapsed(), time: Timestamp::from_seconds(time.as_secs_f64()).unwrap() }
}

fn describe(id: &AgentId, state_dir: &str) -> AgentInfo {
    AgentInfo {
        id: id.clone(),
        name: id.name().to_owned(),
        project: id.project().to_owned(),
        model: Some("none".to_owned()),
        cwd: "/".to_owned(),
        host: "here".to_owned(),
        pid: std::process::id(),
        started_at: "2026-11-28T15:00:00Z".to_owned(),
        state: AgentState::Idle,
        ctx_pct: 0.25,
        tools: Vec::new(),
        engine: "test".to_owned(),
        epoch: 0,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sandbox: "none".to_owned(),
        queue: QueueCounts { pending: 2, parked: 1 },
        server_capabilities: Vec::new(),
        state_dir: Some(state_dir.to_owned()),
    }
}

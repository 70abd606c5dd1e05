//! Agents and commands over a server of Redis that fails.
//!
//! `MINDS_TEST_KILLS` is the number of times that the server is killed, 2 by default; `MINDS_TEST_STOP_SECONDS` the time for
//! which it is stopped, 1 by default. With `MINDS_TEST_MAX_RECOVERY_MS`, everything works again within this time.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::numbers::number;
use crate::support::World;
use crate::support::redis_server::ServerProcess;

/// The threads that send inputs at the same time.
const SENDERS: usize = 3;
/// The longest time for something that happens at once.
const TIME: Duration = Duration::from_mins(2);

struct Fleet {
    server: ServerProcess,
    world: World,
    acknowledged: Mutex<BTreeSet<String>>,
    recoveries: Vec<Duration>,
}

impl Fleet {
    fn start() -> Self {
        let server = ServerProcess::start_with(&[]);
        let world = World::on_redis(server.url(), &["zeus"], &vec![r#"{"text":"done"}"#; 20_000]);
        world.succeed(&["up"]);
        Self { server, world, acknowledged: Mutex::default(), recoveries: Vec::new() }
    }

    /// Sends one input, and returns whether it was acknowledged.
    fn send(&self, text: &str) -> bool {
        let ran = self.world.run(&["send", "zeus", text, "--json", "--rpc-timeout", "2"]);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        if ran.code == 0 {
            let qid = document["qid"].as_str().unwrap().to_owned();
            self.acknowledged.lock().unwrap().insert(qid);
            return true;
        }
        // Another command owns the agent, the server cannot be reached, the agent is not connected to it, or it did not answer.
        let code = document["error"]["code"].as_str().unwrap_or_default();
        let expected =
            [("ownership.denied", 3), ("redis.unavailable", 2), ("agent.not_found", 4), ("timeout", 1)];
        assert!(expected.contains(&(code, ran.code)), "{} {}", ran.code, ran.stdout);
        false
    }

    /// Sends inputs from several threads while a fault happens, and until one is acknowledged after it.
    fn endure(&mut self, fault: impl FnOnce(&mut ServerProcess)) {
        let is_over = AtomicBool::new(false);
        // The server is changed by the fault only, and the senders do not use it.
        let mut server = std::mem::replace(&mut self.server, ServerProcess::none());
        let this = &*self;
        let ended = std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let is_over = &is_over;
                scope.spawn(move || {
                    while !is_over.load(Ordering::SeqCst) {
                        this.send(&format!("from {sender}"));
                    }
                });
            }
            let before = this.acknowledged.lock().unwrap().len();
            let start = Instant::now();
            while this.acknowledged.lock().unwrap().len() < before + SENDERS {
                assert!(start.elapsed() < TIME, "inputs are acknowledged");
                std::thread::yield_now();
            }
            fault(&mut server);
            let end = Instant::now();
            is_over.store(true, Ordering::SeqCst);
            end
        });
        self.server = server;
        while !self.send("after the fault") {
            assert!(ended.elapsed() < TIME, "nothing is acknowledged after the fault");
        }
        self.recoveries.push(ended.elapsed());
    }

    /// Waits until the queue is empty, and checks that every acknowledged input was performed once.
    fn check(&self) {
        let start = Instant::now();
        loop {
            let status = self.world.run(&["queue", "zeus", "--json"]);
            let queue: Value = serde_json::from_str(&status.stdout).unwrap_or_default();
            if queue["items"].as_array().is_some_and(Vec::is_empty) {
                break;
            }
            assert!(start.elapsed() < TIME, "{queue}");
        }
        let path = self.world.workspace().join(".ateam/agents/zeus/state/history.jsonl");
        let history = std::fs::read_to_string(path).unwrap();
        let inputs = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let inputs = inputs.filter(|line| line["role"] == "user");
        let inputs: Vec<String> = inputs.map(|line| line["qid"].as_str().unwrap().to_owned()).collect();
        let performed: BTreeSet<String> = inputs.iter().cloned().collect();
        assert_eq!(performed.len(), inputs.len(), "an input was performed twice");
        let acknowledged = self.acknowledged.lock().unwrap();
        let lost: Vec<_> = acknowledged.difference(&performed).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        let slowest = self.recoveries.iter().max().unwrap();
        let limit = Duration::from_millis(number("MINDS_TEST_MAX_RECOVERY_MS", u64::MAX));
        assert!(*slowest <= limit, "{slowest:?}");
        println!(
            "{} inputs, the slowest recovery of {} took {slowest:?}",
            performed.len(),
            self.recoveries.len()
        );
    }
}

#[test]
fn no_acknowledged_input_is_lost_when_the_server_is_killed() {
    let mut fleet = Fleet::start();
    for _ in 0..number("MINDS_TEST_KILLS", 2) {
        fleet.endure(|server| {
            server.kill();
            server.restart();
        });
    }
    fleet.check();
}

#[test]
fn a_server_that_stops_for_a_while_is_waited_for() {
    let mut fleet = Fleet::start();
    fleet.endure(|server| {
        server.signal("STOP");
        let stopped = Instant::now();
        // The other threads meet the stopped server in this time.
        while stopped.elapsed() < Duration::from_secs(number("MINDS_TEST_STOP_SECONDS", 1)) {
            std::thread::yield_now();
        }
        server.signal("CONT");
    });
    fleet.check();
}

#[test]
fn entries_and_connections_that_the_server_loses_come_back() {
    let mut fleet = Fleet::start();
    fleet.endure(|server| server.order("FLUSHALL"));
    fleet.endure(|server| server.order("CLIENT KILL TYPE normal"));
    fleet.endure(|server| server.order("CLIENT KILL TYPE pubsub"));
    fleet.check();
    // Its entry comes back with the next heartbeat.
    let start = Instant::now();
    while fleet.world.document(&["ps"], 0)["agents"][0]["state"] != "idle" {
        assert!(start.elapsed() < TIME, "the agent is not listed");
    }
}

//! Clients on threads of their own that claim one agent, take it over, release it and end, at the same time.
//!
//! A client that has claimed the agent is its only writer until it releases it, ends, or another one takes over; and as long
//! as none of this happens, the agent accepts what it writes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use minds_fleet_bus::conformance::{Fleet, Transport};
use minds_fleet_bus::memory::Random;
use minds_fleet_bus::{AgentPort, Announced, ClaimCall, ClientEvent, ClientPort, Served};
use minds_fleet_protocol::{
    AgentId, Caller, Json, Now, Outcome, Request, RequestId, Response, TakeoverEvent, Timestamp,
};
use serde_json::{Value, json};

use crate::defects::{Defect, DefectiveTransport};
use crate::local::Local;
use crate::numbers::races;
use crate::redis::Redis;
use crate::redis::server::Server;

const CLIENTS: u64 = 6;
/// The number of writes of an owner.
const WRITES: u64 = 3;
/// The longest wait for something that arrives.
const WAIT: Duration = Duration::from_millis(20);

fn now(start: Instant) -> Now {
    let clock = start.elapsed();
    Now { clock, time: Timestamp::from_seconds(1_790_000_000.0 + clock.as_secs_f64()).unwrap() }
}

fn id() -> AgentId {
    AgentId::parse("shop/coder").unwrap()
}

fn caller(number: u64) -> Caller {
    Caller::parse(&format!("console:s-{number:016x}")).unwrap()
}

/// What all threads of a race see.
struct Race<'f> {
    fleet: &'f dyn Fleet,
    start: Instant,
    /// The client that has claimed the agent, from its result until it gives the agent up; 0 for none.
    writer: AtomicU64,
    claims: AtomicU64,
    limit: u64,
    /// Whether no client claims any longer.
    has_ended: AtomicBool,
    /// Whether the agent ends, after its clients.
    ends_agent: AtomicBool,
    violations: Mutex<Vec<String>>,
}

impl Race<'_> {
    fn now(&self) -> Now {
        now(self.start)
    }

    fn note(&self, violation: String) {
        self.violations.lock().unwrap().push(violation);
        self.has_ended.store(true, Ordering::SeqCst);
    }

    fn is_over(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst) || self.claims.load(Ordering::SeqCst) >= self.limit
    }

    /// Answers writes with whether the agent accepts them, and who the owner is.
    fn serve(&self, mut agent: Box<dyn AgentPort>) {
        while !self.ends_agent.load(Ordering::SeqCst) {
            let Some(Served::Message { ticket, message }) = agent.serve(self.now(), WAIT).unwrap() else {
                continue;
            };
            let request = Request::decode(&message).unwrap();
            let before = self.writer.load(Ordering::SeqCst);
            let owner = agent.owner(&ticket, self.now()).unwrap().map(|owner| owner.caller);
            let after = self.writer.load(Ordering::SeqCst);
            let is_accepted = owner.as_ref() == Some(&request.caller);
            if is_accepted && before == after && before != 0 && caller(before) != request.caller {
                self.note(format!("{} writes, and {} is the owner", request.caller, caller(before)));
            }
            let value = Json::from_value(&json!({ "accepted": is_accepted, "owner": owner })).unwrap();
            let outcome = Outcome::Success { value, ts: request.ts };
            let response = Response { req_id: request.req_id, outcome, epoch: Some(agent.epoch()) };
            agent.answer(ticket, response, self.now()).unwrap();
        }
    }

    /// Claims the agent again and again.
    fn claim(&self, number: u64) {
        let mut random = Random::new(number);
        while !self.is_over() {
            let port = self.fleet.bus().connect(&id(), &caller(number), self.now()).unwrap();
            let mut client = Client { race: self, number, port, is_writer: false, requests: 0 };
            for _ in 0..=random.number_below(8) {
                client.take_turn(random.is_hit(250));
                if random.is_hit(300) || self.is_over() {
                    break;
                }
            }
            client.give_up();
            if random.is_hit(500) {
                client.port.release(self.now()).unwrap();
            }
            // A client that ends without a release may return for a short time, and is the owner until then.
        }
    }
}

struct Client<'r> {
    race: &'r Race<'r>,
    number: u64,
    port: Box<dyn ClientPort>,
    /// Whether the client has claimed the agent, and nothing has ended that.
    is_writer: bool,
    requests: u64,
}

impl Client<'_> {
    /// Is not the writer from now on, as this client knows.
    fn give_up(&mut self) {
        if std::mem::take(&mut self.is_writer) {
            let writer = &self.race.writer;
            let _ = writer.compare_exchange(self.number, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Claims the agent, and writes if it is the owner.
    fn take_turn(&mut self, is_takeover: bool) {
        self.port.claim(ClaimCall { is_takeover, resume: None }, self.race.now()).unwrap();
        let was_writer = self.is_writer;
        let has_claimed = loop {
            match self.next() {
                // What the client released while the claim was on its way, it does not have.
                Some(ClientEvent::Claim(result)) => break result.is_ok() && was_writer == self.is_writer,
                _ if self.race.has_ended.load(Ordering::SeqCst) => return,
                _ => {}
            }
        };
        self.race.claims.fetch_add(1, Ordering::SeqCst);
        if !has_claimed {
            return;
        }
        let writer = &self.race.writer;
        match writer.swap(self.number, Ordering::SeqCst) {
            0 => {}
            previous if previous == self.number => {}
            // Its time to release the agent was over; it gets a notice.
            _ if is_takeover => {}
            previous => self.race.note(format!("{} and {previous} have claimed the agent", self.number)),
        }
        self.is_writer = true;
        for _ in 0..WRITES {
            self.write();
        }
        if self.is_writer && self.number.is_multiple_of(2) {
            self.give_up();
            self.port.release(self.race.now()).unwrap();
        }
    }

    fn write(&mut self) {
        self.requests += 1;
        let request = Request {
            req_id: RequestId::new(self.requests),
            method: "status".to_owned(),
            params: Json::parse("{}").unwrap(),
            ts: self.race.now().time,
            caller: caller(self.number),
            timeout: None,
        };
        let was_writer = self.is_writer;
        self.port.send(request, self.race.now()).unwrap();
        let value: Value = loop {
            match self.next() {
                Some(ClientEvent::Response(Response { outcome: Outcome::Success { value, .. }, .. })) => {
                    break value.decode().unwrap();
                }
                Some(ClientEvent::Response(response)) => panic!("{response:?}"),
                _ if self.race.has_ended.load(Ordering::SeqCst) => return,
                _ => {}
            }
        };
        // The notice of a takeover may arrive after the response.
        let is_lost = was_writer && self.is_writer && value["accepted"] == false;
        if is_lost && value["owner"].is_null() {
            self.race.note(format!("the agent has lost its owner {}", self.number));
        }
    }

    /// Returns what arrives next, and gives the agent up if another client takes over.
    fn next(&mut self) -> Option<ClientEvent> {
        let event = self.port.receive(self.race.now(), WAIT).unwrap();
        if let Some(ClientEvent::Takeover(notice)) = &event {
            // A notice may be older than the claim that has no result yet, which a release would end.
            let was_writer = self.is_writer;
            self.give_up();
            if was_writer && notice.event == TakeoverEvent::Request {
                self.port.release(self.race.now()).unwrap();
            }
        }
        if event.is_none() {
            std::thread::yield_now();
        }
        event
    }
}

/// Runs a race, and returns what it observed that must not happen.
fn run(transport: &dyn Transport, limit: u64) -> Vec<String> {
    let fleet = transport.open(1);
    let start = Instant::now();
    let Announced { agent, publisher: _publisher } =
        fleet.bus().announce(fleet.info(&id()), now(start)).unwrap();
    let race = Race {
        fleet: fleet.as_ref(),
        start,
        writer: AtomicU64::new(0),
        claims: AtomicU64::new(0),
        limit,
        has_ended: AtomicBool::new(false),
        ends_agent: AtomicBool::new(false),
        violations: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (1..=CLIENTS)
            .map(|number| {
                scope.spawn({
                    let race = &race;
                    move || race.claim(number)
                })
            })
            .collect();
        let agent = scope.spawn(|| race.serve(agent));
        let results: Vec<_> = clients.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        race.ends_agent.store(true, Ordering::SeqCst);
        agent.join().unwrap();
        for result in results {
            result.unwrap();
        }
    });
    race.violations.into_inner().unwrap()
}

#[test]
fn the_local_bus_never_has_two_writers_and_never_loses_an_owner() {
    assert_eq!(run(&Local, races(2_000)), [""; 0]);
}

#[test]
fn redis_never_has_two_writers_and_never_loses_an_owner() {
    let server = Server::start();
    assert_eq!(run(&Redis::in_real_time(&server), races(2_000)), [""; 0]);
}

#[test]
fn a_claim_in_two_steps_is_noticed() {
    assert_ne!(run(&DefectiveTransport(Defect::DeleteThenSet), 200_000), [""; 0]);
}

//! What happens when the server ends, stops, forgets, or closes connections.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use minds_fleet_bus::{
    AgentPort, Announced, Bus, ClaimCall, ClientEvent, ClientPort, Follower, Publisher, RedisBus,
    RedisSettings, Served, Start,
};
use minds_fleet_protocol::{ErrorCode, Event, Frame, Json, Now, Outcome, Presence, Response, Warning};

use redis::Commands as _;

use super::server::{Server, ask, at, caller, eventually, id, info, soon};

/// An agent, a client that owns it, and a follower.
struct Fleet {
    bus: RedisBus,
    agent: Box<dyn AgentPort>,
    publisher: Box<dyn Publisher>,
    client: Box<dyn ClientPort>,
    follower: Box<dyn Follower>,
    frames: Vec<Frame>,
    requests: u64,
}

fn code<T>(result: Result<T, minds_fleet_protocol::Failure>) -> Option<ErrorCode> {
    result.err().and_then(|failure| failure.code())
}

impl Fleet {
    fn new(server: &Server) -> Self {
        let bus = server.bus();
        let Announced { agent, publisher } = bus.announce(info(), at(0)).unwrap();
        let mut client = bus.connect(&id(), &caller(1), at(0)).unwrap();
        client.claim(ClaimCall::default(), at(0)).unwrap();
        assert!(matches!(client.receive(at(0), Duration::ZERO).unwrap(), Some(ClientEvent::Claim(Ok(_)))));
        let follower = bus.follow(&id(), Start::Offset(0)).unwrap();
        Self { bus, agent, publisher, client, follower, frames: Vec::new(), requests: 0 }
    }

    /// Lets every part do what it does without waiting, and returns whether a request was answered.
    fn step(&mut self, now: Now) -> bool {
        self.requests += 1;
        let request = ask(1, self.requests, now);
        let is_sent = self.client.send(request.clone(), now).is_ok();
        while let Some(served) = self.agent.serve(now, Duration::ZERO).unwrap() {
            if let Served::Message { ticket, message } = served {
                let req_id = minds_fleet_protocol::Request::decode(&message).unwrap().req_id;
                let outcome = Outcome::Success { value: Json::parse("{}").unwrap(), ts: now.time };
                let response = Response { req_id, outcome, epoch: Some(self.agent.epoch()) };
                let _ = self.agent.answer(ticket, response, now);
            }
        }
        let mut is_answered = false;
        while let Ok(Some(event)) = self.client.receive(now, Duration::ZERO) {
            if let ClientEvent::Response(response) = event
                && response.req_id == request.req_id
            {
                match &response.outcome {
                    Outcome::Success { .. } => is_answered = true,
                    Outcome::Failure(failure) => {
                        assert_eq!(failure.code(), Some(ErrorCode::RedisUnavailable), "{failure:?}");
                    }
                }
            }
        }
        self.frames.extend(self.follower.read(Duration::ZERO).unwrap_or_default());
        is_sent && is_answered
    }

    /// Publishes a frame, as soon as that is possible.
    fn publish(&mut self, start: u64) -> u64 {
        let event = Event::new(Warning { msg: "x".to_owned() });
        eventually(start, |now| self.publisher.publish(vec![event.clone()], now).ok()).1
    }

    /// Waits until everything works again, and returns the time.
    fn recover(&mut self, start: u64) -> u64 {
        eventually(start, |now| self.step(now).then_some(())).0
    }

    /// Returns whether the client is the owner.
    fn is_owner(&mut self, now: Now) -> bool {
        self.requests += 1;
        self.client.send(ask(1, self.requests, now), now).unwrap();
        let mut is_owner = false;
        while let Some(served) = self.agent.serve(now, Duration::ZERO).unwrap() {
            if let Served::Message { ticket, .. } = served {
                is_owner =
                    self.agent.owner(&ticket, now).unwrap().is_some_and(|owner| owner.caller == caller(1));
            }
        }
        is_owner
    }
}

#[test]
fn everything_continues_after_the_server_was_killed() {
    let mut server = Server::start();
    let mut fleet = Fleet::new(&server);
    let (mut time, mut last) = (0, None);
    for _ in 0..5 {
        let offset = fleet.publish(time);
        assert!(last.is_none_or(|last| offset > last), "{offset} follows {last:?}");
        last = Some(offset);
        time = fleet.recover(time);
        server.kill();
        assert_eq!(code(fleet.bus.list(at(time))), Some(ErrorCode::RedisUnavailable));
        assert_eq!(code(fleet.bus.connect(&id(), &caller(2), at(time))), Some(ErrorCode::RedisUnavailable));
        assert_eq!(code(fleet.client.send(ask(1, 0, at(time)), at(time))), Some(ErrorCode::RedisUnavailable));
        assert!(!fleet.step(at(time)));
        server.restart();
        time = fleet.recover(time + 100);
        assert!(fleet.is_owner(at(time)), "the owner was not restored");
        assert_eq!(fleet.bus.list(at(time)).unwrap()[0].presence, Presence::Alive);
    }
    let last = fleet.publish(time);
    eventually(time, |now| {
        fleet.step(now);
        (fleet.follower.position() > last).then_some(())
    });
    assert!(fleet.frames.is_sorted_by_key(|frame| (frame.epoch, frame.offset)));
}

#[test]
fn requests_under_way_end_when_the_server_does() {
    let mut server = Server::start();
    let mut fleet = Fleet::new(&server);
    for number in 0..3 {
        fleet.client.send(ask(1, number, at(0)), at(0)).unwrap();
    }
    server.kill();
    let mut codes = Vec::new();
    while let Some(event) = fleet.client.receive(at(0), Duration::ZERO).unwrap() {
        let ClientEvent::Response(Response { outcome: Outcome::Failure(failure), .. }) = event else {
            panic!("{event:?}");
        };
        codes.push(failure.code());
    }
    assert_eq!(codes, [Some(ErrorCode::RedisUnavailable); 3]);
    // The same request again, once, as a client does.
    server.restart();
    let time = fleet.recover(100);
    fleet.client.send(ask(1, 0, at(time)), at(time)).unwrap();
}

#[test]
fn everything_continues_after_the_data_was_lost() {
    let server = Server::start();
    let mut fleet = Fleet::new(&server);
    let mut time = fleet.recover(0);
    for _ in 0..3 {
        let (epoch, offset) = (fleet.agent.epoch(), fleet.publish(time));
        assert_eq!(fleet.bus.list(at(time)).unwrap()[0].presence, Presence::Alive);
        let _: () = redis::cmd("FLUSHALL").query(&mut server.admin()).unwrap();
        let presence = fleet.bus.list(at(time)).unwrap().first().map(|listed| listed.presence);
        assert_eq!(presence, Some(Presence::Disconnected));
        // A heartbeat restores everything.
        time = fleet.recover(time + 4_000);
        assert!(fleet.agent.epoch() > epoch, "the epoch does not grow");
        assert!(fleet.publish(time) > offset, "the offset does not grow");
        assert!(fleet.is_owner(at(time)), "the owner was not restored");
    }
}

#[test]
fn everything_continues_after_connections_were_closed() {
    let server = Server::start();
    let mut fleet = Fleet::new(&server);
    let mut time = fleet.recover(0);
    for _ in 0..5 {
        let (epoch, offset) = (fleet.agent.epoch(), fleet.publish(time));
        let _: u64 = redis::cmd("CLIENT")
            .arg(&["KILL", "TYPE", "normal", "SKIPME", "yes"])
            .query(&mut server.admin())
            .unwrap();
        let _: u64 =
            redis::cmd("CLIENT").arg(&["KILL", "TYPE", "pubsub"]).query(&mut server.admin()).unwrap();
        assert_eq!(fleet.publish(time), offset + 1, "a frame was lost or stored twice");
        time = fleet.recover(time);
        assert_eq!(fleet.agent.epoch(), epoch, "the lock was still there");
        assert!(fleet.is_owner(at(time)));
    }
    eventually(time, |now| {
        fleet.step(now);
        (fleet.follower.position() == 10).then_some(())
    });
    let offsets: Vec<u64> = fleet.frames.iter().map(|frame| frame.offset).collect();
    assert_eq!(offsets, (0..10).collect::<Vec<_>>());
}

#[test]
fn a_server_that_does_not_answer_is_unavailable_until_it_does() {
    let server = Server::start();
    let mut fleet = Fleet::new(&server);
    let offset = fleet.publish(0);
    server.signal("STOP");
    let stopped = fleet.client.send(ask(1, 1, at(0)), at(0));
    let published = fleet.publisher.publish(vec![Event::new(Warning { msg: "y".to_owned() })], at(0));
    server.signal("CONT");
    assert_eq!(code(stopped), Some(ErrorCode::RedisUnavailable));
    assert_eq!(code(published), Some(ErrorCode::RedisUnavailable));
    let time = fleet.recover(100);
    assert!(fleet.publish(time) > offset);
}

#[test]
fn an_agent_whose_place_was_taken_ends() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    // Its lock expired while it was separated, and another process started.
    let _: () = redis::cmd("DEL").arg("mcp:agent:lock:shop/coder").query(&mut server.admin()).unwrap();
    let Announced { agent: mut second, .. } = bus.announce(info(), at(0)).unwrap();
    assert!(second.epoch() > agent.epoch());
    assert_eq!(code(agent.serve(at(4_000), Duration::ZERO)), Some(ErrorCode::DuplicateInstance));
    drop(agent);
    // Its end leaves the other one alone.
    assert!(second.serve(at(4_000), Duration::ZERO).is_ok());
    assert_eq!(bus.list(at(4_000)).unwrap()[0].presence, Presence::Alive);
}

#[test]
fn an_agent_has_its_place_as_long_as_its_lock_lives() {
    let mut server = Server::start();
    let Announced { mut agent, .. } = server.bus().announce(info(), at(0)).unwrap();
    assert!(agent.has_place(at(9_999)));
    assert!(!agent.has_place(at(10_000)), "without a heartbeat, another process may have the lock");
    agent.serve(at(6_000), Duration::ZERO).unwrap();
    assert!(agent.has_place(at(15_999)));
    server.kill();
    assert!(agent.serve(at(12_000), Duration::ZERO).unwrap().is_none());
    assert!(agent.has_place(at(15_999)) && !agent.has_place(at(16_000)));
    server.restart();
    eventually(20_000, |now| {
        agent.serve(now, Duration::ZERO).unwrap();
        agent.has_place(now).then_some(())
    });
}

#[test]
fn an_agent_whose_place_was_taken_leaves_the_entry_of_its_successor() {
    let server = Server::start();
    let Announced { agent: mut first, publisher: _first } = server.bus().announce(info(), at(0)).unwrap();
    // Its connections are lost until after its lock has expired.
    server.admin().del::<_, ()>("mcp:agent:lock:shop/coder").unwrap();
    let bus = server.bus();
    let Announced { agent: second, publisher: _second } = bus.announce(info(), at(0)).unwrap();
    let entry = || bus.list(at(0)).unwrap().pop().unwrap().info.epoch;
    assert_eq!((second.epoch(), entry()), (2, 2));
    first.update(minds_fleet_protocol::AgentInfo { ctx_pct: 0.5, ..info() }, at(1_000)).unwrap();
    assert_eq!(entry(), 2);
    server.order("CLIENT KILL TYPE normal");
    server.order("CLIENT KILL TYPE pubsub");
    let mut lost = None;
    eventually(2_000, |now| {
        lost = first.serve(now, Duration::ZERO).err().and_then(|failure| failure.code());
        lost.is_some().then_some(())
    });
    assert_eq!((lost, entry()), (Some(ErrorCode::DuplicateInstance), 2));
}

#[test]
fn a_process_that_was_killed_is_listed_as_disconnected_and_then_forgotten() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { agent, publisher } = bus.announce(info(), at(0)).unwrap();
    assert_eq!(bus.list(at(0)).unwrap()[0].presence, Presence::Alive);
    // Dropping would release the lock.
    std::mem::forget((agent, publisher));
    let mut admin = server.admin();
    for key in ["mcp:agents:shop/coder", "mcp:agent:lock:shop/coder"] {
        let left: i64 = redis::cmd("PTTL").arg(key).query(&mut admin).unwrap();
        assert!((1..=10_000).contains(&left), "{key} expires in {left} ms");
        let _: () = redis::cmd("PEXPIRE").arg(&[key, "1"]).query(&mut admin).unwrap();
    }
    let presence = |now: Now| bus.list(now).unwrap().first().map(|listed| listed.presence);
    soon(|now| (presence(now) == Some(Presence::Disconnected)).then_some(()));
    assert_eq!(presence(at(200_000)), None);
    soon(|now| bus.announce(info(), now).ok());
}

/// Forwards connections to the server, and closes one in place of forwarding its next reply.
struct Proxy {
    port: u16,
    cuts: Arc<AtomicBool>,
}

impl Proxy {
    fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, cuts) = (listener.local_addr().unwrap().port(), Arc::<AtomicBool>::default());
        let (socket, shared) = (server.socket(), Arc::clone(&cuts));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&socket).unwrap());
                let (mut input, mut output) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut input, &mut output));
                let cuts = Arc::clone(&shared);
                std::thread::spawn(move || forward(server, client, &cuts));
            }
        });
        Self { port, cuts }
    }
}

fn forward(mut server: UnixStream, mut client: TcpStream, cuts: &AtomicBool) {
    let mut bytes = [0; 4_096];
    while let Ok(count @ 1..) = server.read(&mut bytes) {
        if cuts.swap(false, Ordering::SeqCst) || client.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
}

#[test]
fn frames_whose_confirmation_is_lost_are_stored_once() {
    let server = Server::start();
    let proxy = Proxy::start(&server);
    let bus = RedisBus::new(&RedisSettings::new(format!("redis://127.0.0.1:{}", proxy.port))).unwrap();
    let Announced { agent: _agent, mut publisher } = bus.announce(info(), at(0)).unwrap();
    for round in 0..10 {
        proxy.cuts.store(round % 2 == 1, Ordering::SeqCst);
        let events = (0..3).map(|number| Event::new(Warning { msg: number.to_string() })).collect();
        assert_eq!(publisher.publish(events, at(0)).unwrap(), round * 3);
        assert!(!proxy.cuts.load(Ordering::SeqCst), "no connection was closed");
    }
    let length: u64 = redis::cmd("XLEN").arg("mcp:tail:shop/coder").query(&mut server.admin()).unwrap();
    assert_eq!(length, 30);
    let frames = server.bus().follow(&id(), Start::Offset(0)).unwrap().read(Duration::ZERO).unwrap();
    assert_eq!(frames.iter().map(|frame| frame.offset).collect::<Vec<_>>(), (0..30).collect::<Vec<_>>());
}

#[test]
fn a_reader_notes_that_an_agent_left_in_order() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { agent, publisher } = bus.announce(info(), at(0)).unwrap();
    assert_eq!(bus.list(at(0)).unwrap()[0].presence, Presence::Alive);
    drop(publisher);
    agent.leave(at(1_000)).unwrap();
    assert_eq!(bus.list(at(1_000)).unwrap()[0].presence, Presence::Left);
    assert!(bus.list(at(200_000)).unwrap().is_empty());
}

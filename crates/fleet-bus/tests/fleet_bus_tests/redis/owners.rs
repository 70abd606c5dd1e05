//! Owners: races of clients, what the server forgets, and programs that only know the documented keys.

use std::time::Duration;

use minds_fleet_bus::{Announced, Bus, ClaimCall, ClientEvent, ClientPort, RedisBus, Served};
use minds_fleet_protocol::{
    ErrorCode, Failure, Json, Now, Outcome, OwnerEvent, Request, RequestId, Response,
};
use redis::Commands as _;

use super::server::{Server, ask, at, caller, eventually, id, info, soon};
use crate::numbers::races;

/// The rounds of a race.
fn rounds() -> u64 {
    races(240) / CLIENTS
}

const CLIENTS: u64 = 6;

fn claim(client: &mut dyn ClientPort, is_takeover: bool, now: Now) {
    client.claim(ClaimCall { is_takeover, resume: None }, now).unwrap();
}

/// Returns the result of a claim that has arrived; true if it succeeded.
fn result(client: &mut dyn ClientPort, now: Now) -> Option<bool> {
    while let Some(event) = client.receive(now, Duration::ZERO).unwrap() {
        if let ClientEvent::Claim(result) = event {
            if let Err(failure) = &result {
                assert_eq!(failure.code(), Some(ErrorCode::OwnershipDenied), "{failure:?}");
            }
            return Some(result.is_ok());
        }
    }
    None
}

/// Lets several clients claim at the same time, each on a thread, and returns those whose claim succeeded.
fn race(bus: &RedisBus, numbers: std::ops::Range<u64>, is_takeover: bool) -> Vec<u64> {
    let barrier = std::sync::Barrier::new(usize::try_from(numbers.end - numbers.start).unwrap());
    std::thread::scope(|scope| {
        let start = |number: u64| {
            let (bus, barrier) = (bus.clone(), &barrier);
            scope.spawn(move || {
                let mut client = bus.connect(&id(), &caller(number), at(0)).unwrap();
                barrier.wait();
                claim(client.as_mut(), is_takeover, at(0));
                let is_owner = soon(|now| result(client.as_mut(), now));
                // A client that ends would have time to return.
                client.release(at(0)).unwrap();
                is_owner.then_some(number)
            })
        };
        let threads: Vec<_> = numbers.map(start).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn concurrent_claims_have_one_winner_at_a_time() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { agent: _agent, .. } = bus.announce(info(), at(0)).unwrap();
    for round in 0..rounds() {
        // Every winner releases the agent, so later claims may succeed, but the first one always does.
        assert!(!race(&bus, 0..CLIENTS, false).is_empty(), "round {round}");
    }
}

#[test]
fn of_concurrent_takeovers_exactly_one_succeeds() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    let mut heartbeat = 0;
    for round in 0..rounds().div_ceil(20) {
        let mut owner = bus.connect(&id(), &caller(100), at(0)).unwrap();
        claim(owner.as_mut(), false, at(0));
        assert_eq!(result(owner.as_mut(), at(0)), Some(true), "round {round}");
        let mut clients: Vec<_> =
            (0..CLIENTS).map(|number| bus.connect(&id(), &caller(number), at(0)).unwrap()).collect();
        std::thread::scope(|scope| {
            for client in &mut clients {
                scope.spawn(|| claim(client.as_mut(), true, at(0)));
            }
        });
        let mut results = vec![None; clients.len()];
        // A takeover is final after two seconds of the server, which pass here. A heartbeat is due in each step.
        soon(|now| {
            heartbeat += 3_000;
            agent.serve(at(heartbeat), Duration::ZERO).unwrap();
            owner.receive(now, Duration::ZERO).unwrap();
            for (client, found) in clients.iter_mut().zip(&mut results) {
                *found = found.or_else(|| result(client.as_mut(), now));
            }
            results.iter().all(Option::is_some).then_some(())
        });
        assert_eq!(results.iter().filter(|found| **found == Some(true)).count(), 1, "{results:?}");
        for client in &mut clients {
            client.release(at(0)).unwrap();
        }
    }
}

#[test]
fn a_takeover_whose_time_is_over_is_withdrawn() {
    let server = Server::start();
    // A takeover becomes final after much more than the time of a claim.
    let bus = server.bus().with_lifetime_percent(1_000_000);
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    let mut owner = bus.connect(&id(), &caller(1), at(0)).unwrap();
    claim(owner.as_mut(), false, at(0));
    let mut client = bus.connect(&id(), &caller(2), at(0)).unwrap();
    claim(client.as_mut(), true, at(0));
    let event = client.receive(at(15_000), Duration::ZERO).unwrap();
    let Some(ClientEvent::Claim(Err(failure))) = event else { panic!("{event:?}") };
    assert_eq!(failure.code(), Some(ErrorCode::Timeout));
    owner.release(at(15_000)).unwrap();
    while let Some(served) = agent.serve(at(15_000), Duration::ZERO).unwrap() {
        let Served::Owner(change) = served else { panic!("{served:?}") };
        assert_eq!(change.owner, None);
    }
}

#[test]
fn a_program_that_only_knows_the_documented_keys_owns_and_loses_an_agent() {
    let server = Server::start();
    let bus = server.bus();
    let mut admin = server.admin();
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    let _: () = admin.set("mcp:agent:owner:shop/coder", "console:s-foreign:1790000000.5").unwrap();
    let (_, change) = eventually(0, |now| match agent.serve(now, Duration::ZERO).unwrap() {
        Some(Served::Owner(change)) => Some(change),
        _ => None,
    });
    assert_eq!(change.event, OwnerEvent::Claimed);
    let mut client = bus.connect(&id(), &caller(1), at(0)).unwrap();
    claim(client.as_mut(), false, at(0));
    assert_eq!(result(client.as_mut(), at(0)), Some(false));
    let _: () = admin.del("mcp:agent:owner:shop/coder").unwrap();
    claim(client.as_mut(), false, at(0));
    assert_eq!(result(client.as_mut(), at(0)), Some(true));
    let value: String = admin.get("mcp:agent:owner:shop/coder").unwrap();
    assert_eq!(value, "console:s-0000000000000001:1790000000");
    // It compares and sets, as the documented script does.
    let _: () = admin.set("mcp:agent:owner:shop/coder", "console:s-foreign:1790000001").unwrap();
    let notice = std::iter::from_fn(|| client.receive(at(5_000), Duration::ZERO).unwrap())
        .find(|event| matches!(event, ClientEvent::Takeover(_)));
    assert!(notice.is_some(), "a client does not notice that it is not the owner");
}

#[test]
fn a_request_of_a_program_that_names_no_connection_is_answered() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    let request = ask(1, 7, at(0));
    let mut listener = server.admin();
    let mut listener = listener.as_pubsub();
    listener.subscribe(format!("mcp:res:shop/coder:{}", request.req_id)).unwrap();
    let receivers: u64 = server.admin().publish("mcp:req:shop/coder", request.encode().unwrap()).unwrap();
    assert_eq!(receivers, 1);
    let Some(Served::Message { ticket, message }) = agent.serve(at(0), Duration::ZERO).unwrap() else {
        panic!("the request did not arrive");
    };
    assert_eq!(Request::decode(&message).unwrap(), request);
    assert_eq!(agent.owner(&ticket, at(0)).unwrap(), None);
    let failure = Failure::new(ErrorCode::Busy, "no");
    let response = Response { req_id: RequestId::new(7), outcome: Outcome::Failure(failure), epoch: None };
    agent.answer(ticket, response.clone(), at(0)).unwrap();
    let message = listener.get_message().unwrap();
    assert_eq!(message.get_payload::<String>().unwrap(), response.encode().unwrap());
}

#[test]
fn an_owner_that_ends_without_a_word_expires_and_one_that_lives_does_not() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    let mut living = bus.connect(&id(), &caller(1), at(0)).unwrap();
    claim(living.as_mut(), false, at(0));
    assert_eq!(result(living.as_mut(), at(0)), Some(true));
    let mut admin = server.admin();
    let keys = ["mcp:agent:owner:shop/coder", "mcp:agent:session:shop/coder"];
    for key in keys {
        let _: () = admin.pexpire(key, 60_000).unwrap();
    }
    // The time of a refresh, although nothing else happens.
    living.receive(at(10_000), Duration::from_millis(1)).unwrap();
    for key in keys {
        let left: i64 = admin.pttl(key).unwrap();
        assert!((1..=30_000).contains(&left), "{key} expires in {left} ms");
    }
    // Dropping would end it in order.
    std::mem::forget(living);
    for key in keys {
        let _: () = admin.pexpire(key, 1).unwrap();
    }
    let change = soon(|now| match agent.serve(now, Duration::ZERO).unwrap() {
        Some(Served::Owner(change)) if change.event == OwnerEvent::Released => Some(change),
        _ => None,
    });
    assert_eq!(change.owner, None);
}

#[test]
fn clients_with_one_name_and_one_request_id_get_their_own_answers() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { mut agent, .. } = bus.announce(info(), at(0)).unwrap();
    let mut clients = [(); 3].map(|()| bus.connect(&id(), &caller(1), at(0)).unwrap());
    for (number, client) in clients.iter_mut().enumerate() {
        let params = Json::parse(&format!("{{\"client\":{number}}}")).unwrap();
        client.send(Request { params, ..ask(1, 7, at(0)) }, at(0)).unwrap();
    }
    let mut answers = Vec::new();
    while let Some(served) = agent.serve(at(0), Duration::ZERO).unwrap() {
        let Served::Message { ticket, message } = served else { panic!("{served:?}") };
        let request = Request::decode(&message).unwrap();
        let outcome = Outcome::Success { value: request.params, ts: at(0).time };
        answers.push((ticket, Response { req_id: request.req_id, outcome, epoch: None }));
    }
    // The last one is answered first.
    for (ticket, response) in answers.into_iter().rev() {
        agent.answer(ticket, response, at(0)).unwrap();
    }
    for (number, client) in clients.iter_mut().enumerate() {
        let event = client.receive(at(0), Duration::ZERO).unwrap();
        let Some(ClientEvent::Response(Response { outcome: Outcome::Success { value, .. }, .. })) = event
        else {
            panic!("{event:?}");
        };
        assert_eq!(value.as_str(), format!("{{\"client\":{number}}}"));
    }
}

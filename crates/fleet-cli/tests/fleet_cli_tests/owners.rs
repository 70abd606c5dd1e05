//! Agents that have another owner.

use std::time::{Duration, Instant};

use minds_fleet_bus::{Bus as _, ClaimCall, ClientEvent, ClientPort, LocalBus};
use minds_fleet_protocol::{AgentId, Caller};

use crate::support::fake_agent::now;
use crate::support::terminal::Terminal;
use crate::support::{FLEET, World};

const SCRIPT: &[&str] = &[r#"{"text":"done"}"#];

/// Claims an agent as a console, until the result is dropped.
fn claim(world: &World) -> Box<dyn ClientPort> {
    let bus = LocalBus::at(world.home().join("run"), FLEET).unwrap();
    let (agent, caller) = (AgentId::parse("shop/zeus").unwrap(), Caller::parse("console:s-1").unwrap());
    let start = Instant::now();
    let mut port = bus.connect(&agent, &caller, now(start)).unwrap();
    port.claim(ClaimCall::default(), now(start)).unwrap();
    loop {
        if let Some(ClientEvent::Claim(claimed)) = port.receive(now(start), Duration::from_secs(5)).unwrap() {
            claimed.unwrap();
            return port;
        }
    }
}

#[test]
fn only_the_owner_changes_an_agent() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    let port = claim(&world);
    for args in [
        &["send", "zeus", "hello"][..],
        &["interrupt", "zeus"],
        &["cancel", "zeus"],
        &["stop", "zeus"],
        &["retry", "q-1", "--agent", "zeus"],
    ] {
        let error = &world.document(args, 3)["error"];
        assert_eq!(error["code"], "ownership.denied", "{args:?}");
        assert_eq!(error["detail"]["owner"], "console:s-1", "{args:?}: {error}");
        let error = &world.document(&[args, &["--takeover"]].concat(), 1)["error"];
        assert_eq!(error["kind"], "refused", "{args:?}: only a person can take over");
    }
    let down = world.document(&["down"], 1);
    assert_eq!(down["agents"][0]["error"]["code"], "ownership.denied");
    // Everyone may look.
    let who = world.document(&["who", "zeus"], 0);
    assert_eq!(who["agents"][0]["owner"]["caller"], "console:s-1");
    assert!(world.succeed(&["who"]).contains("console:s-1"));
    world.succeed(&["queue", "zeus"]);
    drop(port);
}

#[test]
fn a_command_releases_the_agent() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    world.succeed(&["send", "zeus", "--wait", "hello"]);
    assert_eq!(world.document(&["who"], 0)["agents"][0]["owner"], serde_json::Value::Null);
    assert!(world.succeed(&["who"]).contains("none"));
}

#[test]
fn a_person_takes_over() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    let _port = claim(&world);
    let mut terminal = Terminal::start(world.command(&["send", "zeus", "hello", "--takeover"]));
    terminal.until("take over `shop/zeus` from its owner? [y/N] ");
    terminal.types("y\n");
    let end = terminal.end();
    assert!(end.exit == Some(0) && end.transcript.contains("queued q-"), "{}", end.transcript);
}

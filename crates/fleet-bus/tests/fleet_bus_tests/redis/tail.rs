//! Frames: what is kept on the machine of an agent, and what the server forgets.

use std::time::Duration;

use minds_fleet_bus::{Announced, Bus, RedisBus, Start};
use minds_fleet_protocol::{ErrorCode, Event, EventKind, Frame, Warning};

use super::server::{Server, at, id, info};

fn warnings(count: u64) -> Vec<Event> {
    (0..count).map(|number| Event::new(Warning { msg: number.to_string() })).collect()
}

fn read(bus: &RedisBus, start: Start) -> Vec<Frame> {
    let mut follower = bus.follow(&id(), start).unwrap();
    let mut frames = Vec::new();
    loop {
        let next = follower.read(Duration::ZERO).unwrap();
        if next.is_empty() {
            return frames;
        }
        frames.extend(next);
    }
}

#[test]
fn offsets_and_epochs_grow_although_the_server_has_lost_them() {
    let server = Server::start();
    let bus = server.bus();
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state").to_str().unwrap().to_owned();
    let start = || {
        let mut info = info();
        info.state_dir = Some(state.clone());
        bus.announce(info, at(0)).unwrap()
    };
    let (mut last_epoch, mut end) = (0, 0);
    for _ in 0..3 {
        let Announced { agent, mut publisher } = start();
        assert!(agent.epoch() > last_epoch);
        last_epoch = agent.epoch();
        let first = publisher.publish(warnings(10), at(0)).unwrap();
        assert!(first >= end, "{first} follows {end}");
        end = first + 10;
        assert_eq!(bus.list(at(0)).unwrap()[0].info.state_dir, None);
        drop((agent, publisher));
        let _: () = redis::cmd("FLUSHALL").query(&mut server.admin()).unwrap();
    }
    // Without a loss, nothing is left out.
    let Announced { agent, mut publisher } = start();
    end = publisher.publish(warnings(10), at(0)).unwrap() + 10;
    drop((agent, publisher));
    assert_eq!(start().publisher.publish(warnings(1), at(0)).unwrap(), end);
}

#[test]
fn an_agent_with_the_same_files_is_refused_whatever_its_bus_is() {
    let servers = [Server::start(), Server::start()];
    let folder = tempfile::tempdir().unwrap();
    let mut info = info();
    info.state_dir = Some(folder.path().join("state").to_str().unwrap().to_owned());
    let _first = servers[0].bus().announce(info.clone(), at(0)).unwrap();
    let second = servers[1].bus().announce(info.clone(), at(0)).err().and_then(|failure| failure.code());
    assert_eq!(second, Some(ErrorCode::DuplicateInstance));
    info.state_dir = Some("state".to_owned());
    let relative = servers[1].bus().announce(info, at(0)).err().and_then(|failure| failure.code());
    assert_eq!(relative, Some(ErrorCode::ConfigInvalid));
}

#[test]
fn invalid_entries_and_frames_of_a_lower_epoch_are_left_out() {
    let server = Server::start();
    let bus = server.bus();
    drop(bus.announce(info(), at(0)).unwrap());
    let Announced { agent, mut publisher } = bus.announce(info(), at(0)).unwrap();
    publisher.publish(warnings(2), at(0)).unwrap();
    let mut admin = server.admin();
    let old = Frame { offset: 2, epoch: agent.epoch() - 1, ts: at(0).time, event: warnings(1).remove(0) };
    for (field, text) in [("f", "no frame"), ("x", "y"), ("f", &serde_json::to_string(&old).unwrap())] {
        let add = ["mcp:tail:shop/coder", "*", field, text];
        let _: String = redis::cmd("XADD").arg(&add).query(&mut admin).unwrap();
    }
    publisher.publish(warnings(2), at(0)).unwrap();
    let frames = read(&bus, Start::Offset(0));
    assert_eq!(frames.iter().map(|frame| frame.offset).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(frames.iter().all(|frame| frame.epoch == agent.epoch()));
    assert_eq!(read(&bus, Start::Offset(3)).len(), 1);
}

#[test]
fn a_trimmed_tail_is_one_gap() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { agent: _agent, mut publisher } = bus.announce(info(), at(0)).unwrap();
    publisher.publish(warnings(1), at(0)).unwrap();
    let mut follower = bus.follow(&id(), Start::Offset(0)).unwrap();
    assert_eq!(follower.read(Duration::ZERO).unwrap().len(), 1);
    publisher.publish(warnings(20), at(0)).unwrap();
    let _: u64 =
        redis::cmd("XTRIM").arg(&["mcp:tail:shop/coder", "MAXLEN", "5"]).query(&mut server.admin()).unwrap();
    let frames = follower.read(Duration::ZERO).unwrap();
    let EventKind::Gap(gap) = &frames[0].event.kind else { panic!("{frames:?}") };
    assert_eq!((gap.from, gap.to, frames.len()), (1, 15, 6));
    assert_eq!(follower.position(), 21);
}

#[test]
fn a_follower_waits_until_a_frame_arrives() {
    let server = Server::start();
    let bus = server.bus();
    let Announced { agent: _agent, mut publisher } = bus.announce(info(), at(0)).unwrap();
    let mut follower = bus.follow(&id(), Start::End).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || follower.read(Duration::from_mins(1)).unwrap());
        publisher.publish(warnings(3), at(0)).unwrap();
        assert!(!reader.join().unwrap().is_empty());
    });
}

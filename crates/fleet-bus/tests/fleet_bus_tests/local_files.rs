//! What the local bus does with its files and with hostile clients.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_fleet_bus::conformance::Fleet as _;
use minds_fleet_bus::memory::Random;
use minds_fleet_bus::{
    AgentPort, Announced, Bus as _, ClaimCall, ClientEvent, ClientPort, LocalBus, Served, Start, request,
};
use minds_fleet_protocol::{
    AgentId, Caller, ErrorCode, Event, EventKind, Failure, Frame, Json, Now, Outcome, Presence, Request,
    RequestId, Response, Timestamp, Warning,
};

use crate::local::LocalFleet;

pub(crate) fn id() -> AgentId {
    AgentId::parse("p/a").unwrap()
}

fn caller() -> Caller {
    Caller::parse("cli:s-1").unwrap()
}

pub(crate) fn now() -> Now {
    Now { clock: Duration::from_secs(1), time: Timestamp::from_seconds(1_790_000_000.0).unwrap() }
}

fn ask(method: &str, number: u64) -> Request {
    Request {
        req_id: RequestId::new(number),
        method: method.to_owned(),
        params: Json::parse("{}").unwrap(),
        ts: now().time,
        caller: caller(),
        timeout: None,
    }
}

pub(crate) fn warnings(count: usize) -> Vec<Event> {
    (0..count).map(|number| Event::new(Warning { msg: number.to_string() })).collect()
}

pub(crate) fn announce(fleet: &LocalFleet) -> Announced {
    fleet.bus.announce(fleet.info(&id()), now()).unwrap()
}

fn refuse(fleet: &LocalFleet) -> Failure {
    fleet.bus.announce(fleet.info(&id()), now()).err().unwrap()
}

pub(crate) fn state(fleet: &LocalFleet) -> PathBuf {
    fleet.folder.path().join("state/a")
}

pub(crate) fn segment(fleet: &LocalFleet) -> PathBuf {
    state(fleet).join("tail/0.jsonl")
}

pub(crate) fn read(fleet: &LocalFleet, start: u64) -> Vec<Frame> {
    let mut follower = fleet.bus.follow(&id(), Start::Offset(start)).unwrap();
    follower.read(Duration::ZERO).unwrap()
}

pub(crate) fn offsets(frames: &[Frame]) -> Vec<String> {
    let show = |frame: &Frame| match &frame.event.kind {
        EventKind::Gap(gap) => format!("{}-{}", gap.from, gap.to),
        _ => frame.offset.to_string(),
    };
    frames.iter().map(show).collect()
}

/// Answers what has arrived, and returns the methods.
fn serve(agent: &mut dyn AgentPort) -> Vec<String> {
    let mut methods = Vec::new();
    while let Some(served) = agent.serve(now(), Duration::ZERO).unwrap() {
        let Served::Message { ticket, message } = served else { continue };
        let Ok(request) = Request::decode(&message) else { continue };
        methods.push(request.method);
        let outcome = Outcome::Success { value: Json::parse("{}").unwrap(), ts: now().time };
        agent.answer(ticket, Response { req_id: request.req_id, outcome, epoch: None }, now()).unwrap();
    }
    methods
}

fn events(client: &mut dyn ClientPort) -> Vec<ClientEvent> {
    std::iter::from_fn(|| client.receive(now(), Duration::ZERO).ok().flatten()).collect()
}

pub(crate) fn append(path: &Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn files_are_private() {
    let fleet = LocalFleet::new();
    let mut announced = announce(&fleet);
    announced.publisher.publish(warnings(1), now()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = fleet.bus.agent_folder(&id());
    assert_eq!(folder, fleet.folder.path().join("run/fleet/f/p/a"));
    for folder in [fleet.folder.path().join("run"), folder.clone(), state(&fleet)] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    for name in ["lock", "agent.json", "sock", "key"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    for name in ["agent.json", "tail/0.jsonl", ".gitignore"] {
        assert_eq!(mode(&state(&fleet).join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_killed_agent_is_forgotten_after_two_minutes() {
    let fleet = LocalFleet::new();
    let after =
        |seconds: f64| Now { time: Timestamp::from_seconds(1_790_000_000.0 + seconds).unwrap(), ..now() };
    let presence = |at: Now| fleet.bus.list(at).unwrap().first().map(|listed| listed.presence);
    drop(announce(&fleet));
    // The time counts from the first reader, because a killed process leaves none.
    for (seconds, expected) in [
        (500.0, Presence::Disconnected),
        (619.0, Presence::Disconnected),
        (620.0, Presence::Forgotten),
        (1e6, Presence::Forgotten),
    ] {
        assert_eq!(presence(after(seconds)), Some(expected), "after {seconds} seconds");
    }
    let Announced { agent, publisher } = announce(&fleet);
    assert_eq!(presence(after(2e6)), Some(Presence::Alive));
    drop((agent, publisher));
    assert_eq!(presence(after(2e6)), Some(Presence::Disconnected), "the record of an earlier process");
    let record = fleet.bus.agent_folder(&id()).join("ended.json");
    std::fs::write(&record, "not JSON").unwrap();
    assert_eq!(presence(after(3e6)), Some(Presence::Disconnected), "a damaged record");
    assert_eq!(presence(after(3e6 + 120.0)), Some(Presence::Forgotten));
    assert_eq!(std::fs::metadata(&record).unwrap().permissions().mode() & 0o777, 0o600);
    let Announced { agent, publisher } = announce(&fleet);
    agent.leave(now()).unwrap();
    drop(publisher);
    assert_eq!(presence(after(4e6)), Some(Presence::Left), "an agent that left was not killed");
}

#[test]
fn a_client_without_the_key_only_observes() {
    let fleet = LocalFleet::new();
    let Announced { mut agent, .. } = announce(&fleet);
    std::fs::remove_file(fleet.bus.agent_folder(&id()).join("key")).unwrap();
    let mut client = fleet.bus.connect(&id(), &caller(), now()).unwrap();
    for (number, method) in ["status", "input", "tail", "history.read", "agent.stop", "x"].iter().enumerate()
    {
        client.send(ask(method, number as u64), now()).unwrap();
    }
    client.claim(ClaimCall { is_takeover: true, resume: None }, now()).unwrap();
    assert_eq!(serve(agent.as_mut()), ["status", "tail"]);
    let (mut successes, mut denied) = (0, 0);
    for event in events(client.as_mut()) {
        let failure = match event {
            ClientEvent::Response(Response { outcome: Outcome::Failure(failure), .. })
            | ClientEvent::Claim(Err(failure)) => failure,
            ClientEvent::Response(_) => {
                successes += 1;
                continue;
            }
            _ => continue,
        };
        assert_eq!(failure.code(), Some(ErrorCode::OwnershipDenied));
        assert!(failure.message.contains("key"), "{}", failure.message);
        denied += 1;
    }
    assert_eq!((successes, denied), (2, 5));
}

#[test]
fn a_key_is_of_one_process() {
    let fleet = LocalFleet::new();
    let key = || std::fs::read_to_string(fleet.bus.agent_folder(&id()).join("key")).unwrap();
    drop(announce(&fleet));
    let first = key();
    drop(announce(&fleet));
    assert_eq!(first.len(), 64);
    assert_ne!(first, key());
}

#[test]
fn members_of_the_state_record_that_are_not_of_the_bus_are_kept() {
    let fleet = LocalFleet::new();
    drop(announce(&fleet));
    let path = state(&fleet).join("agent.json");
    std::fs::write(&path, r#"{"enrolled":true,"epoch":41,"next_offset":0}"#).unwrap();
    assert_eq!(announce(&fleet).agent.epoch(), 42);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "{\"enrolled\":true,\"epoch\":42,\"next_offset\":0}\n");
}

#[test]
fn a_state_record_that_cannot_be_read_is_an_error_and_stays() {
    let fleet = LocalFleet::new();
    drop(announce(&fleet));
    let path = state(&fleet).join("agent.json");
    for text in ["", "{", "[]", r#"{"epoch":-1}"#] {
        std::fs::write(&path, text).unwrap();
        let failure = refuse(&fleet);
        assert_eq!(failure.code(), Some(ErrorCode::ConfigInvalid), "{text}: {}", failure.message);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn folders_that_cannot_be_used_are_errors() {
    let fleet = LocalFleet::new();
    for state_dir in [None, Some("relative".to_owned())] {
        let info = minds_fleet_protocol::AgentInfo { state_dir, ..fleet.info(&id()) };
        let failure = fleet.bus.announce(info, now()).err().unwrap();
        assert_eq!(failure.code(), Some(ErrorCode::ConfigInvalid), "{}", failure.message);
    }
    drop(announce(&fleet));
    std::fs::set_permissions(state(&fleet), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(refuse(&fleet).code(), Some(ErrorCode::ConfigInvalid));
    for name in ["", "a/b", "..", &"x".repeat(65)] {
        assert!(LocalBus::at(fleet.folder.path().to_owned(), name).is_err(), "{name}");
    }
}

#[test]
fn fleets_are_separate_and_one_state_folder_has_one_agent() {
    let fleet = LocalFleet::new();
    let other = LocalBus::at(fleet.folder.path().join("run"), "g").unwrap();
    let _agent = announce(&fleet);
    assert!(other.list(now()).unwrap().is_empty());
    assert!(other.connect(&id(), &caller(), now()).is_err());
    // The same files in another fleet.
    let failure = other.announce(fleet.info(&id()), now()).err().unwrap();
    assert_eq!(failure.code(), Some(ErrorCode::DuplicateInstance));
}

#[test]
fn an_entry_that_is_not_valid_is_not_listed() {
    let fleet = LocalFleet::new();
    drop(announce(&fleet));
    std::fs::write(fleet.bus.agent_folder(&id()).join("agent.json"), "{}").unwrap();
    std::fs::create_dir(fleet.folder.path().join("run/fleet/f/p/not an id")).unwrap();
    assert!(fleet.bus.list(now()).unwrap().is_empty());
}

/// Connects without the library.
fn connect(fleet: &LocalFleet) -> UnixStream {
    UnixStream::connect(fleet.bus.agent_folder(&id()).join("sock")).unwrap()
}

fn hello(fleet: &LocalFleet, caller: &str) -> String {
    let key = std::fs::read_to_string(fleet.bus.agent_folder(&id()).join("key")).unwrap();
    format!("{{\"hello\":{{\"protocol\":1,\"caller\":\"{caller}\",\"key\":\"{key}\"}}}}\n")
}

#[test]
fn a_client_that_breaks_the_protocol_is_disconnected() {
    let fleet = LocalFleet::new();
    let Announced { mut agent, .. } = announce(&fleet);
    let mut good = fleet.bus.connect(&id(), &caller(), now()).unwrap();
    let welcome = hello(&fleet, "cli:s-2");
    let request = ask("status", 1).encode().unwrap();
    let cases = [
        "garbage\n".to_owned(),
        format!("{request}\n"),
        "{\"hello\":{\"protocol\":1}}\n".to_owned(),
        "{\"hello\":{\"protocol\":2,\"caller\":\"cli:s-2\"}}\n".to_owned(),
        format!("{welcome}{welcome}"),
        format!("{welcome}{{\"claim\":7}}\n"),
    ];
    for case in cases {
        let mut socket = connect(&fleet);
        socket.write_all(case.as_bytes()).unwrap();
        assert_eq!(serve(agent.as_mut()), Vec::<String>::new(), "{case}");
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        assert!(text.is_empty() || text.starts_with("{\"hello\""), "{case}: {text}");
    }
    good.send(ask("status", 2), now()).unwrap();
    assert_eq!(serve(agent.as_mut()), ["status"]);
}

#[test]
fn a_request_in_the_name_of_another_caller_is_refused_by_the_agent() {
    let fleet = LocalFleet::new();
    let Announced { mut agent, .. } = announce(&fleet);
    let mut socket = connect(&fleet);
    let request = ask("agent.stop", 1).encode().unwrap();
    socket.write_all(format!("{}{request}\n", hello(&fleet, "cli:s-2")).as_bytes()).unwrap();
    assert_eq!(serve(agent.as_mut()), Vec::<String>::new());
    drop(agent);
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    assert!(text.contains("\"args.invalid\"") && text.contains("cli:s-2"), "{text}");
}

#[test]
fn random_bytes_do_not_disturb_an_agent() {
    let fleet = LocalFleet::new();
    let Announced { mut agent, .. } = announce(&fleet);
    let mut random = Random::new(7);
    let pieces =
        ["{", "}", "\"hello\"", "\"claim\"", "\"release\"", ":", "{}", "\n", "\u{0}", "1", ",", "\"req_id\""];
    for round in 0..300 {
        let mut socket = connect(&fleet);
        let mut text = if round % 2 == 0 { hello(&fleet, "cli:s-2").into_bytes() } else { Vec::new() };
        for _ in 0..random.number_below(40) {
            if random.is_hit(200) {
                text.extend(random.bytes::<3>());
            }
            text.extend(pieces[usize::try_from(random.number_below(pieces.len() as u64)).unwrap()].bytes());
        }
        socket.write_all(&text).unwrap();
        serve(agent.as_mut());
    }
    let mut client = fleet.bus.connect(&id(), &caller(), now()).unwrap();
    client.send(ask("status", 1), now()).unwrap();
    assert_eq!(serve(agent.as_mut()), ["status"]);
}

#[test]
fn a_client_and_a_follower_wait_on_threads_of_their_own() {
    let fleet = LocalFleet::new();
    let Announced { mut agent, mut publisher } = announce(&fleet);
    let wait = Duration::from_mins(1);
    std::thread::scope(|scope| {
        let server = scope.spawn(move || {
            let mut answered = 0;
            while answered < 50 {
                if let Some(Served::Message { ticket, message }) = agent.serve(now(), wait).unwrap() {
                    let request = Request::decode(&message).unwrap();
                    let outcome = Outcome::Success { value: Json::parse("{}").unwrap(), ts: now().time };
                    let response = Response { req_id: request.req_id, outcome, epoch: None };
                    agent.answer(ticket, response, now()).unwrap();
                    answered += 1;
                }
            }
            // Followers wait for frames that are reported by this thread.
            while !matches!(agent.serve(now(), Duration::from_millis(50)), Ok(Some(Served::Message { .. }))) {
            }
        });
        let follower = scope.spawn(|| {
            let mut follower = fleet.bus.follow(&id(), Start::Offset(0)).unwrap();
            let mut frames = Vec::new();
            while frames.len() < 200 {
                frames.extend(follower.read(wait).unwrap());
            }
            frames
        });
        let mut client = fleet.bus.connect(&id(), &caller(), now()).unwrap();
        for number in 0..50 {
            publisher.publish(warnings(4), now()).unwrap();
            let response = request(client.as_mut(), ask("status", number), &mut now, &mut |_| {}).unwrap();
            assert!(matches!(response.outcome, Outcome::Success { .. }));
        }
        let frames = follower.join().unwrap();
        assert_eq!(offsets(&frames), (0..200).map(|offset| offset.to_string()).collect::<Vec<_>>());
        client.send(ask("agent.stop", 99), now()).unwrap();
        server.join().unwrap();
    });
}

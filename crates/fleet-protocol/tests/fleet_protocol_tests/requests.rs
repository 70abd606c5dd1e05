//! Requests at an agent: the order of the checks, duplicates.

use std::cell::Cell;
use std::time::Duration;

use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    Admission, AgentId, AgentState, AgentStatus, Caller, ContentHash, ContextBudget, ErrorCode, Failure,
    ItemId, Json, Outcome, Recorded, Request, RequestId, RequestKey, RequestRecords, Timestamp, admit,
};
use proptest::prelude::*;

use crate::clients::at;

fn owner(caller: &str) -> Owner {
    Owner { caller: Caller::parse(caller).unwrap(), since: Timestamp::from_seconds(1.5).unwrap() }
}

fn line(id: &str, method: &str, params: &str, ts: f64) -> String {
    format!(
        r#"{{"req_id":"{id}","method":"{method}","params":{params},"ts":{ts},"caller":"cli:s-1","timeout_sec":1}}"#
    )
}

const INPUT: &str = r#"{"text":"a","meta":{"source":"console"}}"#;

struct Agent {
    id: AgentId,
    state: AgentState,
    pending: usize,
    tokens: u64,
    owner: Option<Owner>,
    records: RequestRecords,
}

impl Agent {
    fn new() -> Self {
        let id = AgentId::parse("demo/zeus").unwrap();
        let records = RequestRecords::default();
        Self { id, state: AgentState::Idle, pending: 0, tokens: 0, owner: Some(owner("cli:s-1")), records }
    }

    fn admit(&mut self, message: &str) -> Admission {
        let context = ContextBudget { tokens: self.tokens, window: 100 };
        let (state, pending) = (self.state, self.pending);
        let status = AgentStatus { id: &self.id, epoch: 7, state, pending, context };
        let owner = self.owner.clone();
        admit(message.as_bytes(), status, &mut self.records, at(0), || Ok(owner))
    }

    /// Returns the code of the answer, or a word for another decision.
    fn decide(&mut self, message: &str) -> String {
        match self.admit(message) {
            Admission::Ignore => "ignored".to_owned(),
            Admission::Join(_) => "joined".to_owned(),
            Admission::Perform { .. } => "performed".to_owned(),
            Admission::Answer(response) => {
                assert_eq!(response.epoch, Some(7));
                match response.outcome {
                    Outcome::Success { .. } => "ok".to_owned(),
                    Outcome::Failure(failure) => failure.code().unwrap().as_str().to_owned(),
                }
            }
        }
    }
}

fn success() -> Outcome {
    Outcome::Success { value: Json::parse("{}").unwrap(), ts: Timestamp::from_seconds(1.0).unwrap() }
}

/// Each message fails all later checks too, so that the order decides.
#[test]
fn the_first_failed_check_decides() {
    let mut agent = Agent::new();
    agent.owner = Some(owner("cli:s-2"));
    agent.state = AgentState::Shutdown;
    let key =
        RequestKey { caller: Caller::parse("cli:s-1").unwrap(), req_id: RequestId::parse("r-used").unwrap() };
    let used = Request::decode(line("r-used", "queue.clear", "{}", 1.0).as_bytes()).unwrap();
    agent.records.begin(key.clone(), ContentHash::of(&used), Duration::ZERO).unwrap();
    agent.records.finish(&key, success(), None, Duration::ZERO);
    let long = format!(r#"{{"req_id":"r-used","x":"{}"#, "a".repeat(262_144));
    for (message, expected) in [
        (long.as_str(), "payload.too_large"),
        (r#"{"x":1}"#, "ignored"),
        (r#"{"req_id":"r-used","method":7}"#, "args.invalid"),
        (&line("r-used", "nothing", "[]", -9.0), "args.invalid"),
        (&line("r-used", "nothing", "{}", -9.0), "timeout"),
        (&line("r-used", "nothing", "{}", 1.0), "args.invalid"),
        (&line("r-used", "queue.clear", "{}", 1.0), "ok"),
        (&line("r-1", "nothing", "{}", 1.0), "no_such_method"),
        (&line("r-1", "input", "{}", 1.0), "ownership.denied"),
        (&line("r-1", "status", "{}", 1.0), "busy"),
        (&line("r-1", "kb.search", "{}", 1.0), "args.invalid"),
    ] {
        assert_eq!(agent.decide(message), expected, "{}", &message[..message.len().min(99)]);
    }
    agent.owner = Some(owner("cli:s-1"));
    assert_eq!(agent.decide(&line("r-1", "input", "{}", 1.0)), "args.invalid");
    assert_eq!(agent.decide(&line("r-1", "input", INPUT, 1.0)), "busy");
}

#[test]
fn inputs_are_refused_by_a_full_queue_or_context() {
    let mut agent = Agent::new();
    agent.pending = 20_000;
    assert_eq!(agent.decide(&line("r-1", "input", INPUT, 1.0)), "busy");
    assert_eq!(agent.decide(&line("r-2", "queue.clear", "{}", 1.0)), "performed");
    agent.pending = 19_999;
    agent.tokens = 96;
    assert_eq!(agent.decide(&line("r-1", "input", INPUT, 1.0)), "busy");
    agent.tokens = 95;
    assert_eq!(agent.decide(&line("r-1", "input", INPUT, 1.0)), "performed");
    assert_eq!(agent.decide(&line("r-1", "input", INPUT, 1.0)), "joined");
}

#[test]
fn the_denial_names_the_owner() {
    let mut agent = Agent::new();
    agent.owner = Some(owner("console:s-9"));
    let Admission::Answer(response) = agent.admit(&line("r-1", "input", INPUT, 1.0)) else { panic!() };
    let expected = r#"{"req_id":"r-1","ok":false,"error":{"code":"ownership.denied","message":"another client is the owner","detail":{"owner":"console:s-9","since":1.5}},"epoch":7}"#;
    assert_eq!(response.encode().unwrap(), expected);
}

#[test]
fn documents_are_for_the_owner_and_agents_of_the_project() {
    let mut agent = Agent::new();
    for (caller, expected) in [
        ("cli:s-1", "performed"),
        ("cli:s-2", "ownership.denied"),
        ("agent:demo/hera", "performed"),
        ("agent:other/hera", "ownership.denied"),
        ("agent:demo", "ownership.denied"),
    ] {
        let message = line("r-1", "kb.get_items", r#"{"ids":["a"]}"#, 1.0).replace("cli:s-1", caller);
        assert_eq!(agent.decide(&message), expected, "{caller}");
    }
}

#[test]
fn the_owner_is_read_only_if_it_matters() {
    let agent = Agent::new();
    let context = ContextBudget { tokens: 0, window: 0 };
    let status = AgentStatus { id: &agent.id, epoch: 1, state: AgentState::Idle, pending: 0, context };
    for (method, expected) in [("status", 0), ("nothing", 0), ("input", 1)] {
        let reads = Cell::new(0);
        let mut records = RequestRecords::default();
        let message = line("r-1", method, INPUT, 1.0);
        let admission = admit(message.as_bytes(), status, &mut records, at(0), || {
            reads.set(reads.get() + 1);
            Err(Failure::new(ErrorCode::RedisUnavailable, "the owner cannot be read"))
        });
        assert_eq!(reads.get(), expected, "{method}");
        let is_unavailable = matches!(admission, Admission::Answer(response)
            if matches!(&response.outcome, Outcome::Failure(failure) if failure.code() == Some(ErrorCode::RedisUnavailable)));
        assert_eq!(is_unavailable, expected == 1, "a change needs a known owner");
        assert!(records.is_empty());
    }
}

#[test]
fn a_hash_depends_on_the_method_and_the_parameters_only() {
    let hash = |text: String| ContentHash::of(&Request::decode(text.as_bytes()).unwrap());
    let expected = hash(line("r-1", "input", INPUT, 1.0));
    assert_eq!(hash(line("r-2", "input", INPUT, 2.0)), expected);
    assert_ne!(hash(line("r-1", "inpu", INPUT, 1.0)), expected);
    assert_ne!(hash(line("r-1", "input", &INPUT.replace('a', "b"), 1.0)), expected);
    // The hash is written to files, so it stays the same in later versions.
    assert_eq!(expected.as_str(), "e177c3db856ee5d34ca91a6306bf57cc");
}

#[test]
fn records_are_bounded_and_never_given_up_early() {
    let mut records = RequestRecords::default();
    let hash = ContentHash::of(&Request::decode(line("r", "input", INPUT, 1.0).as_bytes()).unwrap());
    let key = |n: usize| RequestKey {
        caller: Caller::parse("cli:s-1").unwrap(),
        req_id: RequestId::parse(&n.to_string()).unwrap(),
    };
    for n in 0..65_536 {
        records.begin(key(n), hash.clone(), Duration::ZERO).unwrap();
        records.finish(&key(n), success(), None, Duration::ZERO);
    }
    let error = records.begin(key(65_536), hash.clone(), Duration::from_secs(59)).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::Busy));
    assert!(records.begin(key(65_536), hash, Duration::from_mins(1)).is_ok());
    assert_eq!(records.len(), 1);
}

#[derive(Clone, Debug)]
enum Step {
    Ask,
    Finish(bool, bool),
    ItemDone,
    Wait(u64),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<(usize, bool, Step)>> {
    let step = prop_oneof![
        4 => Just(Step::Ask),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(is_busy, has_item)| Step::Finish(is_busy, has_item)),
        1 => Just(Step::ItemDone),
        2 => (0_u64..50).prop_map(Step::Wait),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec((0_usize..3, prop::bool::weighted(0.8), step), 0..80)
}

proptest! {
    /// A request is performed once while its record holds: 60 s after the answer, and until its item is done.
    #[test]
    fn duplicates_agree_with_a_model(steps in steps()) {
        #[derive(Clone, Debug)]
        struct Entry { content: bool, answered: Option<u64>, item: bool }
        let mut model: [Option<Entry>; 3] = [None, None, None];
        let mut records = RequestRecords::default();
        let hash = |content: bool| {
            let params = if content { INPUT } else { "{}" };
            ContentHash::of(&Request::decode(line("r", "input", params, 1.0).as_bytes()).unwrap())
        };
        let mut now = 0;
        for (id, content, step) in steps {
            let clock = Duration::from_secs(now);
            let key = RequestKey {
                caller: Caller::parse("cli:s-1").unwrap(),
                req_id: RequestId::parse(&format!("r-{id}")).unwrap(),
            };
            let item = ItemId::parse(&format!("q-{id}")).unwrap();
            for known in &mut model {
                known.take_if(|known| !known.item && known.answered.is_some_and(|time| now >= time + 60));
            }
            match step {
                Step::Ask => {
                    let found = records.find(&key, &hash(content), clock);
                    match &model[id] {
                        None => {
                            prop_assert_eq!(found, Recorded::New);
                            records.begin(key, hash(content), clock).unwrap();
                            model[id] = Some(Entry { content, answered: None, item: false });
                        }
                        Some(known) if known.content != content => {
                            prop_assert!(matches!(found, Recorded::Conflict(failure) if failure.code() == Some(ErrorCode::ArgsInvalid)));
                        }
                        Some(Entry { answered: None, .. }) => prop_assert_eq!(found, Recorded::Running),
                        Some(_) => prop_assert_eq!(found, Recorded::Answered(success())),
                    }
                }
                Step::Finish(is_busy, has_item) => {
                    if let Some(known) = model[id].as_mut().filter(|known| known.answered.is_none()) {
                        if is_busy {
                            let failure = Failure::new(ErrorCode::Busy, "busy");
                            records.finish(&key, Outcome::Failure(failure), None, clock);
                            model[id] = None;
                        } else {
                            records.finish(&key, success(), has_item.then_some(item), clock);
                            known.answered = Some(now);
                            known.item = has_item;
                        }
                    }
                }
                Step::ItemDone => {
                    records.finish_item(&item);
                    if let Some(known) = &mut model[id] {
                        known.item = false;
                    }
                }
                Step::Wait(seconds) => now += seconds,
                Step::Restart => {
                    // What is in a file survives; a request without an answer is new again.
                    records = RequestRecords::default();
                    for (id, known) in model.iter_mut().enumerate() {
                        known.take_if(|known| known.answered.is_none());
                        if let Some(Entry { content, answered: Some(answered), item }) = known {
                            let key = RequestKey { req_id: RequestId::parse(&format!("r-{id}")).unwrap(), ..key.clone() };
                            let item = item.then(|| ItemId::parse(&format!("q-{id}")).unwrap());
                            let age = Duration::from_secs(now - *answered);
                            records.restore(key, hash(*content), success(), item, age, clock);
                        }
                    }
                }
            }
        }
    }
}

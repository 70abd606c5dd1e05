//! An agent that is killed loses nothing that it acknowledged, and does nothing twice.
//!
//! The variable `MINDS_TEST_KILLS` is the number of kills, 30 by default, and `MINDS_TEST_ITEMS` that of the items of a long
//! queue, 1,000 by default.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use minds_fleet_protocol::methods::{InputValue, QueueDrop};
use minds_fleet_protocol::{EventKind, ItemId, ItemState, Outcome};
use serde_json::{Value, json};

use crate::client::{Client, Frames, input};
use crate::place::{Place, eventually};

/// The maximum number of inputs before a kill.
const MAX_INPUTS: u64 = 12;

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |count| count.parse().unwrap())
}

/// A script with which each item has one effect and one answer.
pub(crate) fn script() -> Vec<Value> {
    let step = [
        json!({"when": "item", "tool_calls": [{"name": "note"}]}),
        json!({"when": "written", "text": "done"}),
    ];
    step.into_iter().cycle().take(400).collect()
}

/// Numbers that look random, from a seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What is known about the items of an agent over all its processes.
#[derive(Default)]
pub(crate) struct Books {
    acknowledged: BTreeSet<ItemId>,
    dropped: BTreeSet<ItemId>,
}

impl Books {
    /// Takes the answers that have arrived.
    pub(crate) fn take_answers(&mut self, client: &mut Client) {
        while let Some(response) = client.next_response() {
            self.take(response.outcome);
        }
    }

    pub(crate) fn take(&mut self, outcome: Outcome) {
        if let Outcome::Success { value, .. } = outcome {
            self.acknowledged.insert(value.decode::<InputValue>().unwrap().qid);
        }
    }

    /// Checks that the parked items are named, and drops them.
    pub(crate) fn drop_parked(&mut self, place: &Place, client: &mut Client) {
        let queue = client.queue();
        let parked = queue.into_iter().filter(|item| item.state == ItemState::Parked).map(|item| item.qid);
        let parked: BTreeSet<ItemId> = parked.collect();
        let mut frames = Frames::all(&place.bus());
        let status = client.status().unwrap();
        let epoch = status.epoch;
        frames.wait_for(|event| matches!(event.kind, EventKind::TaskRecover(_)).then_some(()));
        let named = eventually("the recovery", || {
            frames.read_more();
            frames.read.iter().rev().find_map(|frame| match &frame.event.kind {
                EventKind::TaskRecover(recover) if frame.epoch == epoch => Some(recover.parked.clone()),
                _ => None,
            })
        });
        assert_eq!(named.into_iter().collect::<BTreeSet<_>>(), parked);
        for qid in parked {
            client.call(&QueueDrop { qid: qid.clone() }).unwrap();
            self.dropped.insert(qid);
        }
    }

    /// Checks the items when none waits any longer.
    pub(crate) fn check(&self, place: &Place) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for effect in place.effects() {
            *counts.entry(effect).or_default() += 1;
        }
        let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
        assert!(twice.is_empty(), "executed twice: {twice:?}");
        let with_effect: BTreeSet<&str> = counts.keys().map(|key| key.split('/').next().unwrap()).collect();
        let done = self.acknowledged.difference(&self.dropped);
        let lost: Vec<_> = done.filter(|id| !with_effect.contains(id.as_str())).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        // Every line is complete.
        for file in ["queue.jsonl", "history.jsonl"] {
            place.lines(file);
        }
    }
}

#[test]
fn an_agent_that_is_killed_at_any_time_loses_and_repeats_nothing() {
    let place = Place::new(&script());
    let (mut numbers, mut books) = (Numbers(1), Books::default());
    for _ in 0..number("MINDS_TEST_KILLS", 30) {
        let mut agent = place.start();
        let mut client = place.owner();
        books.drop_parked(&place, &mut client);
        let (inputs, answers) = (1 + numbers.below(MAX_INPUTS), numbers.below(MAX_INPUTS));
        for number in 0..inputs {
            let request = client.request(&input(&format!("item {number}")));
            client.send_only(request);
        }
        for _ in 0..answers.min(inputs) {
            let response = client.next_response().unwrap();
            books.take(response.outcome);
        }
        // Some time later, of at most 10 milliseconds.
        let (start, time) = (Instant::now(), u128::from(numbers.below(10_000)));
        while start.elapsed().as_micros() < time {
            std::hint::spin_loop();
        }
        agent.kill();
        books.take_answers(&mut client);
    }
    let _agent = place.start();
    let mut client = place.owner();
    books.drop_parked(&place, &mut client);
    eventually("all items", || (client.waiting()? == 0).then_some(()));
    books.check(&place);
}

#[test]
fn a_long_queue_drains_in_order() {
    let items = number("MINDS_TEST_ITEMS", 1_000);
    let place = Place::new(&vec![json!({"text": "done"}); items]);
    let _agent = place.start();
    let mut client = place.owner();
    let mut sent: Vec<ItemId> = Vec::new();
    for number in 0..items {
        let request = client.request(&input(&number.to_string()));
        client.send_only(request);
        // A window of requests, as several clients would have.
        if number % 64 == 63 || number == items - 1 {
            while sent.len() <= number {
                let Outcome::Success { value, .. } = client.next_response().unwrap().outcome else {
                    panic!()
                };
                sent.push(value.decode::<InputValue>().unwrap().qid);
            }
        }
    }
    eventually("all items", || (client.waiting()? == 0).then_some(()));
    let texts = place.lines("history.jsonl").into_iter().filter(|line| line["role"] == "user");
    let texts: Vec<String> = texts.map(|line| line["content"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<String> = (0..items).map(|number| number.to_string()).collect();
    assert_eq!(texts, expected);
}

//! Random operations, compared with a slow model over restarts and failures of the disk.

use std::collections::BTreeMap;

use minds_fleet_protocol::{HistoryRecord, ItemId, ItemState, QueueRecord, Recorded};
use minds_fleet_store::{AgentStore, Recovery, StoreSettings};
use minds_fs::faults::{Plan, run};
use proptest::prelude::*;

use crate::support::{
    World, at, call, caller, done, effect, expect_storage, hash, item, key, line, start, summary,
};

const NO_SPACE: i32 = 28;
const INPUT_OUTPUT: i32 = 5;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Adds items, and syncs if true.
    Add(usize, bool),
    /// Starts the next item.
    Start,
    /// Ends, parks, retries or drops the item at an index, if its state allows it.
    Change(usize, u8),
    /// Appends lines, of which the first has an effect if true.
    Lines(u64, bool),
    Summarize,
    Call,
    Compact,
    Clear,
    /// Lets time pass, in seconds; less than none sets the clock back.
    Wait(i8),
    /// Adds an item, and the disk is full.
    FailAppend,
    /// Adds an item, and the disk does not confirm it.
    FailSync,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_usize..40, any::<bool>()).prop_map(|(count, is_synced)| Step::Add(count, is_synced)),
        6 => Just(Step::Start),
        8 => (any::<prop::sample::Index>(), 0_u8..4).prop_map(|(index, kind)| Step::Change(index.index(1_000), kind)),
        4 => (1_u64..4, any::<bool>()).prop_map(|(count, has_effect)| Step::Lines(count, has_effect)),
        1 => Just(Step::Summarize),
        2 => Just(Step::Call),
        2 => Just(Step::Compact),
        1 => Just(Step::Clear),
        2 => (-20_i8..70).prop_map(Step::Wait),
        1 => Just(Step::FailAppend),
        2 => Just(Step::FailSync),
        3 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..50)
}

fn settings() -> StoreSettings {
    StoreSettings { max_history_bytes: 5_000, ..StoreSettings::default() }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    number: usize,
    state: ItemState,
    attempt: u32,
    ts: f64,
    /// Whether it called a tool with an effect: ever, and since its last start.
    effects: (bool, bool),
}

/// What the files have to contain.
#[derive(Clone, Debug, Default)]
struct Model {
    items: BTreeMap<ItemId, Known>,
    /// The items as they were when the queue was synced.
    synced: BTreeMap<ItemId, Known>,
    lines: Vec<u64>,
    summarized: u64,
    summaries: usize,
    calls: BTreeMap<usize, f64>,
    next_number: usize,
    now: f64,
}

impl Model {
    fn running(&self) -> Option<ItemId> {
        let mut running = self.items.iter().filter(|(_, item)| item.state == ItemState::Running);
        running.next().map(|(id, _)| id.clone())
    }

    /// Applies a step to the store and to the model.
    fn apply(&mut self, store: &mut AgentStore, step: Step) {
        let now = at(self.now).time;
        match step {
            Step::Add(count, is_synced) => {
                let mut records = Vec::new();
                for _ in 0..count {
                    let id = store.next_item_id(now);
                    records.push(self.add(&id));
                }
                store.append_queue(&records).unwrap();
                if is_synced {
                    self.sync(store);
                }
            }
            Step::Start => {
                let Some((id, attempt)) =
                    store.queue().next().map(|(item, attempt)| (item.id.clone(), attempt))
                else {
                    return;
                };
                store.append_queue(&[start(&id, attempt, self.now)]).unwrap();
                let known = self.items.get_mut(&id).unwrap();
                (known.state, known.attempt, known.effects.1) = (ItemState::Running, attempt, false);
            }
            Step::Change(index, kind) => self.change(store, index, kind),
            Step::Lines(count, has_effect) => {
                let Some(id) = self.running() else { return };
                let first = store.next_seq();
                let to_line =
                    |seq| if has_effect && seq == first { effect(seq, &id) } else { line(seq, &id, "text") };
                let lines: Vec<HistoryRecord> = (first..first + count).map(to_line).collect();
                store.append_history(&lines).unwrap();
                self.lines.extend(lines.iter().map(|line| line.seq));
                let known = self.items.get_mut(&id).unwrap();
                known.effects = (known.effects.0 || has_effect, known.effects.1 || has_effect);
                self.synced = self.items.clone();
            }
            Step::Summarize => {
                let last = store.next_seq() - 1;
                if last > self.summarized {
                    store.append_summary(summary(self.summarized + 1, last)).unwrap();
                    (self.summarized, self.summaries) = (last, self.summaries + 1);
                }
            }
            Step::Call => {
                store.record_call(call(self.next_number, self.now)).unwrap();
                self.calls.insert(self.next_number, self.now);
                self.next_number += 1;
            }
            Step::Compact => {
                if store.compact(now).unwrap() {
                    let now = self.now;
                    self.items.retain(|id, known| {
                        let is_kept = store.queue().state(id).is_some();
                        assert!(
                            is_kept || (known.state == ItemState::Done && now - known.ts >= 60.0),
                            "{id}"
                        );
                        is_kept
                    });
                    self.synced = self.items.clone();
                }
            }
            Step::Clear => match store.clear_history() {
                Ok(()) => {
                    assert_eq!(self.running(), None);
                    self.lines.clear();
                    (self.summarized, self.summaries) = (0, 0);
                    self.items.values_mut().for_each(|item| item.effects = (false, false));
                }
                Err(_) => assert!(self.running().is_some()),
            },
            Step::Wait(seconds) => self.now += f64::from(seconds),
            Step::FailAppend => {
                let id = store.next_item_id(now);
                let record = QueueRecord::Item(item(&id, self.next_number, self.now));
                let (failed, _) = run(Plan::fail_every("write", NO_SPACE), || store.append_queue(&[record]));
                expect_storage(failed);
            }
            Step::FailSync => {
                let id = store.next_item_id(now);
                let record = self.add(&id);
                store.append_queue(&[record]).unwrap();
                let (failed, _) = run(Plan::fail_every("fdatasync", INPUT_OUTPUT), || store.sync_queue());
                expect_storage(failed);
                self.items = self.synced.clone();
            }
            Step::Restart => {}
        }
    }

    fn add(&mut self, id: &ItemId) -> QueueRecord {
        let (number, ts) = (self.next_number, self.now);
        self.next_number += 1;
        let known = Known { number, state: ItemState::Pending, attempt: 0, ts, effects: (false, false) };
        assert_eq!(self.items.insert(id.clone(), known), None, "{id} is given once");
        QueueRecord::Item(item(id, number, ts))
    }

    fn change(&mut self, store: &mut AgentStore, index: usize, kind: u8) {
        let index = index % self.items.len().max(1);
        let Some((id, known)) = self.items.iter_mut().nth(index) else { return };
        let ts = at(self.now).time;
        let (record, next) = match kind {
            0 => (done(id, self.now), (known.state == ItemState::Running).then_some(ItemState::Done)),
            1 => (
                QueueRecord::Park { park: id.clone(), ts, reason: "test".to_owned() },
                (known.state == ItemState::Running).then_some(ItemState::Parked),
            ),
            2 => (
                QueueRecord::Retry { retry: id.clone(), ts, caller: caller() },
                (known.state == ItemState::Parked).then_some(ItemState::Pending),
            ),
            _ => (
                QueueRecord::Drop { drop: id.clone(), ts, caller: caller() },
                matches!(known.state, ItemState::Parked | ItemState::Pending).then_some(ItemState::Done),
            ),
        };
        assert_eq!(store.append_queue(&[record]).is_ok(), next.is_some());
        known.state = next.unwrap_or(known.state);
    }

    fn sync(&mut self, store: &mut AgentStore) {
        store.sync_queue().unwrap();
        self.synced = self.items.clone();
    }

    /// Notes what a start does to the running item.
    fn restart(&mut self, recovery: &Recovery) {
        if let Some(id) = self.running() {
            let known = self.items.get_mut(&id).unwrap();
            let is_parked = recovery.parked.contains(&id);
            assert!(is_parked || !known.effects.1, "an item with an effect is parked: {id}");
            assert!(!is_parked || known.effects.0, "an item without effects runs again: {id}");
            assert_eq!(recovery.resumed.is_some(), !is_parked);
            if is_parked {
                known.state = ItemState::Parked;
            }
        }
        self.synced = self.items.clone();
        assert_eq!(recovery.warnings, Vec::<String>::new());
        for (number, ts) in &self.calls {
            let found = recovery.records.find(&key(*number), &hash(*number), at(self.now).clock);
            let is_young = self.now - ts < 60.0;
            assert_eq!(matches!(found, Recorded::Answered(_)), is_young, "call {number}");
        }
        for known in self.items.values() {
            let found = recovery.records.find(&key(known.number), &hash(known.number), at(self.now).clock);
            let is_recorded = known.state != ItemState::Done || self.now - known.ts < 60.0;
            assert_eq!(matches!(found, Recorded::Answered(_)), is_recorded, "input {}", known.number);
        }
    }

    /// Compares the store with the model.
    fn compare(&self, store: &AgentStore) {
        let found: Vec<_> = store.queue().items().map(|(item, state)| (item.id.clone(), state)).collect();
        let expected: Vec<_> = self.items.iter().map(|(id, known)| (id.clone(), known.state)).collect();
        assert_eq!(found, expected);
        let attempts: Vec<_> = store.queue().list().iter().map(|item| item.attempt).collect();
        let waiting = self.items.values().filter(|known| known.state != ItemState::Done);
        assert_eq!(attempts, waiting.map(|known| known.attempt).collect::<Vec<_>>());
        let read = store.read_history(1_000, None).unwrap();
        let lines: Vec<u64> =
            read.turns.iter().map(|turn| turn.decode::<HistoryRecord>().unwrap().seq).collect();
        assert_eq!(lines, self.lines);
        let recent: Vec<u64> = store.recent_history().map(|line| line.seq).collect();
        let expected: Vec<u64> = lines.into_iter().filter(|seq| *seq > self.summarized).collect();
        assert_eq!(recent, expected);
        assert_eq!(store.summaries().len(), self.summaries);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_files_have_what_the_model_has(steps in steps()) {
        let world = World::new();
        let mut model = Model::default();
        let mut store = world.try_open(&settings(), 0.0).unwrap().0;
        for step in steps.into_iter().chain([Step::Restart]) {
            model.apply(&mut store, step);
            if let Step::Restart = step {
                drop(store);
                let opened = world.try_open(&settings(), model.now).unwrap();
                model.restart(&opened.1);
                store = opened.0;
            }
            model.compare(&store);
        }
    }
}

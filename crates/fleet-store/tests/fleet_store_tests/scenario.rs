//! One piece of work with every kind of change, and what has to be in the files after each acknowledgement.

use minds_fleet_protocol::{Failure, HistoryRecord, ItemState, Lines, QueueRecord, Recorded, Repair};
use minds_fleet_store::{AgentStore, StoreSettings};

use crate::support::{World, add, at, call, done, hash, item, key, line, start, summary};

/// The time of the scenario, in seconds; the items of the template are older.
const NOW: f64 = 1_000.0;
/// The number of acknowledgements of the scenario.
const ALL: usize = 20;

fn settings() -> StoreSettings {
    StoreSettings { max_history_bytes: 700, ..StoreSettings::default() }
}

/// Returns a folder whose queue is compacted by the scenario.
pub(crate) fn template() -> World {
    let world = World::new();
    let (mut store, _) = world.try_open(&settings(), 0.0).unwrap();
    for number in 10_000..10_100 {
        let id = add(&mut store, number, 0.0);
        store.append_queue(&[start(&id, 1, 0.0), done(&id, 0.0)]).unwrap();
    }
    let id = add(&mut store, 20_000, 0.0);
    store.append_queue(&[start(&id, 1, 0.0)]).unwrap();
    store.append_history(&[line(1, &id, "one")]).unwrap();
    (0..100).for_each(|number| store.record_call(call(30_000 + number, 0.0)).unwrap());
    (1..=199).for_each(|_| store.append_summary(summary(1, 1)).unwrap());
    drop(store);
    world
}

/// What was acknowledged, in its order: `item 7`, `start 7`, `line 3`, `call 8`, `summary 3`, `enrolled`.
#[derive(Debug, Default)]
pub(crate) struct Acknowledged(Vec<String>);

impl Acknowledged {
    pub(crate) fn add(&mut self, what: &str) {
        self.0.push(what.to_owned());
    }

    #[track_caller]
    pub(crate) fn expect_complete(&self, context: &str) {
        assert_eq!(self.0.len(), ALL, "{context}: {:?}", self.0);
    }
}

/// Performs the work once, up to the first failure.
pub(crate) fn perform(world: &World, acknowledge: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    work(world, acknowledge, &mut |attempt| attempt())
}

/// Performs the work, and makes each step again if it failed; returns the number of failures.
pub(crate) fn perform_with_retries(world: &World, acknowledge: &mut dyn FnMut(&str)) -> usize {
    let mut failures = 0;
    let done = work(world, acknowledge, &mut |attempt| {
        for _ in 0..3 {
            match attempt() {
                Err(_) => failures += 1,
                Ok(()) => return Ok(()),
            }
        }
        attempt()
    });
    done.unwrap();
    failures
}

type Attempt<'a> = &'a mut dyn FnMut() -> Result<(), Failure>;

fn work(
    world: &World,
    acknowledge: &mut dyn FnMut(&str),
    step: &mut dyn FnMut(Attempt<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut opened = None;
    step(&mut || {
        opened = Some(world.try_open(&settings(), NOW)?.0);
        Ok(())
    })?;
    let mut store = opened.unwrap();
    let mut ids = Vec::new();
    for batch in [0..2, 2..3, 3..5] {
        let first = ids.len();
        ids.extend(batch.clone().map(|_| store.next_item_id(at(NOW).time)));
        let records: Vec<_> = batch.clone().map(|n| QueueRecord::Item(item(&ids[n], n, NOW))).collect();
        assert_eq!(first, batch.start);
        step(&mut || append_and_sync(&mut store, &records))?;
        batch.for_each(|number| acknowledge(&format!("item {number}")));
    }
    let running = store.queue().next().map(|(item, _)| item.id.clone()).unwrap();
    step(&mut || append_and_sync(&mut store, &[done(&running, NOW)]))?;
    acknowledge("done 20000");
    for (number, id) in ids.iter().enumerate().take(3) {
        step(&mut || append_and_sync(&mut store, &[start(id, 1, NOW)]))?;
        acknowledge(&format!("start {number}"));
        let first = store.next_seq();
        let lines = [line(first, id, "input"), line(first + 1, id, "answer")];
        step(&mut || store.append_history(&lines))?;
        acknowledge(&format!("line {}", first + 1));
        step(&mut || append_and_sync(&mut store, &[done(id, NOW)]))?;
        acknowledge(&format!("done {number}"));
        step(&mut || store.compact(at(NOW).time).map(|_| ()))?;
    }
    for last in [3, 5] {
        step(&mut || store.append_summary(summary(1, last)))?;
        acknowledge(&format!("summary {last}"));
    }
    step(&mut || store.record_call(call(8, NOW)))?;
    acknowledge("call 8");
    step(&mut || store.compact(at(NOW).time).map(|_| ()))?;
    step(&mut || store.record_call(call(9, NOW)))?;
    acknowledge("call 9");
    step(&mut || store.set_enrolled(true))?;
    acknowledge("enrolled");
    Ok(())
}

/// Appends records and makes them durable. After a failure, the queue is what it was.
fn append_and_sync(store: &mut AgentStore, records: &[QueueRecord]) -> Result<(), Failure> {
    let before = store.queue().clone();
    let done = store.append_queue(records).and_then(|()| store.sync_queue());
    assert!(done.is_ok() || *store.queue() == before);
    done
}

/// Checks that the files have what was acknowledged, nothing twice, and no torn line.
#[track_caller]
pub(crate) fn expect_acknowledged(world: &World, acknowledged: &Acknowledged, context: &str) {
    let (store, recovery) = world.try_open(&settings(), NOW).unwrap();
    let state = |number: usize| {
        let mut items = store.queue().items().filter(|(item, _)| item.key() == key(number));
        let found = items.next().map(|(_, state)| state);
        assert!(items.next().is_none(), "{context}: item {number} exists twice");
        found
    };
    let read = store.read_history(1_000, None).unwrap();
    let lines: Vec<u64> = read.turns.iter().map(|turn| turn.decode::<HistoryRecord>().unwrap().seq).collect();
    assert_eq!(lines, (1..store.next_seq()).collect::<Vec<_>>(), "{context}");
    for what in &acknowledged.0 {
        let (kind, number) = what.split_once(' ').unwrap_or((what, "0"));
        let number: usize = number.parse().unwrap();
        let is_kept = match kind {
            "item" => state(number).is_some(),
            "start" => matches!(state(number), Some(ItemState::Running | ItemState::Done)),
            // The item of the template is old, so that the compaction removes it.
            "done" => {
                matches!(state(number), Some(ItemState::Done) | None if number == 20_000)
                    || state(number) == Some(ItemState::Done)
            }
            "line" => lines.contains(&u64::try_from(number).unwrap()),
            "call" => matches!(
                recovery.records.find(&key(number), &hash(number), at(NOW).clock),
                Recorded::Answered(_)
            ),
            "summary" => store.summaries().iter().any(|summary| summary.window.1 == number as u64),
            "enrolled" => store.is_enrolled(),
            _ => panic!("{what}"),
        };
        assert!(is_kept, "{context}: {what} is lost: {acknowledged:?}");
    }
    drop(store);
    for name in ["queue.jsonl", "calls.jsonl", "history.jsonl", "history.jsonl.1", "summary.jsonl"] {
        let Ok(bytes) = std::fs::read(world.path(name)) else { continue };
        let read = Lines::read(&bytes);
        assert_eq!((read.unreadable.len(), read.repair), (0, Repair::None), "{context}: {name}");
        let mut lines = read.lines.clone();
        lines.sort_unstable();
        lines.dedup();
        let is_template = name == "summary.jsonl";
        assert!(is_template || lines.len() == read.lines.len(), "{context}: a line of {name} exists twice");
    }
}

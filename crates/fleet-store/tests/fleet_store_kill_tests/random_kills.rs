//! A process that works without a pause and is killed at a random time.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;

use minds_fleet_protocol::{HistoryRecord, ItemId, ItemState, QueueRecord};
use minds_fleet_store::{AgentStore, StoreSettings};

use crate::support::{World, at, done, effect, item, line, start};
use crate::{acknowledge, child, lock_children, order, parse_acknowledgement};

const KILLED: i32 = 9;
/// The number of processes that are killed.
const COUNT: &str = "MINDS_TEST_KILLS";
/// The time between two rounds of the child process, in seconds: done items are removed after 60 seconds.
const ROUND: f64 = 20.0;

fn settings() -> StoreSettings {
    StoreSettings { max_history_bytes: 20_000, ..StoreSettings::default() }
}

/// Adds items and works on them until it is killed. The order is the number of the process and the folder.
#[test]
fn the_child_process_is_killed() {
    let Some(order) = order() else {
        // Run as a normal test: nothing to do.
        return;
    };
    let (process, state) = order.split_once('|').unwrap();
    let process: usize = process.parse().unwrap();
    let world = World::at(state);
    let begin = f64::from(u32::try_from(process).unwrap()) * 10_000.0;
    let (mut store, recovery) = world.try_open(&settings(), begin).unwrap();
    for id in &recovery.parked {
        let ts = at(begin).time;
        store
            .append_queue(&[QueueRecord::Drop { drop: id.clone(), ts, caller: crate::support::caller() }])
            .unwrap();
    }
    for round in 0_u32..400 {
        let now = begin + f64::from(round) * ROUND;
        let ids: Vec<ItemId> = (0..=round % 5).map(|_| store.next_item_id(at(now).time)).collect();
        let numbers = process * 10_000 + usize::try_from(round).unwrap() * 10..;
        let records: Vec<_> =
            ids.iter().zip(numbers).map(|(id, number)| QueueRecord::Item(item(id, number, now))).collect();
        store.append_queue(&records).unwrap();
        store.sync_queue().unwrap();
        for id in &ids {
            acknowledge(&format!("item {id}"));
        }
        work(&mut store, now);
        store.compact(at(now).time).unwrap();
    }
}

/// Works on the next three items; the second one has an effect.
fn work(store: &mut AgentStore, now: f64) {
    for number in 0..3 {
        let Some((id, attempt)) = store.queue().next().map(|(item, attempt)| (item.id.clone(), attempt))
        else {
            return;
        };
        store.append_queue(&[start(&id, attempt, now)]).unwrap();
        let seq = store.next_seq();
        let answer = if number == 1 { effect(seq + 1, &id) } else { line(seq + 1, &id, "answer") };
        store.append_history(&[line(seq, &id, "input"), answer]).unwrap();
        acknowledge(&format!("line {}", seq + 1));
        if number == 1 {
            acknowledge(&format!("effect {id}"));
        }
        store.append_queue(&[done(&id, now)]).unwrap();
        store.sync_queue().unwrap();
        acknowledge(&format!("done {id}"));
    }
}

/// What the processes have acknowledged.
#[derive(Debug, Default)]
struct Known {
    items: BTreeSet<ItemId>,
    /// The items with an effect.
    effects: BTreeSet<ItemId>,
    done: BTreeSet<ItemId>,
    last_line: u64,
}

impl Known {
    fn add(&mut self, what: &str) {
        let (kind, value) = what.split_once(' ').unwrap();
        let id = || ItemId::parse(value).unwrap();
        match kind {
            "item" => assert!(self.items.insert(id()), "{value} is given once"),
            "effect" => assert!(self.effects.insert(id()), "the effect of {value} is not repeated"),
            "done" => assert!(self.done.insert(id()), "{value} is done once"),
            "line" => self.last_line = value.parse().unwrap(),
            _ => panic!("{what}"),
        }
    }

    /// Compares the files with what was acknowledged.
    #[track_caller]
    fn compare(&mut self, world: &World, seconds: f64, context: &str) {
        let (store, recovery) = world.try_open(&settings(), seconds).unwrap();
        for id in &self.items {
            let state = store.queue().state(id);
            if self.done.contains(id) {
                assert!(matches!(state, None | Some(ItemState::Done)), "{context}: {id} is {state:?}");
            } else if state.is_none_or(|state| state == ItemState::Done) {
                // The end of the item was written, and the process was killed before it could say so. It was the last one.
                let later = self.done.range(id.clone()..).next();
                assert!(state.is_some() && later.is_none(), "{context}: {id} is lost");
            }
        }
        for id in self.effects.difference(&self.done) {
            let state = store.queue().state(id);
            let is_safe = matches!(state, Some(ItemState::Parked | ItemState::Done));
            assert!(is_safe, "{context}: {id} would run again: {state:?}");
        }
        assert!(store.next_seq() > self.last_line, "{context}");
        let read = store.read_history(100, None).unwrap();
        let lines: Vec<u64> =
            read.turns.iter().map(|turn| turn.decode::<HistoryRecord>().unwrap().seq).collect();
        let first = read.first.unwrap_or(store.next_seq());
        assert_eq!(lines, (first..store.next_seq()).collect::<Vec<_>>(), "{context}");
        let is_repair = |warning: &String| warning.starts_with("cut off the last line of");
        assert!(recovery.warnings.iter().all(is_repair), "{context}: {:?}", recovery.warnings);
        // What the child drops, and what ended without an acknowledgement.
        self.done.extend(recovery.parked);
        let ended = store.queue().items().filter(|(_, state)| *state == ItemState::Done);
        self.done.extend(ended.map(|(item, _)| item.id.clone()));
        // An item that is done is not needed any more; its effect stays known.
        let done = &self.done;
        self.items.retain(|id| !done.contains(id));
    }
}

#[test]
fn nothing_that_was_acknowledged_is_lost_at_a_random_time() {
    let _guard = lock_children();
    let count: u32 = std::env::var(COUNT).ok().map_or(12, |count| count.parse().expect("a number"));
    let world = World::new();
    let (mut known, mut lines) = (Known::default(), 0);
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for process in 0..count {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let order = format!("{process}|{}", world.state.display());
        let mut running = child("random_kills::the_child_process_is_killed", &order).spawn().unwrap();
        let mut output = BufReader::new(running.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut acknowledged = Vec::new();
        let wanted = usize::try_from(random % 60).unwrap();
        while acknowledged.len() < wanted {
            let Some(line) = output.next() else { break };
            acknowledged.extend(parse_acknowledgement(&line).map(ToOwned::to_owned));
        }
        // The process works on while this one counts.
        (0..random >> 48).for_each(|number| assert_eq!(std::hint::black_box(number), number));
        running.kill().unwrap();
        // What it wrote to the pipe before its end was acknowledged too.
        acknowledged.extend(output.filter_map(|line| parse_acknowledgement(&line).map(ToOwned::to_owned)));
        let status = running.wait().unwrap();
        let context = format!("process {process}, after {} acknowledgements", acknowledged.len());
        assert_eq!(status.signal(), Some(KILLED), "{context}");
        for what in &acknowledged {
            known.add(what);
        }
        lines += acknowledged.len();
        known.compare(&world, f64::from(process) * 10_000.0 + 9_000.0, &context);
    }
    assert!(lines > usize::try_from(count).unwrap() * 5, "{lines}");
}

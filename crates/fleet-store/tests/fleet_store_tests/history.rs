//! The history over several files.

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fleet_protocol::{ErrorCode, HistoryRecord, ItemId, Timestamp};
use minds_fleet_store::{AgentStore, StoreSettings};

use crate::support::{START, World, add, at, line, start, summary};

const DAY: f64 = 86_400.0;

fn small() -> StoreSettings {
    StoreSettings { max_history_bytes: 1_000, ..StoreSettings::default() }
}

fn open(world: &World) -> AgentStore {
    world.try_open(&small(), 0.0).unwrap().0
}

fn qid() -> ItemId {
    ItemId::parse("q-1").unwrap()
}

fn append(store: &mut AgentStore, count: u64) {
    for _ in 0..count {
        let record = line(store.next_seq(), &qid(), "a line");
        store.append_history(&[record]).unwrap();
    }
}

/// Returns the numbers of lines.
fn numbers(store: &AgentStore, n: usize, before: Option<u64>) -> Vec<u64> {
    let read = store.read_history(n, before).unwrap();
    let turns: Vec<HistoryRecord> = read.turns.iter().map(|turn| turn.decode().unwrap()).collect();
    let numbers: Vec<u64> = turns.iter().map(|turn| turn.seq).collect();
    assert_eq!(read.first, numbers.first().copied());
    numbers
}

#[test]
fn a_large_file_is_rotated_and_the_sixth_one_is_removed() {
    let world = World::new();
    let mut store = open(&world);
    let mut contents = Vec::new();
    for _ in 0..100 {
        append(&mut store, 1);
        let rotated = |number: usize| std::fs::read(world.path(&format!("history.jsonl.{number}"))).ok();
        let newest = rotated(1);
        if newest.is_some() && newest.as_ref() != contents.last() {
            contents.extend(newest);
        }
        let found: Vec<_> = (1..=6).map_while(rotated).collect();
        let expected: Vec<_> = contents.iter().rev().take(5).cloned().collect();
        assert_eq!(found, expected, "rotated files are immutable");
        assert!(world.read("history.jsonl").len() < 1_400);
    }
    assert!(contents.len() > 6);
    drop(store);
    let store = open(&world);
    assert_eq!(store.next_seq(), 101);
    let all = numbers(&store, 1_000, None);
    assert_eq!(all, (all[0]..=100).collect::<Vec<_>>());
    assert_eq!(store.recent_history().map(|line| line.seq).collect::<Vec<_>>(), all);
}

#[test]
fn the_history_is_read_in_pages_over_all_files() {
    let world = World::new();
    let mut store = open(&world);
    append(&mut store, 25);
    for n in 1..=26 {
        let mut pages = Vec::new();
        let mut before = None;
        loop {
            let page = numbers(&store, n, before);
            if page.is_empty() {
                break;
            }
            assert!(page.len() == n || page.first() == Some(&1), "{page:?}");
            before = page.first().copied();
            pages.splice(0..0, page);
        }
        assert_eq!(pages, (1..=25).collect::<Vec<_>>(), "{n}");
    }
    assert_eq!(numbers(&store, 0, None), Vec::<u64>::new());
    assert_eq!(numbers(&store, 5, Some(1)), Vec::<u64>::new());
    assert_eq!(numbers(&store, 2, Some(1_000)), [24, 25]);
}

#[test]
fn an_answer_fits_into_a_message() {
    let world = World::new();
    let (mut store, _) = world.open();
    let text = "x".repeat(100_000);
    for seq in 1..=4 {
        store.append_history(&[line(seq, &qid(), &text)]).unwrap();
    }
    assert_eq!(numbers(&store, 10, None), [3, 4]);
    assert_eq!(numbers(&store, 10, Some(3)), [1, 2]);
    // A line that does not fit alone does not hide the lines in front of it.
    store.append_history(&[line(5, &qid(), &"x".repeat(MAX_MESSAGE_BYTES))]).unwrap();
    let read = store.read_history(10, None).unwrap();
    assert_eq!((read.turns.len(), read.first), (3, Some(3)));
    assert!(read.turns.iter().map(|turn| turn.as_str().len()).sum::<usize>() < MAX_MESSAGE_BYTES);
    let turn: HistoryRecord = read.turns[2].decode().unwrap();
    assert!(turn.content.starts_with("xxx") && turn.content.contains(" [cut off: the line has 262"));
}

#[test]
fn long_lines_are_read_from_the_end() {
    let world = World::new();
    let (mut store, _) = world.open();
    let lengths = [65_300, 65_536, 65_537, 1, 131_072, 200_000, 10, 300_000];
    for (seq, length) in (1..).zip(lengths) {
        store.append_history(&[line(seq, &qid(), &"y".repeat(length))]).unwrap();
    }
    drop(store);
    let (store, recovery) = world.open();
    assert_eq!(recovery.raw_turns_loaded, 8);
    assert_eq!(store.recent_history().map(|line| line.content.len()).collect::<Vec<_>>(), lengths);
}

#[test]
fn summarized_lines_and_the_oldest_above_the_limit_are_not_recent() {
    let settings = StoreSettings { max_recent_bytes: 1_000, ..StoreSettings::default() };
    let world = World::new();
    let (mut store, _) = world.try_open(&settings, 0.0).unwrap();
    append(&mut store, 20);
    let recent = |store: &AgentStore| store.recent_history().map(|line| line.seq).collect::<Vec<_>>();
    let kept = recent(&store);
    assert!(kept.len() > 3 && kept.len() < 10 && kept.last() == Some(&20), "{kept:?}");
    store.append_summary(summary(1, 18)).unwrap();
    assert_eq!(recent(&store), [19, 20]);
    drop(store);
    let (mut store, recovery) = world.try_open(&settings, 0.0).unwrap();
    assert_eq!((recent(&store), recovery.raw_turns_loaded, recovery.summaries_loaded), (vec![19, 20], 2, 1));
    let large = line(21, &qid(), &"z".repeat(5_000));
    store.append_history(&[large]).unwrap();
    assert_eq!(recent(&store), [21], "the newest line is kept in any case");
}

#[test]
fn the_last_200_summaries_are_kept() {
    let world = World::new();
    let (mut store, _) = world.open();
    (1..=250).for_each(|last| store.append_summary(summary(1, last)).unwrap());
    drop(store);
    let (store, recovery) = world.open();
    assert_eq!(recovery.summaries_loaded, 200);
    assert_eq!(store.summaries().first().map(|summary| summary.window.1), Some(51));
    assert_eq!(store.next_seq(), 251, "a line does not get the number of a summarized one");
}

#[test]
fn a_cleared_history_is_empty_and_its_numbers_continue() {
    let world = World::new();
    let mut store = open(&world);
    append(&mut store, 20);
    store.append_summary(summary(1, 10)).unwrap();
    let id = add(&mut store, 1, 0.0);
    store.append_queue(&[start(&id, 1, 0.0)]).unwrap();
    assert_eq!(store.clear_history().unwrap_err().code(), Some(ErrorCode::Busy));
    assert_eq!(numbers(&store, 100, None).len(), 20);
    store.append_queue(&[crate::support::done(&id, 0.0)]).unwrap();
    store.clear_history().unwrap();
    assert_eq!(numbers(&store, 100, None), Vec::<u64>::new());
    assert_eq!((store.summaries().len(), store.recent_history().count()), (0, 0));
    assert!(!world.path("history.jsonl.1").exists());
    append(&mut store, 1);
    assert_eq!(numbers(&store, 100, None), [21]);
    drop(store);
    assert_eq!(open(&world).next_seq(), 22);
}

#[test]
fn rotated_files_are_removed_after_the_retention() {
    let settings = StoreSettings { retention_days: Some(30), ..small() };
    let world = World::new();
    let (mut store, _) = world.try_open(&settings, 0.0).unwrap();
    for seq in 1..=25_u32 {
        let ts = Timestamp::from_seconds(START + f64::from(seq) * DAY).unwrap();
        store.append_history(&[HistoryRecord { ts, ..line(seq.into(), &qid(), "a line") }]).unwrap();
    }
    assert_eq!(store.remove_expired(at(25.0 * DAY).time).unwrap(), 0);
    let rotated = (1..=5).filter(|number| world.path(&format!("history.jsonl.{number}")).exists()).count();
    let mut left = rotated;
    for day in 25_u32..100 {
        left -= store.remove_expired(at(f64::from(day) * DAY).time).unwrap();
        let first = numbers(&store, 100, None)[0];
        let newest_removed = first - 1;
        assert!(newest_removed == 0 || newest_removed + 30 < day.into(), "day {day}: {newest_removed}");
    }
    assert_eq!(left, 0, "the current file stays");
    drop(store);
    let mut store = open(&world);
    assert_eq!(store.remove_expired(at(1_000.0 * DAY).time).unwrap(), 0);
    assert_eq!(numbers(&store, 100, None).last(), Some(&25));
}

#[test]
fn a_rotation_that_ended_in_between_continues() {
    let world = World::new();
    let mut store = open(&world);
    append(&mut store, 12);
    drop(store);
    // The file was moved, and the new one is missing.
    std::fs::rename(world.path("history.jsonl.1"), world.path("history.jsonl.2")).unwrap();
    std::fs::rename(world.path("history.jsonl"), world.path("history.jsonl.1")).unwrap();
    let mut store = open(&world);
    assert_eq!(store.next_seq(), 13);
    append(&mut store, 1);
    let all = numbers(&store, 100, None);
    assert_eq!(all, (1..=13).collect::<Vec<_>>());
}

//! What the next process finds in the files of one that ended.

use std::os::unix::fs::PermissionsExt as _;

use minds_fleet_protocol::{ErrorCode, HistoryRecord, ItemState, QueueRecord, Recorded, Role};
use minds_fleet_store::{AgentStore, StoreSettings};

use crate::support::{World, add, at, call, caller, done, effect, hash, key, line, start, summary};

fn recent(store: &AgentStore) -> Vec<u64> {
    store.recent_history().map(|line| line.seq).collect()
}

#[test]
fn a_new_folder_is_private_and_ignored_by_git() {
    let world = World::new();
    let (_store, recovery) = world.open();
    assert_eq!(recovery.warnings, Vec::<String>::new());
    let mode = |name: &str| std::fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(std::fs::metadata(&world.state).unwrap().permissions().mode() & 0o777, 0o700);
    for name in ["queue.jsonl", "calls.jsonl", "history.jsonl", "summary.jsonl", ".gitignore", "store.lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!(world.read(".gitignore"), b"*\n");
}

#[test]
fn a_second_process_is_refused_until_the_first_one_ends() {
    let world = World::new();
    let first = world.open();
    let failure = world.try_open(&StoreSettings::default(), 0.0).unwrap_err();
    assert_eq!(failure.code(), Some(ErrorCode::DuplicateInstance));
    drop(first);
    world.open();
}

#[test]
fn a_folder_that_another_user_can_access_is_refused() {
    let world = World::new();
    drop(world.open());
    std::fs::set_permissions(&world.state, std::fs::Permissions::from_mode(0o755)).unwrap();
    let failure = world.try_open(&StoreSettings::default(), 0.0).unwrap_err();
    assert_eq!(failure.code(), Some(ErrorCode::ConfigInvalid));
}

#[test]
fn a_running_item_runs_again_if_it_had_no_effect_and_is_parked_if_it_had_one() {
    for has_effect in [false, true] {
        let world = World::new();
        let (mut store, _) = world.open();
        let (one, two) = (add(&mut store, 1, 0.0), add(&mut store, 2, 0.0));
        store.append_queue(&[start(&one, 1, 1.0)]).unwrap();
        // The `start` record is made durable by the history.
        let calls = if has_effect { effect(2, &one) } else { line(2, &one, "thinking") };
        store.append_history(&[line(1, &one, "input"), calls]).unwrap();
        drop(store);
        let (store, recovery) = world.open_at(2.0);
        if has_effect {
            assert_eq!(recovery.parked, std::slice::from_ref(&one));
            assert_eq!(recovery.resumed, None);
            assert_eq!(store.queue().next().map(|(item, attempt)| (&item.id, attempt)), Some((&two, 1)));
            drop(store);
            let (_, again) = world.open_at(3.0);
            assert_eq!(again.parked, [one], "it stays parked");
        } else {
            assert_eq!(recovery.parked, []);
            assert_eq!(recovery.resumed, Some(one.clone()));
            assert_eq!(store.queue().next().map(|(item, attempt)| (&item.id, attempt)), Some((&one, 2)));
        }
        assert_eq!(recovery.raw_turns_loaded, 2);
    }
}

#[test]
fn the_effect_of_a_running_item_is_found_in_rotated_files_and_after_summaries() {
    let settings =
        StoreSettings { max_history_bytes: 600, max_recent_bytes: 300, ..StoreSettings::default() };
    let world = World::new();
    let (mut store, _) = world.try_open(&settings, 0.0).unwrap();
    let old = add(&mut store, 0, 0.0);
    store.append_queue(&[start(&old, 1, 0.0), done(&old, 0.0)]).unwrap();
    store.append_history(&[line(1, &old, "old")]).unwrap();
    let id = add(&mut store, 1, 0.0);
    store.append_queue(&[start(&id, 1, 0.0)]).unwrap();
    store.append_history(&[effect(2, &id)]).unwrap();
    for seq in 3..20 {
        store.append_history(&[line(seq, &id, "a line of the item")]).unwrap();
    }
    store.append_summary(summary(1, 18)).unwrap();
    assert!(world.path("history.jsonl.3").exists());
    drop(store);
    let (store, recovery) = world.try_open(&settings, 0.0).unwrap();
    assert_eq!(recovery.parked, [id]);
    assert_eq!(recent(&store), [19]);
}

#[test]
fn duplicates_of_earlier_requests_are_recognized() {
    let world = World::new();
    let (mut store, _) = world.open();
    let (waiting, finished) = (add(&mut store, 1, 0.0), add(&mut store, 2, 0.0));
    store.append_queue(&[start(&finished, 1, 1.0), done(&finished, 1.0)]).unwrap();
    store.sync_queue().unwrap();
    store.record_call(call(3, 10.0)).unwrap();
    drop(store);

    let (store, recovery) = world.open_at(30.0);
    let find = |number: usize, seconds| recovery.records.find(&key(number), &hash(number), at(seconds).clock);
    for number in 1..=3 {
        assert!(matches!(find(number, 30.0), Recorded::Answered(_)), "{number}");
    }
    assert!(matches!(recovery.records.find(&key(1), &hash(2), at(30.0).clock), Recorded::Conflict(_)));
    assert_eq!(find(2, 61.0), Recorded::New);
    assert!(matches!(find(3, 69.0), Recorded::Answered(_)));
    assert_eq!(find(3, 71.0), Recorded::New);
    drop(store);

    let (store, recovery) = world.open_at(1_000.0);
    let find = |number: usize| recovery.records.find(&key(number), &hash(number), at(1_000.0).clock);
    assert!(matches!(find(1), Recorded::Answered(_)), "it is not done");
    assert_eq!((find(2), find(3)), (Recorded::New, Recorded::New));
    assert_eq!(store.queue().state(&waiting), Some(ItemState::Pending));
}

#[test]
fn ids_are_not_given_again_after_a_restart_with_a_clock_that_went_back() {
    let world = World::new();
    let (mut store, _) = world.open();
    let ids: Vec<_> = (0..150).map(|number| add(&mut store, number, 0.0)).collect();
    for id in &ids {
        store.append_queue(&[start(id, 1, 0.0), done(id, 0.0)]).unwrap();
    }
    assert!(store.compact(at(100.0).time).unwrap());
    assert_eq!(store.queue().items().count(), 1);
    drop(store);
    let (mut store, _) = world.open_at(-10.0);
    let id = store.next_item_id(at(-10.0).time);
    assert!(ids.iter().all(|old| *old < id), "{id}");
}

#[test]
fn a_compacted_queue_has_what_waits_and_what_is_young() {
    let world = World::new();
    let (mut store, _) = world.open();
    let ids: Vec<_> =
        (0..150).map(|number| add(&mut store, number, if number < 120 { 0.0 } else { 50.0 })).collect();
    for id in &ids[10..] {
        store.append_queue(&[start(id, 1, 1.0), done(id, 1.0)]).unwrap();
    }
    store
        .append_queue(&[QueueRecord::Drop { drop: ids[0].clone(), ts: at(1.0).time, caller: caller() }])
        .unwrap();
    assert!(!store.compact(at(1.0).time).unwrap(), "all are young");
    assert!(store.compact(at(70.0).time).unwrap());
    assert!(!store.compact(at(70.0).time).unwrap());
    let expected: Vec<_> = ids[1..10].iter().chain(&ids[120..]).cloned().collect();
    let found =
        |store: &AgentStore| store.queue().items().map(|(item, _)| item.id.clone()).collect::<Vec<_>>();
    assert_eq!(found(&store), expected);
    let id = add(&mut store, 200, 70.0);
    drop(store);
    let (store, _) = world.open_at(70.0);
    assert_eq!(found(&store), [expected, vec![id]].concat());
}

#[test]
fn answers_are_removed_after_their_lifetime() {
    let world = World::new();
    let (mut store, _) = world.open();
    (0..110).for_each(|number| store.record_call(call(number, 0.0)).unwrap());
    store.record_call(call(200, 50.0)).unwrap();
    assert!(!store.compact(at(50.0).time).unwrap());
    assert!(store.compact(at(70.0).time).unwrap());
    assert_eq!(String::from_utf8(world.read("calls.jsonl")).unwrap().lines().count(), 1);
    store.record_call(call(201, 70.0)).unwrap();
    drop(store);
    let (_, recovery) = world.open_at(70.0);
    assert_eq!(recovery.records.len(), 2);
}

#[test]
fn the_members_of_the_bus_are_kept() {
    let world = World::new();
    let (mut store, _) = world.open();
    assert!(!store.is_enrolled() && store.acp_session().is_none());
    std::fs::write(world.path("agent.json"), r#"{"epoch":7,"next_offset":12,"later":[1]}"#).unwrap();
    store.set_enrolled(true).unwrap();
    store.set_acp_session(Some("s-1")).unwrap();
    drop(store);
    let text = String::from_utf8(world.read("agent.json")).unwrap();
    for member in [r#""epoch":7"#, r#""next_offset":12"#, r#""later":[1]"#, r#""enrolled":true"#] {
        assert!(text.contains(member), "{text}");
    }
    let (mut store, _) = world.open();
    assert!(store.is_enrolled());
    assert_eq!(store.acp_session(), Some("s-1"));
    store.set_acp_session(None).unwrap();
    drop(store);
    assert_eq!(world.open().0.acp_session(), None);
    for text in ["[]", "{", r#"{"enrolled":1}"#, r#"{"acp_session":1}"#] {
        std::fs::write(world.path("agent.json"), text).unwrap();
        let failure = world.try_open(&StoreSettings::default(), 0.0).unwrap_err();
        assert_eq!(failure.code(), Some(ErrorCode::ConfigInvalid), "{text}");
    }
}

#[test]
fn records_that_do_not_fit_change_nothing() {
    let world = World::new();
    let (mut store, _) = world.open();
    let id = add(&mut store, 1, 0.0);
    let before = (store.queue().clone(), world.read("queue.jsonl"));
    let failure = store.append_queue(&[start(&id, 1, 0.0), start(&id, 1, 0.0)]).unwrap_err();
    assert_eq!(failure.code(), Some(ErrorCode::ArgsInvalid));
    assert_eq!((store.queue().clone(), world.read("queue.jsonl")), before);
    let failure = store.append_history(&[line(2, &id, "no first line")]).unwrap_err();
    assert_eq!(failure.code(), Some(ErrorCode::ArgsInvalid));
    assert_eq!(world.read("history.jsonl"), b"");
    let tool = HistoryRecord { role: Role::Tool, ..line(1, &id, "") };
    store.append_history(&[tool]).unwrap();
    assert_eq!(store.next_seq(), 2);
}

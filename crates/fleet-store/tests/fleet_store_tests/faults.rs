//! System calls that fail: nothing that was acknowledged is lost, nothing exists twice, and no line is torn.

use minds_fleet_protocol::{ItemState, QueueRecord};
use minds_fleet_store::StoreSettings;
use minds_fs::faults::{Fault, Plan, calls_to_test, run};

use crate::scenario::{Acknowledged, expect_acknowledged, perform, perform_with_retries, template};
use crate::support::{World, add, at, call, expect_storage, item, line};

const INPUT_OUTPUT: i32 = 5;
const NO_SPACE: i32 = 28;

fn number(at: usize) -> u64 {
    u64::try_from(at).unwrap()
}

#[test]
fn a_disk_that_fails_at_any_call_loses_nothing_that_was_acknowledged() {
    let template = template();
    let (all, calls) = run(Plan::none(), || {
        let mut acknowledged = Acknowledged::default();
        perform(&template.copy(), &mut |what| acknowledged.add(what)).unwrap();
        acknowledged
    });
    assert!(calls.len() > 100, "{}", calls.len());
    for at in calls_to_test(calls.len(), 7) {
        for errno in [INPUT_OUTPUT, NO_SPACE] {
            let world = template.copy();
            let mut acknowledged = Acknowledged::default();
            let plan = Plan::at(number(at), Fault::FailFrom(errno));
            let _ = run(plan, || perform(&world, &mut |what| acknowledged.add(what)));
            expect_acknowledged(&world, &acknowledged, &format!("call {at} {}: {errno}", calls[at - 1]));
        }
    }
    let world = template.copy();
    perform(&world, &mut |_| {}).unwrap();
    expect_acknowledged(&world, &all, "without faults");
}

#[test]
fn a_call_that_fails_once_is_made_good_by_the_next_attempt() {
    let template = template();
    let count = run(Plan::none(), || perform(&template.copy(), &mut |_| {})).1.len();
    let mut failed = 0;
    for at in calls_to_test(count, 5) {
        for errno in [INPUT_OUTPUT, NO_SPACE] {
            let world = template.copy();
            let mut acknowledged = Acknowledged::default();
            let plan = Plan::at(number(at), Fault::Fail(errno));
            let (failures, calls) =
                run(plan, || perform_with_retries(&world, &mut |what| acknowledged.add(what)));
            failed += usize::from(failures > 0);
            let context = format!("call {at} {}: {errno}", calls[at - 1]);
            expect_acknowledged(&world, &acknowledged, &context);
            acknowledged.expect_complete(&context);
        }
    }
    assert!(failed > 20, "{failed}");
}

#[test]
fn a_failed_sync_takes_back_what_it_does_not_confirm() {
    let world = World::new();
    let (mut store, _) = world.open();
    let kept = add(&mut store, 1, 0.0);
    let before = (store.queue().clone(), world.read("queue.jsonl"));
    let ids = [2, 3].map(|number| {
        let id = store.next_item_id(at(0.0).time);
        store.append_queue(&[QueueRecord::Item(item(&id, number, 0.0))]).unwrap();
        id
    });
    assert_eq!(store.queue().state(&ids[1]), Some(ItemState::Pending), "appended records are applied");
    let (failed, _) = run(Plan::fail_every("fdatasync", INPUT_OUTPUT), || store.sync_queue());
    expect_storage(failed);
    assert_eq!((store.queue().clone(), world.read("queue.jsonl")), before);
    store.sync_queue().unwrap();

    // Nothing is appended until the disk confirms the rest.
    let append = |store: &mut minds_fleet_store::AgentStore| {
        store.append_queue(&[QueueRecord::Item(item(&ids[0], 2, 0.0))])
    };
    let (failed, calls) = run(Plan::fail_every("fdatasync", INPUT_OUTPUT), || append(&mut store));
    expect_storage(failed);
    assert!(!calls.contains(&"write"), "{calls:?}");
    assert_eq!((store.queue().clone(), world.read("queue.jsonl")), before);

    append(&mut store).unwrap();
    store.sync_queue().unwrap();
    drop(store);
    let (store, recovery) = world.open();
    let found: Vec<_> = store.queue().items().map(|(item, _)| item.id.clone()).collect();
    assert_eq!(found, [kept, ids[0].clone()]);
    assert_eq!(recovery.warnings, Vec::<String>::new());
}

#[test]
fn bytes_that_cannot_be_taken_back_are_cut_off_before_the_next_line() {
    let world = World::new();
    let (mut store, _) = world.open();
    store.record_call(call(1, 0.0)).unwrap();
    let before = world.read("calls.jsonl");
    let mut is_failing = false;
    let (_, calls) = run(Plan::none(), || store.record_call(call(2, 0.0)));
    let sync = calls.iter().position(|call| *call == "fdatasync").unwrap() + 1;
    drop(store);
    std::fs::write(world.path("calls.jsonl"), &before).unwrap();
    let (mut store, _) = world.open();
    let (failed, calls) =
        run(Plan::at(number(sync), Fault::FailFrom(INPUT_OUTPUT)), || store.record_call(call(2, 0.0)));
    expect_storage(failed);
    is_failing |= calls.last() == Some(&"ftruncate");
    assert!(is_failing, "{calls:?}");
    assert!(world.read("calls.jsonl").len() > before.len(), "the line could not be removed");
    store.record_call(call(3, 0.0)).unwrap();
    drop(store);
    let text = String::from_utf8(world.read("calls.jsonl")).unwrap();
    assert!(text.lines().count() == 2 && text.contains(r#""req_id":"r-3""#), "{text}");
}

#[test]
fn a_full_disk_refuses_inputs_until_a_write_succeeds_again() {
    let world = World::new();
    let (mut store, _) = world.open();
    let id = add(&mut store, 1, 0.0);
    let files = || ["queue.jsonl", "history.jsonl", "calls.jsonl"].map(|name| world.read(name));
    let before = files();
    for _ in 0..3 {
        let plan = Plan::fail_every("write", NO_SPACE);
        let (failure, _) = run(plan, || {
            let two = store.next_item_id(at(0.0).time);
            expect_storage(store.append_queue(&[QueueRecord::Item(item(&two, 2, 0.0))]));
            expect_storage(store.append_history(&[line(1, &id, "one")]));
            expect_storage(store.record_call(call(3, 0.0)))
        });
        assert!(failure.message.contains("`calls.jsonl`"), "{}", failure.message);
        assert_eq!(files(), before);
        assert_eq!(
            (store.queue().items().count(), store.next_seq(), store.recent_history().count()),
            (1, 1, 0)
        );
    }
    add(&mut store, 2, 0.0);
    store.append_history(&[line(1, &id, "one")]).unwrap();
}

#[test]
fn one_sync_makes_all_appended_records_durable_and_none_is_made_without_them() {
    let world = World::new();
    let (mut store, _) = world.try_open(&StoreSettings::default(), 0.0).unwrap();
    let records: Vec<_> = (0..64)
        .map(|number| QueueRecord::Item(item(&store.next_item_id(at(0.0).time), number, 0.0)))
        .collect();
    let ((), calls) = run(Plan::none(), || {
        for record in &records {
            store.append_queue(std::slice::from_ref(record)).unwrap();
        }
        store.sync_queue().unwrap();
        store.sync_queue().unwrap();
    });
    assert_eq!(
        calls.iter().filter(|call| **call == "fdatasync" || **call == "fsync").count(),
        1,
        "{calls:?}"
    );
    assert_eq!(calls.len(), 65);
}

#[test]
fn a_queue_of_10_000_items_opens_and_drains_in_order() {
    let world = World::new();
    let (mut store, _) = world.open();
    let records: Vec<_> = (0..10_000)
        .map(|number| QueueRecord::Item(item(&store.next_item_id(at(0.0).time), number, 0.0)))
        .collect();
    store.append_queue(&records).unwrap();
    store.sync_queue().unwrap();
    drop(store);
    let (mut store, recovery) = world.open();
    assert_eq!(recovery.records.len(), 10_000);
    let mut drained = 0;
    while let Some((found, attempt)) = store.queue().next() {
        let (id, text) = (found.id.clone(), found.text.clone());
        assert_eq!((text, attempt), (format!("input {drained}"), 1));
        let end = crate::support::done(&id, 100.0);
        store.append_queue(&[crate::support::start(&id, 1, 100.0), end]).unwrap();
        store.compact(at(100.0).time).unwrap();
        drained += 1;
    }
    assert_eq!(drained, 10_000);
    drop(store);
    assert!(world.open().0.queue().items().count() <= 100);
}

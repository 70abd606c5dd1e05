//! Files that were damaged by hand: the next start repairs what it can, names it, and loses nothing that can be read.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use minds_fleet_protocol::{ItemState, Lines, Repair};
use minds_fleet_store::StoreSettings;
use minds_fs::faults::{Plan, run};

use crate::support::{World, add, at, call, done, effect, expect_storage, line, start, summary};

const FILES: [&str; 4] = ["queue.jsonl", "calls.jsonl", "history.jsonl", "summary.jsonl"];

/// Returns a folder with something in each file: item 1 is pending, and item 2 is done.
fn world() -> World {
    let world = World::new();
    let (mut store, _) = world.open();
    let (_, two) = (add(&mut store, 1, 0.0), add(&mut store, 2, 0.0));
    store.append_queue(&[start(&two, 1, 0.0), done(&two, 0.0)]).unwrap();
    store.append_history(&[line(1, &two, "one"), line(2, &two, "two")]).unwrap();
    store.append_summary(summary(1, 1)).unwrap();
    store.record_call(call(3, 0.0)).unwrap();
    world
}

/// Checks that nothing is lost that was in the files, and returns the warnings.
#[track_caller]
fn expect_everything(world: &World, context: &str) -> Vec<String> {
    let (mut store, recovery) = world.open();
    let states: Vec<_> = store.queue().items().map(|(_, state)| state).collect();
    assert_eq!(states, [ItemState::Pending, ItemState::Done], "{context}");
    let history = store.read_history(100, None).unwrap();
    assert_eq!((history.turns.len(), history.first), (2, Some(1)), "{context}");
    assert_eq!(store.summaries().len(), 1, "{context}");
    assert_eq!(recovery.records.len(), 3, "{context}");
    // The next lines are read again.
    let (seq, id) = (store.next_seq(), add(&mut store, 9, 0.0));
    store.append_history(&[line(seq, &id, "next")]).unwrap();
    store.append_summary(summary(2, 2)).unwrap();
    store.record_call(call(10, 0.0)).unwrap();
    drop(store);
    let (store, again) = world.open();
    assert_eq!(store.queue().items().count(), 3, "{context}");
    assert_eq!(store.read_history(100, None).unwrap().turns.len(), 3, "{context}");
    assert_eq!((store.summaries().len(), again.records.len()), (2, 5), "{context}");
    recovery.warnings
}

#[test]
fn a_torn_last_line_is_cut_off() {
    for file in FILES {
        for torn in ["{\"id\":\"q-1\",\"ts\":1", "{", "\u{0}\u{0}\u{0}\u{0}", "  ", "\"text"] {
            let world = world();
            let before = world.read(file);
            world.damage(file, torn.as_bytes());
            let copy = world.copy();
            drop(copy.open());
            assert_eq!(copy.read(file), before, "{file}, {torn:?}");
            let warnings = expect_everything(&world, torn);
            let expected =
                format!("cut off the last line of `{file}`, which was not complete: {} bytes", torn.len());
            assert_eq!(warnings, [expected], "{file}, {torn:?}");
        }
    }
}

#[test]
fn a_last_line_without_its_newline_is_kept() {
    for file in FILES {
        let world = world();
        let mut bytes = world.read(file);
        assert_eq!(bytes.pop(), Some(b'\n'));
        std::fs::write(world.path(file), bytes).unwrap();
        assert_eq!(expect_everything(&world, file), Vec::<String>::new());
    }
}

#[test]
fn an_unreadable_line_is_skipped_and_its_bytes_stay() {
    let huge = [b"\"".as_slice(), &vec![b'x'; 3 << 20], b"\n"].concat();
    let lines: [&[u8]; 7] =
        [b"\xff\xfe\x00binary\n", b"\0\0\0\0\0\n", b"[1]\n", b"{}\n", b"{\"later\":1}\n", b"\n \n", &huge];
    for file in FILES {
        for damage in lines {
            let world = world();
            let mut bytes = world.read(file);
            let end = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            bytes.splice(end..end, damage.iter().copied());
            std::fs::write(world.path(file), bytes).unwrap();
            let context = format!("{file}, {:?}", String::from_utf8_lossy(&damage[..damage.len().min(20)]));
            let warnings = expect_everything(&world, &context);
            let is_empty = damage.iter().all(u8::is_ascii_whitespace);
            assert_eq!(warnings.len(), usize::from(!is_empty), "{context}: {warnings:?}");
            let text = world.read(file);
            assert!(text.windows(damage.len()).any(|bytes| bytes == damage), "{context}: the bytes stay");
        }
    }
}

#[test]
fn unreadable_lines_stay_when_their_file_is_replaced() {
    let world = World::new();
    let (mut store, _) = world.open();
    for number in 0..120 {
        let id = add(&mut store, number, 0.0);
        store.append_queue(&[start(&id, 1, 0.0), done(&id, 0.0)]).unwrap();
        store.record_call(call(number + 1_000, 0.0)).unwrap();
    }
    for last in 1..=200 {
        store.append_summary(summary(1, last)).unwrap();
    }
    drop(store);
    let files = ["queue.jsonl", "calls.jsonl", "summary.jsonl"];
    for file in files {
        world.damage(file, b"\xffdamaged\n");
    }
    let (mut store, recovery) = world.open();
    assert_eq!(recovery.warnings.len(), 3);
    assert!(store.compact(at(100.0).time).unwrap());
    store.append_summary(summary(1, 201)).unwrap();
    drop(store);
    for file in files {
        let bytes = world.read(file);
        assert!(bytes.starts_with(b"\xffdamaged\n"), "{file}");
        let read = Lines::read(&bytes);
        assert_eq!((read.unreadable.len(), read.repair), (1, Repair::None), "{file}");
    }
    assert_eq!(world.open().1.warnings.len(), 3);
}

#[test]
fn a_running_item_is_parked_if_a_line_of_it_cannot_be_read() {
    for (damage, is_parked) in [(b"\xff\n".as_slice(), true), (b"{\"seq\":2,\"ts\"", false)] {
        let world = World::new();
        let (mut store, _) = world.open();
        let id = add(&mut store, 1, 0.0);
        store.append_queue(&[start(&id, 1, 0.0)]).unwrap();
        store.append_history(&[line(1, &id, "input")]).unwrap();
        drop(store);
        // An incomplete line was not acknowledged, so that its tools were not called.
        world.damage("history.jsonl", damage);
        let (store, recovery) = world.open();
        assert_eq!(recovery.parked.len(), usize::from(is_parked));
        assert_eq!(recovery.warnings.len(), 1);
        assert_eq!(
            store.next_seq(),
            if is_parked { 3 } else { 2 },
            "the number of the damaged line is not used"
        );
    }
}

#[test]
fn an_object_that_is_not_a_file_is_refused_with_its_name() {
    let names = [FILES.as_slice(), &["agent.json"]].concat();
    for name in names {
        let make_link = |world: &World| symlink("elsewhere", world.path(name)).unwrap();
        let make_linked_file = |world: &World| {
            std::fs::write(world.path("elsewhere"), "").unwrap();
            make_link(world);
        };
        let make_directory = |world: &World| std::fs::create_dir(world.path(name)).unwrap();
        let make_hard_link = |world: &World| {
            std::fs::write(world.path("elsewhere"), "").unwrap();
            std::fs::hard_link(world.path("elsewhere"), world.path(name)).unwrap();
        };
        let kinds: [&dyn Fn(&World); 4] = [&make_link, &make_linked_file, &make_directory, &make_hard_link];
        for (kind, make) in kinds.iter().enumerate() {
            let world = world();
            let _ = std::fs::remove_file(world.path(name));
            make(&world);
            let failure = expect_storage(world.try_open(&StoreSettings::default(), 0.0));
            assert!(failure.message.contains(&format!("`{name}`")), "{kind}: {}", failure.message);
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_refused_and_unchanged() {
    const NO_ACCESS: i32 = 13;
    let world = world();
    let before = FILES.map(|file| world.read(file));
    for call in ["openat", "openat2", "fstat", "read", "pread"] {
        let (opened, _) =
            run(Plan::fail_every(call, NO_ACCESS), || world.try_open(&StoreSettings::default(), 0.0));
        assert!(opened.is_err(), "{call}");
        assert_eq!(FILES.map(|file| world.read(file)), before, "{call}");
    }
    expect_everything(&world, "later");
}

#[test]
fn a_file_that_others_can_read_is_made_private() {
    let world = world();
    for file in FILES {
        std::fs::set_permissions(world.path(file), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let warnings = expect_everything(&world, "modes");
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    for file in FILES {
        let mode = std::fs::metadata(world.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_file_that_another_program_truncates_is_not_appended_to_after_a_failure() {
    let world = world();
    let (mut store, _) = world.open();
    let (failed, _) = run(Plan::fail_every("fdatasync", 5), || store.record_call(call(4, 0.0)));
    expect_storage(failed);
    std::fs::write(world.path("calls.jsonl"), "").unwrap();
    let failure = expect_storage(store.record_call(call(4, 0.0)));
    assert!(failure.message.contains("truncated by another program"), "{}", failure.message);
}

#[test]
fn two_running_items_of_an_edited_queue_are_both_examined() {
    let world = World::new();
    let (mut store, _) = world.open();
    let (one, two) = (add(&mut store, 1, 0.0), add(&mut store, 2, 0.0));
    store.append_queue(&[start(&one, 1, 0.0), start(&two, 1, 0.0)]).unwrap();
    store.append_history(&[effect(1, &one), line(2, &two, "two")]).unwrap();
    drop(store);
    assert_eq!(world.open().1.parked, [one]);
}

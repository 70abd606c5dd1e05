//! Every call of a change fails once, or from then on: it is refused and nothing is changed, or it has happened.

use std::collections::BTreeSet;

use minds_system::faults::{Fault, Plan, run};

use crate::task_support::{CASES, Case, World, change, package, set, verify};

const NO_SPACE: i32 = 28;
const INPUT_OUTPUT: i32 = 5;
const READ_ONLY: i32 = 30;
const NO_ACCESS: i32 = 13;
const INTERRUPTED: i32 = 4;

/// What is said when not everything could be taken back.
const UNCERTAIN: &str = "not all of that is on disk";

fn act(case: &Case, world: &World, plan: Plan) -> (Result<(), String>, Vec<&'static str>) {
    let root = world.open();
    let package = package(&root);
    run(plan, || change(&package, case.section, (case.edit)()).map_err(|error| error.message))
}

fn check(case: &Case, plan: Plan, is_lasting: bool) {
    let (old, new) = ((case.world)(), (case.world)());
    act(case, &new, Plan::none()).0.unwrap();
    let settled = "set when another died";
    let world = (case.world)();
    let (done, calls) = act(case, &world, plan);
    let context = format!("{}: {plan:?}: {done:?}, {calls:?}", case.name);
    let is_uncertain = done.as_ref().is_err_and(|said| said.contains(UNCERTAIN));
    match &done {
        Ok(()) => assert_eq!(world.files(), new.files(), "{context}"),
        Err(_) if is_uncertain => {}
        // What another left behind is finished before.
        Err(_) if case.name == settled => {}
        Err(_) if is_lasting => assert_eq!(world.files(), old.files(), "{context}"),
        Err(_) => assert_eq!(world.tree(), old.tree(), "{context}"),
    }
    let count = |world: &World| verify(&package(&world.open()), &context);
    // Whoever only looks sees the same as after the next change.
    let (before, after) =
        if case.name == "set without a journal" { (0, count(&new)) } else { (count(&old), count(&new)) };
    let now = if before == 0 && done.is_err() && !is_uncertain { 0 } else { count(&world) };
    assert!(now == before || now == after, "{context}");
    assert!(is_uncertain || (now == after) == done.is_ok(), "{context}");
    change(&package(&world.open()), "constraints", set("the next one")).unwrap();
    let expected = if now == 0 { count(&world) } else { now + 1 };
    assert_eq!(count(&world), expected, "{context}");
    assert_eq!(world.left(), Vec::<String>::new(), "{context}");
    let mut reference = if now == after { new } else { old };
    reference = reference.changed(&[("constraints", set("the next one"))]);
    assert_eq!(world.tree(), reference.tree(), "{context}");
}

#[test]
fn a_change_that_fails_has_not_happened() {
    let mut names = BTreeSet::new();
    for case in &CASES {
        let (done, calls) = act(case, &(case.world)(), Plan::none());
        assert_eq!(done, Ok(()), "{}", case.name);
        names.extend(calls.iter().copied());
        for number in 1..=calls.len() as u64 {
            for errno in [NO_SPACE, INPUT_OUTPUT, READ_ONLY, NO_ACCESS] {
                check(case, Plan::at(number, Fault::Fail(errno)), false);
                if matches!(errno, NO_SPACE | INPUT_OUTPUT) {
                    check(case, Plan::at(number, Fault::FailFrom(errno)), true);
                }
            }
        }
    }
    for expected in
        ["fdatasync", "flock", "fsync", "mkdirat", "pread", "renameat", "renameat2", "unlinkat", "write"]
    {
        assert!(names.contains(expected), "no change makes the call {expected}: {names:?}");
    }
}

#[test]
fn a_change_that_a_signal_interrupts_happens_all_the_same() {
    for case in &CASES {
        let new = (case.world)();
        let (_, calls) = act(case, &new, Plan::none());
        for number in 1..=calls.len() as u64 {
            let world = (case.world)();
            let (done, _) = act(case, &world, Plan::at(number, Fault::Fail(INTERRUPTED)));
            assert_eq!(done, Ok(()), "{}: call {number}", case.name);
            assert_eq!(world.files(), new.files(), "{}: call {number}", case.name);
        }
    }
}

/// A content is on disk before it has its name, and its announcement before the section changes.
#[test]
fn each_step_is_on_disk_before_the_next() {
    let world = (CASES[0].world)();
    let root = world.open();
    let package = package(&root);
    // The first change looks for what others left.
    change(&package, "goals", set("first")).unwrap();
    let (done, calls) = run(Plan::none(), || change(&package, "goals", set("second")));
    done.unwrap();
    let lasting = ["write", "fdatasync", "renameat", "renameat2", "fsync"];
    let order: Vec<&str> = calls.into_iter().filter(|call| lasting.contains(call)).collect();
    let announced = ["write", "fdatasync", "renameat2", "fsync"];
    let section = ["write", "fdatasync", "renameat", "fsync"];
    let written_and_kept = ["write", "fdatasync", "renameat2"];
    assert_eq!(order, [&announced[..], &section[..], &written_and_kept[..]].concat());
}

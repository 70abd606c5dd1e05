//! Every call of a change fails once, or from then on: it is refused and nothing is changed, or it has happened.

use std::collections::BTreeSet;

use minds_fs::faults::{Fault, Plan, calls_to_test, run};

use minds_task_store::Edit;

use crate::support::{CASES, Case, Seen, World, change, package, set};

const NO_SPACE: i32 = 28;
const INPUT_OUTPUT: i32 = 5;
const READ_ONLY: i32 = 30;
const NO_ACCESS: i32 = 13;
const INTERRUPTED: i32 = 4;

/// The message of an incomplete rollback.
const UNCERTAIN: &str = "not completely written to disk";

fn act(case: &Case, world: &World, plan: Plan) -> (Result<(), String>, Vec<&'static str>) {
    let root = world.open();
    let package = package(&root);
    run(plan, || change(&package, case.section, (case.edit)()).map_err(|error| error.message))
}

/// The state before or after a change: now, and after the next change.
struct Stage {
    files: Seen,
    tree: Seen,
    lines: usize,
    next: Seen,
}

impl Stage {
    fn of(case: &Case, world: World, is_made: bool) -> Self {
        let (files, tree) = (world.files(), world.tree());
        let lines = case.verify(&world, |_| is_made, case.name);
        let next = world.changed(&next()).tree();
        Self { files, tree, lines, next }
    }
}

/// The change that comes next.
fn next() -> [(&'static str, Edit); 1] {
    [("constraints", set("the next one"))]
}

fn check(case: &Case, template: &World, [old, new]: [&Stage; 2], plan: Plan, is_lasting: bool) {
    let world = template.copy();
    let (done, calls) = act(case, &world, plan);
    let context = format!("{}: {plan:?}: {done:?}, {calls:?}", case.name);
    let is_uncertain = done.as_ref().is_err_and(|said| said.contains(UNCERTAIN));
    match &done {
        Ok(()) => assert_eq!(world.files(), new.files, "{context}"),
        Err(_) if is_uncertain => {}
        // An interrupted change is completed first.
        Err(_) if case.name == "set when another died" => {}
        Err(_) if is_lasting => assert_eq!(world.files(), old.files, "{context}"),
        Err(_) => assert_eq!(world.tree(), old.tree, "{context}"),
    }
    // A reader sees the same state as after the next change.
    let now = case.verify(&world, |now| now == new.lines, &context);
    let stage = if now == new.lines { new } else { old };
    assert_eq!(now, stage.lines, "{context}");
    // A line about what was found is true, whether the change that found it was refused or not: where the announcement cannot
    // go either, the next change writes it.
    let is_found = is_lasting && case.name == "set what it was set to outside";
    assert!(is_uncertain || is_found || (now == new.lines) == done.is_ok(), "{context}");
    let world = world.changed(&next());
    case.verify(&world, |_| now == new.lines, &context);
    assert_eq!(world.tree(), stage.next, "{context}");
    assert_eq!(world.left(), Vec::<String>::new(), "{context}");
}

#[test]
fn a_failed_change_changes_nothing() {
    let mut names = BTreeSet::new();
    for case in &CASES {
        let template = (case.world)();
        let changed = template.copy();
        let (done, calls) = act(case, &changed, Plan::none());
        assert_eq!(done, Ok(()), "{}", case.name);
        let (old, new) = (Stage::of(case, template.copy(), false), Stage::of(case, changed, true));
        names.extend(calls.iter().copied());
        for number in calls_to_test(calls.len(), 5).map(|number| number as u64) {
            for errno in [NO_SPACE, INPUT_OUTPUT, READ_ONLY, NO_ACCESS] {
                check(case, &template, [&old, &new], Plan::at(number, Fault::Fail(errno)), false);
                if matches!(errno, NO_SPACE | INPUT_OUTPUT) {
                    check(case, &template, [&old, &new], Plan::at(number, Fault::FailFrom(errno)), true);
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
fn a_change_continues_after_a_signal() {
    for case in &CASES {
        let template = (case.world)();
        let new = template.copy();
        let (_, calls) = act(case, &new, Plan::none());
        for number in 1..=calls.len() as u64 {
            let world = template.copy();
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
    // The first change looks for interrupted changes.
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

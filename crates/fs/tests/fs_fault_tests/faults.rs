//! Every call of every operation fails once: the result is the old or the new state.
#![cfg(unix)]

use std::collections::BTreeSet;

use minds_fs::faults::{Fault, Plan, run};

use crate::operations::{OPERATIONS, Operation, Tree, open_again, run_without_faults};
use crate::support::Entries;

const NO_SPACE: i32 = 28;
const INPUT_OUTPUT: i32 = 5;
const READ_ONLY: i32 = 30;
const NO_ACCESS: i32 = 13;
const INTERRUPTED: i32 = 4;

/// The messages after which the state on disk is uncertain.
const UNCERTAIN: [&str; 2] = ["could not be undone completely", "could not be removed again"];

/// Returns whether an error reports that the operation was completed nevertheless.
fn is_done(text: &str) -> bool {
    text.contains("did not confirm") || text.contains("could not be deleted")
}

/// Makes an operation fail, and compares the state afterwards, and after the next process.
fn check(operation: &Operation, plan: Plan, old: &Entries, new: &Entries) {
    let tree = Tree::new();
    let root = tree.open();
    let (done, made) = run(plan, || (operation.act)(&root));
    let context = format!("{}: {plan:?}: {done:?}, {made:?}", operation.name);
    drop(root);
    let files = tree.files();
    match &done {
        Ok(()) => assert_eq!(&files, new, "{context}"),
        Err(text) if is_done(text) => assert_eq!(&files, new, "{context}"),
        Err(text) if UNCERTAIN.iter().any(|words| text.contains(words)) => {}
        Err(_) => assert_eq!(&files, old, "{context}"),
    }
    open_again(&tree.open());
    assert_eq!(tree.temporaries(), Vec::<String>::new(), "{context}");
    let settled = tree.files();
    assert!(settled == *old || settled == *new, "{context}: {settled:#?}");
    if let Err(text) = &done
        && !is_done(text)
        && !UNCERTAIN.iter().any(|words| text.contains(words))
    {
        assert_eq!(&settled, old, "{context}");
    }
}

#[test]
fn a_failure_leaves_the_old_or_the_new_state_without_other_files() {
    let mut names = BTreeSet::new();
    for operation in &OPERATIONS {
        let (after, calls) = run_without_faults(operation);
        let (old, new) = (Tree::new().files(), after.files());
        names.extend(calls.iter().copied());
        for at in 1..=calls.len() {
            for errno in [NO_SPACE, INPUT_OUTPUT, READ_ONLY, NO_ACCESS] {
                let number = u64::try_from(at).unwrap();
                check(operation, Plan::at(number, Fault::Fail(errno)), &old, &new);
                // A disk that stays full, or broken.
                if matches!(errno, NO_SPACE | INPUT_OUTPUT) {
                    check(operation, Plan::at(number, Fault::FailFrom(errno)), &old, &new);
                }
            }
        }
    }
    for expected in
        ["fdatasync", "flock", "fsync", "mkdirat", "pwrite", "renameat", "renameat2", "unlinkat", "write"]
    {
        assert!(names.contains(expected), "no operation makes the call {expected}");
    }
}

#[test]
fn an_operation_interrupted_by_a_signal_completes() {
    for operation in &OPERATIONS {
        let (after, calls) = run_without_faults(operation);
        for at in 1..=calls.len() {
            let tree = Tree::new();
            let root = tree.open();
            let plan = Plan::at(u64::try_from(at).unwrap(), Fault::Fail(INTERRUPTED));
            let (done, made) = run(plan, || (operation.act)(&root));
            assert_eq!(done, Ok(()), "{}: call {at}", operation.name);
            assert_eq!(made.len(), calls.len() + 1, "{}: call {at}", operation.name);
            assert_eq!(tree.files(), after.files(), "{}: call {at}", operation.name);
        }
    }
}

/// For file systems that can neither exchange names nor rename atomically without replacing.
#[test]
fn a_file_system_with_fewer_features_gives_the_same_result() {
    const NOT_SUPPORTED: i32 = 22;
    for operation in OPERATIONS.iter().filter(|operation| operation.name != "move a directory") {
        let (after, calls) = run_without_faults(operation);
        let tree = Tree::new();
        let root = tree.open();
        let (done, made) = run(Plan::fail_every("renameat2", NOT_SUPPORTED), || (operation.act)(&root));
        assert_eq!(done, Ok(()), "{}", operation.name);
        assert_eq!(tree.files(), after.files(), "{}", operation.name);
        assert_eq!(tree.temporaries(), Vec::<String>::new(), "{}", operation.name);
        assert_eq!(made.contains(&"linkat"), calls.contains(&"renameat2"), "{}", operation.name);
    }
}

/// The recovering process is interrupted as well.
#[test]
fn a_recovery_survives_another_failure() {
    let several = OPERATIONS.iter().find(|operation| operation.name == "apply several").unwrap();
    let (after, calls) = run_without_faults(several);
    let (old, new) = (Tree::new().files(), after.files());
    let mut outcomes = BTreeSet::new();
    for first in (1..=calls.len()).step_by(5) {
        let mut second = 1;
        loop {
            let tree = Tree::new();
            let left = Plan::at(u64::try_from(first).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
            let root = tree.open();
            let _ = run(left, || (several.act)(&root));
            let disturbed = Plan::at(second, Fault::FailFrom(INPUT_OUTPUT));
            let root = tree.open();
            let ((), made) = run(disturbed, || open_again(&root));
            open_again(&tree.open());
            let settled = tree.files();
            let context = format!("{first} and {second}: {made:?}");
            assert!(settled == old || settled == new, "{context}: {settled:#?}");
            assert_eq!(tree.temporaries(), Vec::<String>::new(), "{context}");
            outcomes.insert(settled == new);
            if made.len() < usize::try_from(second).unwrap() {
                break;
            }
            second += 1;
        }
    }
    assert_eq!(outcomes, BTreeSet::from([false, true]));
}

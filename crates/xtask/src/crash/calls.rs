//! Failing every system call of every operation, and killing the process at every one.

use std::path::Path;

use minds_fs::faults::{Fault, Plan, run};

use super::operations::{OPERATIONS, Operation};
use super::recovery_check::check_recovery;
use super::tree::Tree;
use super::victim::{Order, start, start_opener, wait};
use crate::random::Random;

const ERRORS: [(&str, i32); 5] = [("EINTR", 4), ("EIO", 5), ("EACCES", 13), ("ENOSPC", 28), ("EROFS", 30)];
/// The messages for errors after which the state on disk is uncertain.
const UNCERTAIN: [&str; 2] = ["could not be undone completely", "could not be removed again"];
/// The maximum call number at which a recovering process is killed.
const MAX_RECOVERY_CALLS: usize = 60;

/// Returns the system calls of the first step of an operation.
pub(super) fn calls_of(operation: &Operation) -> Vec<&'static str> {
    let tree = Tree::new(&(operation.state)(1, 1));
    let root = tree.open();
    let (done, calls) = run(Plan::none(), || (operation.step)(&root, 2));
    assert_eq!(done, Ok(()), "{}", operation.name);
    calls
}

/// Returns the system calls of a later step, which does not search for stale files any more.
pub(super) fn later_calls_of(operation: &Operation) -> Vec<&'static str> {
    let tree = Tree::new(&(operation.state)(1, 1));
    let root = tree.open();
    assert_eq!((operation.step)(&root, 2), Ok(()), "{}", operation.name);
    let (done, calls) = run(Plan::none(), || (operation.step)(&root, 3));
    assert_eq!(done, Ok(()), "{}", operation.name);
    calls
}

/// Checks the order of the calls, which a kill cannot verify: content is on disk before it gets its name, and
/// the names are on disk at the end.
pub(super) fn expect_durable() -> Result<(), String> {
    for operation in &OPERATIONS {
        let calls = calls_of(operation);
        let mut is_content_on_disk = true;
        let mut are_names_on_disk = true;
        for call in &calls {
            match *call {
                "write" | "pwrite" => is_content_on_disk = false,
                "fdatasync" => is_content_on_disk = true,
                "fsync" => are_names_on_disk = true,
                "renameat" | "renameat2" | "mkdirat" | "symlinkat" => {
                    are_names_on_disk = false;
                    if !is_content_on_disk {
                        return Err(format!(
                            "{}: a file is renamed before its content is on disk",
                            operation.name
                        ));
                    }
                }
                _ => {}
            }
        }
        if !is_content_on_disk || !are_names_on_disk {
            return Err(format!("{}: not everything is on disk at the end: {calls:?}", operation.name));
        }
    }
    Ok(())
}

/// Fails every call with every error, once and permanently; returns the number of failures.
pub(super) fn fail_everywhere() -> Result<usize, String> {
    let mut failures = 0;
    for operation in &OPERATIONS {
        let calls = calls_of(operation);
        for (at, call) in calls.iter().enumerate() {
            for (name, errno) in ERRORS {
                let number = at as u64 + 1;
                // A file that cannot be opened counts as locked by another user, which is a wait of many seconds.
                let plan = |fault| Plan::at(number, fault).with_simulated_time();
                let once = (plan(Fault::Fail(errno)), "once");
                let permanently = (plan(Fault::FailFrom(errno)), "permanently");
                // An operation that is interrupted permanently never ends.
                let plans = if name == "EINTR" { vec![once] } else { vec![once, permanently] };
                for (plan, how) in plans {
                    failures += 1;
                    fail(operation, plan, name == "EINTR").map_err(|why| {
                        format!("{}, call {number} ({call}) fails with {name} {how}: {why}", operation.name)
                    })?;
                }
            }
        }
    }
    Ok(failures)
}

fn fail(operation: &Operation, plan: Plan, is_interrupted: bool) -> Result<(), String> {
    let tree = Tree::new(&(operation.state)(1, 1));
    let root = tree.open();
    let (done, _) = run(plan, || (operation.step)(&root, 2));
    drop(root);
    let states = match &done {
        Ok(()) => [2, 2],
        Err(message) if is_interrupted => return Err(message.clone()),
        Err(message) if message.contains("did not confirm") => [2, 2],
        Err(message) if UNCERTAIN.iter().any(|text| message.contains(text)) => [1, 2],
        Err(_) => [1, 1],
    };
    check_recovery(operation, &tree, 1, states).map(|_| ()).map_err(|why| format!("{done:?}; {why}"))
}

/// How often a process was killed at each call of an operation.
pub(super) struct CallKills {
    pub(super) operation: usize,
    pub(super) calls: Vec<&'static str>,
    pub(super) each: usize,
}

/// Kills a process before and after every call, so many times each; returns the counts.
pub(super) fn kill_everywhere(program: &Path, each: usize, seed: u64) -> Result<Vec<CallKills>, String> {
    let mut random = Random::new(seed);
    let mut call_kills = Vec::new();
    for (index, operation) in OPERATIONS.iter().enumerate() {
        let calls = calls_of(operation);
        for (at, call) in calls.iter().enumerate() {
            for time in 0..each {
                let kill = if time % 2 == 0 { "kill-before" } else { "kill-after" };
                let from = 1 + random.next() % 1_000;
                let plan = format!("{}:{kill}", at + 1);
                let failed = |why| format!("{}, {plan} ({call}) from {from}: {why}", operation.name);
                let tree = Tree::new(&(operation.state)(from, from));
                let order = Order { operation: index, from, steps: 1, plan: plan.clone() };
                let (killed, done) = wait(start(program, tree.path(), &order, None));
                if !killed || done.is_some() {
                    return Err(failed("it did not die".to_owned()));
                }
                // The recovering process may die as well.
                if time % 4 >= 2 {
                    let plan = format!("{}:{kill}", 1 + random.next_below(MAX_RECOVERY_CALLS));
                    wait(start_opener(program, tree.path(), &plan));
                }
                check_recovery(operation, &tree, from, [from, from + 1]).map_err(failed)?;
            }
        }
        call_kills.push(CallKills { operation: index, calls, each });
    }
    Ok(call_kills)
}

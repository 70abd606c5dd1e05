//! The process dies at every call of every operation: what is there is the old or the new.
//!
//! A program of its own: while a process is started, it has the locks of the one that starts it for a moment.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

#[path = "../faults/operations.rs"]
mod operations;
#[path = "../support/mod.rs"]
mod support;

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use minds_system::Root;
use minds_system::faults::{Plan, run};

use crate::operations::{OPERATIONS, Tree, open_again, undisturbed};

const ORDER: &str = "MINDS_TEST_KILL";

/// Does what the environment orders: this is the process that dies.
#[test]
fn a_process_that_is_told_to_die() {
    let Ok(order) = std::env::var(ORDER) else {
        // Nobody told it: as many kinds of death are known as are asked for below.
        assert!(DEATHS.iter().all(|death| format!("1:{death}").parse::<Plan>().is_ok()));
        return;
    };
    let mut words = order.splitn(3, '|');
    let operation: usize = words.next().unwrap().parse().unwrap();
    let plan: Plan = words.next().unwrap().parse().unwrap();
    let root = Root::open(words.next().unwrap().as_ref(), minds_paths::MountId::WORKSPACE).unwrap();
    let _ = run(plan, || (OPERATIONS[operation].act)(&root));
}

const DEATHS: [&str; 2] = ["kill-before", "kill-after"];

#[test]
fn a_process_that_dies_leaves_the_old_or_the_new_and_the_next_one_clears_up() {
    const KILLED: i32 = 9;
    let mut killed = 0;
    for (index, operation) in OPERATIONS.iter().enumerate() {
        let (after, calls) = undisturbed(operation);
        let (old, new) = (Tree::new().files(), after.files());
        for at in 1..=calls.len() {
            for death in DEATHS {
                let tree = Tree::new();
                let order = format!("{index}|{at}:{death}|{}", tree.path().display());
                let context = format!("{}: {death} call {at}, {}", operation.name, calls[at - 1]);
                let status = Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "a_process_that_is_told_to_die"])
                    .env(ORDER, order)
                    .output()
                    .unwrap()
                    .status;
                assert_eq!(status.signal(), Some(KILLED), "{context}");
                killed += 1;
                let files = tree.files();
                let is_one = !operation.name.contains("several");
                assert!(!is_one || files == old || files == new, "{context}: {files:#?}");
                let left = tree.temporaries().len();
                assert!(!is_one || left <= 1 || operation.name.contains("lock") && left <= 2, "{context}");
                open_again(&tree.open());
                let files = tree.files();
                assert!(files == old || files == new, "{context}: {files:#?}");
                assert_eq!(tree.temporaries(), Vec::<String>::new(), "{context}");
            }
        }
    }
    assert!(killed > 400, "{killed}");
}

//! The process dies at every call of every operation: the result is the old or the new state.
//!
//! A separate program, because a process that is being started inherits the locks of its parent for a short
//! time.
#![cfg(unix)]

use crate::support::killed_process;

use minds_fs::Root;
use minds_fs::faults::run;

use crate::kills::killed_process::{KILLS, is_killed, order};
use crate::operations::{OPERATIONS, Tree, open_again, run_without_faults};

/// The process that dies: runs the operation in the environment.
#[test]
fn the_child_process_is_killed() {
    let Some((plan, what)) = order() else { return };
    let (operation, folder) = what.split_once('|').unwrap();
    let operation = &OPERATIONS[operation.parse::<usize>().unwrap()];
    let root = Root::open(folder.as_ref(), minds_vfs::MountId::WORKSPACE).unwrap();
    let _ = run(plan, || (operation.act)(&root));
}

#[test]
fn a_killed_process_leaves_the_old_or_the_new_state_and_the_next_one_recovers() {
    let mut killed = 0;
    for (index, operation) in OPERATIONS.iter().enumerate() {
        let (after, calls) = run_without_faults(operation);
        let (old, new) = (Tree::new().files(), after.files());
        for at in 1..=calls.len() {
            for death in KILLS {
                let tree = Tree::new();
                let context = format!("{}: {death} call {at}, {}", operation.name, calls[at - 1]);
                let what = format!("{index}|{}", tree.path().display());
                assert!(is_killed("kills", &format!("{at}:{death}"), &what), "{context}");
                killed += 1;
                let files = tree.files();
                let is_one = !operation.name.contains("several");
                assert!(!is_one || files == old || files == new, "{context}: {files:#?}");
                let left = tree.temporaries().len();
                // A lock next to the claim, or a directory that is being removed.
                let has_two = ["lock", "all that it holds"].iter().any(|word| operation.name.contains(word));
                assert!(!is_one || left <= 1 || has_two && left <= 2, "{context}");
                open_again(&tree.open());
                let files = tree.files();
                assert!(files == old || files == new, "{context}: {files:#?}");
                assert_eq!(tree.temporaries(), Vec::<String>::new(), "{context}");
            }
        }
    }
    assert!(killed > 400, "{killed}");
}

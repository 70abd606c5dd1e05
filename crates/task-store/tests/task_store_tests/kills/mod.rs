//! The process is killed at system calls of every change: the content is the old or the new one, and the
//! journal matches.
//!
//! A separate test program, because a process that is being started briefly inherits the locks of its parent.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use minds_fs::Root;
use minds_fs::faults::{Plan, calls_to_test, run};
use minds_vfs::MountId;

use crate::support::{CASES, change, package, set};

const ORDER: &str = "MINDS_TEST_KILL";
const KILLS: [&str; 2] = ["kill-before", "kill-after"];

/// Does what the environment orders: this is the process that dies.
#[test]
fn a_process_that_dies_on_request() {
    let Ok(order) = std::env::var(ORDER) else {
        // This is not the child process: check that all kinds of kill used below are known.
        assert!(KILLS.iter().all(|death| format!("1:{death}").parse::<Plan>().is_ok()));
        return;
    };
    let mut words = order.splitn(3, '|');
    let case = &CASES[words.next().unwrap().parse::<usize>().unwrap()];
    let plan: Plan = words.next().unwrap().parse().unwrap();
    let root = Root::open(words.next().unwrap().as_ref(), MountId::WORKSPACE).unwrap();
    let package = package(&root);
    let _ = run(plan, || change(&package, case.section, (case.edit)()));
}

#[test]
fn a_killed_process_leaves_the_old_or_the_new_content_and_a_matching_journal() {
    const KILLED: i32 = 9;
    let mut killed = 0;
    for (index, case) in CASES.iter().enumerate() {
        let template = (case.world)();
        let changed = template.copy();
        let root = changed.open();
        let found = package(&root);
        let (done, calls) = run(Plan::none(), || change(&found, case.section, (case.edit)()));
        done.unwrap();
        let old = case.verify(&template, |_| false, case.name);
        let new = case.verify(&changed, |_| true, case.name);
        for at in calls_to_test(calls.len(), 3) {
            let death = KILLS[(at + index) % 2];
            let world = template.copy();
            let order = format!("{index}|{at}:{death}|{}", world.path().display());
            let context = format!("{}: {death} call {at}, {}", case.name, calls[at - 1]);
            let status = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "kills::a_process_that_dies_on_request"])
                .env(ORDER, order)
                .output()
                .unwrap()
                .status;
            assert_eq!(status.signal(), Some(KILLED), "{context}");
            killed += 1;
            let section = format!("{}.md", case.section);
            let now = world.files();
            let is_one =
                [&template, &changed].iter().any(|one| one.files().get(&section) == now.get(&section));
            assert!(is_one, "{context}: {now:#?}");
            let found = case.verify(&world, |found| found == new, &context);
            assert!(found == old || found == new, "{context}: {found}");
            change(&package(&world.open()), "constraints", set("the next one")).unwrap();
            let then = case.verify(&world, |_| found == new, &context);
            assert!(found == 0 || then == found + 1, "{context}: {then}");
            assert_eq!(world.left(), Vec::<String>::new(), "{context}");
        }
    }
    assert!(killed > 170, "{killed}");
}

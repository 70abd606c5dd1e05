//! What a process leaves that dies in the middle of a change: the next one finishes the change and reports it.

use std::cell::RefCell;
use std::fs;

use minds_fs::faults::{Fault, Plan, run};
use minds_fs::{Notice, Root, configure};

use crate::support::{World, change, package, set};

const INPUT_OUTPUT: i32 = 5;

thread_local! {
    /// The notices of one test: other tests of the program run in other threads.
    static NOTICES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

#[test]
fn the_next_change_reports_what_it_completed() {
    configure(minds_fs::DEFAULT_LOCK_TIMEOUT, |notice: &Notice<'_>| {
        if !notice.is_detail() {
            NOTICES.with_borrow_mut(|notices| notices.push(notice.to_string()));
        }
    });
    let mut finished = 0;
    let template = World::new().changed(&[("goals", set("old\n"))]);
    let act = |root: &Root, plan, text: &str| {
        let package = package(root);
        run(plan, || change(&package, "goals", set(text)))
    };
    let (_, calls) = act(&template.copy().open(), Plan::none(), "new\n");
    for at in 1..=calls.len() {
        let world = template.copy();
        let plan = Plan::at(u64::try_from(at).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
        let _ = act(&world.open(), plan, "new\n");
        let is_made = fs::read_to_string(world.at("goals.md")).unwrap() == "new\n";
        let is_written = fs::read_to_string(world.at("journal.jsonl")).unwrap().lines().count() == 2;
        NOTICES.take();
        act(&world.open(), Plan::none(), "newer\n").0.unwrap();
        let notices = NOTICES.take();
        let expected = "finished a change that was interrupted earlier: `tasks/demo.tsk/goals.md`";
        let expected: &[&str] = if is_made && !is_written { &[expected] } else { &[] };
        assert_eq!(notices, expected, "call {at}");
        finished += notices.len();
    }
    assert!(finished > 0);
}

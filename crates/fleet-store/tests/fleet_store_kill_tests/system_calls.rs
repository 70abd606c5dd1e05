//! A process that is killed before or after a system call.

use std::os::unix::process::ExitStatusExt as _;

use minds_fs::faults::{Plan, calls_to_test, run};

use crate::scenario::{Acknowledged, expect_acknowledged, perform, template};
use crate::support::World;
use crate::{acknowledge, child, lock_children, order, parse_acknowledgement};

const KILLED: i32 = 9;
const KILLS: [&str; 2] = ["kill-before", "kill-after"];

/// Performs the scenario and dies at the call of its order.
#[test]
fn the_child_process_is_killed() {
    let Some(order) = order() else {
        // Run as a normal test: only check that the plans are valid.
        assert!(KILLS.iter().all(|kill| format!("1:{kill}").parse::<Plan>().is_ok()));
        return;
    };
    let (plan, state) = order.split_once('|').unwrap();
    let world = World::at(state);
    let _ = run(plan.parse().unwrap(), || perform(&world, &mut acknowledge));
}

#[test]
fn nothing_is_lost_whatever_call_is_the_last_one() {
    let _guard = lock_children();
    let template = template();
    let calls = run(Plan::none(), || perform(&template.copy(), &mut |_| {})).1;
    let mut killed = 0;
    for (index, at) in calls_to_test(calls.len(), 7).enumerate() {
        let world = template.copy();
        let kill = KILLS[index % 2];
        let context = format!("{kill} call {at}, {}", calls[at - 1]);
        let order = format!("{at}:{kill}|{}", world.state.display());
        let output = child("system_calls::the_child_process_is_killed", &order).output().unwrap();
        assert_eq!(output.status.signal(), Some(KILLED), "{context}: {output:?}");
        let mut acknowledged = Acknowledged::default();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter_map(parse_acknowledgement).for_each(|what| acknowledged.add(what));
        expect_acknowledged(&world, &acknowledged, &context);
        killed += 1;
    }
    assert!(killed > 20, "{killed}");
}

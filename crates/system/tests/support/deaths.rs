//! Processes that are told to die: a test program starts itself once more, for one test of it.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use minds_system::faults::Plan;

/// Death at a call: before it is made, or behind it.
pub(crate) const DEATHS: [&str; 2] = ["kill-before", "kill-after"];
const ORDER: &str = "MINDS_TEST_KILL";
const KILLED: i32 = 9;

/// Starts the test `a_process_that_is_told_to_die` in a process of its own, with a plan and what it is to do; returns whether
/// it was killed.
pub(crate) fn is_killed(plan: &str, what: &str) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_that_is_told_to_die"])
        .env(ORDER, format!("{plan}|{what}"))
        .output()
        .unwrap();
    output.status.signal() == Some(KILLED)
}

/// Returns what this process was told, if it was told anything.
pub(crate) fn order() -> Option<(Plan, String)> {
    let Ok(order) = std::env::var(ORDER) else {
        // Nobody told it: as many kinds of death are known as are asked for.
        assert!(DEATHS.iter().all(|death| format!("1:{death}").parse::<Plan>().is_ok()));
        return None;
    };
    let (plan, what) = order.split_once('|').unwrap();
    Some((plan.parse().unwrap(), what.to_owned()))
}

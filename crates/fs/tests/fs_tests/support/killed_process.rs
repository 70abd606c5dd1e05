//! A child process that is killed at a call: the test program runs one of its tests in it.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use minds_fs::faults::Plan;

/// The faults that kill the process before or after a call.
pub(crate) const KILLS: [&str; 2] = ["kill-before", "kill-after"];
const ORDER: &str = "MINDS_TEST_KILL";
const KILLED: i32 = 9;

/// Runs the test `the_child_process_is_killed` of a module in a child process, with a plan and instructions; returns
/// whether it was killed.
pub(crate) fn is_killed(module: &str, plan: &str, what: &str) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::the_child_process_is_killed")])
        .env(ORDER, format!("{plan}|{what}"))
        .output()
        .unwrap();
    output.status.signal() == Some(KILLED)
}

/// Returns the instructions for this process, if any.
pub(crate) fn order() -> Option<(Plan, String)> {
    let Ok(order) = std::env::var(ORDER) else {
        // Run as a normal test: only check that the plans are valid.
        assert!(KILLS.iter().all(|death| format!("1:{death}").parse::<Plan>().is_ok()));
        return None;
    };
    let (plan, what) = order.split_once('|').unwrap();
    Some((plan.parse().unwrap(), what.to_owned()))
}

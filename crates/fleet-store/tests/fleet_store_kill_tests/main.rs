//! Processes that are killed while they work: what they have acknowledged is in the files of the next one.
//!
//! A separate test program, because a process that is being started briefly inherits the locks of its parent.
//!
//! `MINDS_TEST_KILLS` is the number of processes that are killed at random times; 10,000 take about half an hour.
//! `MINDS_TEST_EVERY_CALL` kills at every system call instead of every seventh one.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    dead_code,
    reason = "a test reads what it needs, and may stop at once; the modules are shared with the other test program"
)]

mod random_kills;
#[path = "../fleet_store_tests/scenario.rs"]
mod scenario;
#[path = "../fleet_store_tests/support.rs"]
mod support;
mod system_calls;

use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};

/// What the child process does, and where.
const ORDER: &str = "MINDS_TEST_ORDER";
/// What precedes an acknowledgement in the output of the child process.
const MARK: &str = "acknowledged ";

/// Only one test has child processes at a time: each of them inherits the open files of this process until it runs.
static CHILDREN: Mutex<()> = Mutex::new(());

fn lock_children() -> MutexGuard<'static, ()> {
    CHILDREN.lock().unwrap()
}

/// Returns the command that runs a test of this program as a child process.
fn child(test: &str, order: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(ORDER, order);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the order of this process; none if it is not a child process.
fn order() -> Option<String> {
    std::env::var(ORDER).ok()
}

/// Tells the parent process what is durable. The line is in the pipe when this returns.
fn acknowledge(what: &str) {
    println!("\n{MARK}{what}");
}

/// Returns the acknowledgement in a line of the output.
fn parse_acknowledgement(line: &str) -> Option<&str> {
    line.strip_prefix(MARK)
}

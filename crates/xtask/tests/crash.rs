//! The short version of `cargo xtask crash`.
#![cfg(target_os = "linux")]

use std::path::Path;

use xtask::crash::{Options, run};

/// The parts run one after the other, because a process that another thread starts inherits the locks of this
/// process until `exec`.
#[test]
fn killed_and_failing_processes_leave_the_old_or_the_new_state() {
    let options = Options { kills: 200, each: 2, processes: 4, updates: 200, changes: 100, seed: 1 };
    assert_eq!(run(&options, None, Path::new(env!("CARGO_BIN_EXE_xtask"))), Ok(()));
}

//! The short form of `cargo xtask crash`.
#![cfg(target_os = "linux")]

use std::path::Path;

use xtask::crash::{Options, run};

/// One part after the other: a process that another thread starts has the locks of this one until it runs its program.
#[test]
fn whoever_dies_or_fails_leaves_the_old_or_the_new() {
    let options = Options { kills: 200, each: 2, processes: 4, updates: 200, changes: 100, seed: 1 };
    assert_eq!(run(&options, None, Path::new(env!("CARGO_BIN_EXE_xtask"))), Ok(()));
}

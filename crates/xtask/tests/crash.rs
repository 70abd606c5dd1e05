//! The short form of `cargo xtask crash`.
#![cfg(target_os = "linux")]

use std::path::Path;

use xtask::crash::{Options, run};

/// Tries one part; they share nothing, so they run at the same time.
#[track_caller]
fn expect_old_or_new(part: &str) {
    let options = Options { kills: 200, each: 2, processes: 4, updates: 200, changes: 100, seed: 1 };
    assert_eq!(run(&options, Some(part), Path::new(env!("CARGO_BIN_EXE_xtask"))), Ok(()));
}

#[test]
fn whoever_dies_or_fails_leaves_old_or_new_files() {
    expect_old_or_new("files");
}

#[test]
fn whoever_dies_leaves_an_old_or_new_task_package() {
    expect_old_or_new("task");
}

#[test]
fn whoever_dies_leaves_an_old_or_new_installation() {
    expect_old_or_new("source");
}

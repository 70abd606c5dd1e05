//! The short version of `cargo xtask crash`, in a program of its own that starts no other process meanwhile.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test starts processes, and may stop at once"
)]

use std::process::{Child, Command, Stdio};

/// Starts the tests of a part.
fn start(part: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["crash", part, "--kills", "100", "--each", "1", "--processes", "4"])
        .args(["--updates", "100", "--changes", "50", "--seed", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// The parts run at the same time in processes of their own. Threads of one process would disturb each other: a
/// process that another thread starts inherits the locks of its parent until `exec`.
#[test]
fn killed_and_failing_processes_leave_the_old_or_the_new_state() {
    let parts = ["files", "task", "source"].map(|part| (part, start(part)));
    let ends = parts.map(|(part, child)| (part, child.wait_with_output().expect("the program ends")));
    for (part, end) in ends {
        let output = [end.stdout, end.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(end.status.success(), "{part}: {}", output.concat());
        assert!(output.concat().contains("killed at random times"), "{part}: {}", output.concat());
    }
}

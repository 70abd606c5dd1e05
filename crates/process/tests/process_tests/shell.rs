//! Commands approved by the user: how they end, and limits of output and of child processes.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use minds_process::{ShellEnd, ShellLimits, ShellOutcome, run_shell};

fn run(command: &str, folder: &Path) -> ShellEnd {
    run_shell(command, folder, &[], ShellLimits::default()).unwrap()
}

#[test]
fn a_command_runs_in_its_folder_and_its_output_is_returned() {
    let folder = tempfile::tempdir().unwrap();
    let end = run("echo out; echo err >&2; echo x > file", folder.path());
    assert!(end.is_success() && !end.is_cut, "{end:?}");
    assert_eq!((end.stdout, end.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "x\n");
    assert!(run_shell("true", &folder.path().join("none"), &[], ShellLimits::default()).is_err());
}

#[test]
fn the_exit_status_is_returned() {
    let folder = tempfile::tempdir().unwrap();
    for (command, outcome) in [
        ("exit 0", ShellOutcome::Exited(0)),
        ("exit 7", ShellOutcome::Exited(7)),
        ("no-such-program-is-here", ShellOutcome::Exited(127)),
        ("kill -KILL $$", ShellOutcome::Killed),
    ] {
        assert_eq!(run(command, folder.path()).outcome, outcome, "{command}");
    }
}

#[test]
fn standard_input_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let end = run("cat; test ! -t 0 && test ! -t 1 && test ! -t 2 && echo none", folder.path());
    assert_eq!(end.stdout, b"none\n");
}

#[test]
fn only_the_beginning_of_long_output_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ShellLimits { max_output_bytes: 10, ..ShellLimits::default() };
    let end =
        run_shell("yes | head -c 1000000; yes n | head -c 1000000 >&2", folder.path(), &[], limits).unwrap();
    assert!(end.is_success() && end.is_cut);
    assert_eq!((end.stdout, end.stderr), (b"y\ny\ny\ny\ny\n".to_vec(), b"n\nn\nn\nn\nn\n".to_vec()));
}

#[test]
fn a_command_that_does_not_end_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ShellLimits { time: Duration::from_secs(1), ..ShellLimits::default() };
    let end =
        run_shell("echo before; sleep 1000 & echo $! > child; wait", folder.path(), &[], limits).unwrap();
    assert_eq!((end.outcome, end.stdout.as_slice()), (ShellOutcome::TimedOut, &b"before\n"[..]));
    assert!(!is_alive(&folder.path().join("child")));
}

#[test]
fn remaining_children_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let end = run("sleep 1000 & echo $! > child", folder.path());
    assert!(end.is_success());
    assert!(!is_alive(&folder.path().join("child")));
}

/// Returns whether the process whose id is in a file is still alive; a zombie counts as dead.
fn is_alive(number: &Path) -> bool {
    let number = fs::read_to_string(number).unwrap();
    let is_there = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
    };
    // A killed process takes a short time to die.
    (0..200_000).all(|_| {
        std::thread::yield_now();
        is_there()
    })
}

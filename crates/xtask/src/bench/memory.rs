//! How much memory a process holds at its peak.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{check, workspace_of};

const MEMBERS: usize = 10_000;
/// How many times the size of its file a check may hold.
const GOAL: f64 = 24.0;

/// Prints how much memory the check of a large team holds at its peak, as a multiple of the size of its file.
///
/// The system keeps one peak for all processes that a process has waited for, so each is measured by a process of its
/// own: this program, started as `peak-memory`.
pub(super) fn run(minds: &Path, folder: &Path) {
    let (workspace, bytes) = workspace_of(MEMBERS, folder);
    let check = check(minds, &workspace);
    let output = Command::new(std::env::current_exe().expect("the program knows where it lies"))
        .arg("peak-memory")
        .arg(check.get_program())
        .args(check.get_args())
        .current_dir(&workspace)
        .stderr(Stdio::inherit())
        .output()
        .expect("the program starts");
    println!("peak memory of `minds check`, {MEMBERS} members");
    let Ok(peak) = String::from_utf8_lossy(&output.stdout).trim().parse::<u64>() else {
        println!("left out: this system does not say how much memory a process held");
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let ratio = peak as f64 / bytes as f64;
    println!("{bytes} bytes of team, {peak} bytes of memory: {ratio:.1} x (goal: at most {GOAL:.0})");
}

/// Runs a program, and returns the bytes of memory that it held at its peak; none if the system does not say.
///
/// What the program prints is dropped. A process holds at least what its parent held when it was started, here a few
/// megabytes.
pub fn peak_memory(program: &str, args: &[String]) -> Option<u64> {
    let status = Command::new(program).args(args).stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(status.expect("the program starts").success(), "{program} failed");
    peak_of_children()
}

#[cfg(unix)]
fn peak_of_children() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};

    const UNIT: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    u64::try_from(usage.max_rss()).ok().map(|peak| peak * UNIT)
}

#[cfg(not(unix))]
fn peak_of_children() -> Option<u64> {
    None
}

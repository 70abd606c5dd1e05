//! Peak memory of a process.

use std::path::Path;
use std::process::{Command, Stdio};

use super::check;
use super::teams::Team;

const MEMBERS: usize = 10_000;
/// The maximum ratio of memory to file size.
const GOAL: f64 = 24.0;

/// Prints the peak memory of checking a large team, as a multiple of the size of its file.
///
/// The system reports one peak for all child processes together, so each measurement runs in a separate
/// process: this program, started as `peak-memory`.
pub(super) fn run(minds: &Path, folder: &Path) {
    let (workspace, bytes) = Team::OwnDirectories.write(MEMBERS, folder);
    let check = check(minds, &workspace);
    let output = Command::new(std::env::current_exe().expect("the path of the program is known"))
        .arg("peak-memory")
        .arg(check.get_program())
        .args(check.get_args())
        .current_dir(&workspace)
        .stderr(Stdio::inherit())
        .output()
        .expect("the program starts");
    println!("peak memory of `minds check`, {MEMBERS} members");
    let Ok(peak) = String::from_utf8_lossy(&output.stdout).trim().parse::<u64>() else {
        println!("skipped: this system does not report peak memory");
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let ratio = peak as f64 / bytes as f64;
    println!("team of {bytes} bytes, {peak} bytes of memory: {ratio:.1} x (goal: at most {GOAL:.0})");
}

/// Runs a program, and returns its peak memory in bytes; none if the system does not report it.
///
/// The program's output is discarded. The result includes the memory of the parent at the time of the start,
/// here a few megabytes.
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

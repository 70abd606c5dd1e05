//! The time of a first `cargo test --workspace`, for revisions of the repository.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::target_folder;
use crate::files::root;

/// Prints how long building and running all tests takes for each revision, starting with an empty target directory.
///
/// The revisions are measured one after the other, so the machine should do nothing else. The processor time depends less
/// on other programs than the time that passes.
pub fn build_time(revisions: &[String]) {
    let copies = target_folder().join("bench/builds");
    println!("{:12} {:6} {:>10} {:>14}", "revision", "step", "time", "processor time");
    for revision in revisions {
        let copy = copies.join(revision.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        remove(&copy);
        expect(git(&root(), &["clone", "--quiet", "--shared", "."]).arg(&copy));
        expect(&mut git(&copy, &["checkout", "--quiet", "--detach", revision]));
        // Downloads are not part of the measurement.
        expect(&mut cargo(&copy, &["fetch", "--locked"]));
        let build = ["test", "--workspace", "--locked", "--quiet", "--no-run"];
        print_row(revision, "build", &time(|| expect(&mut cargo(&copy, &build))));
        let run = ["test", "--workspace", "--locked", "--quiet", "--no-fail-fast"];
        let mut passed = true;
        print_row(revision, "run", &time(|| passed = is_successful(&mut cargo(&copy, &run))));
        if !passed {
            println!("{revision:12} some tests failed");
        }
        remove(&copy);
    }
}

/// What a step took: the time that passed, and the processor time of all its processes, if the system reports it.
struct StepTime {
    passed: Duration,
    processor: Option<Duration>,
}

fn time(step: impl FnOnce()) -> StepTime {
    let (start, before) = (Instant::now(), processor_time_of_children());
    step();
    let passed = start.elapsed();
    let processor =
        processor_time_of_children().zip(before).map(|(after, before)| after.saturating_sub(before));
    StepTime { passed, processor }
}

fn print_row(revision: &str, step: &str, taken: &StepTime) {
    let processor = taken.processor.map_or("-".to_owned(), |time| format!("{:.0} s", time.as_secs_f64()));
    println!("{revision:12} {step:6} {:>8.0} s {processor:>14}", taken.passed.as_secs_f64());
}

#[cfg(unix)]
fn processor_time_of_children() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    u64::try_from(micros).ok().map(Duration::from_micros)
}

#[cfg(not(unix))]
fn processor_time_of_children() -> Option<Duration> {
    None
}

fn git(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(args).current_dir(folder);
    command
}

/// Returns a run of cargo that shares nothing with other builds.
fn cargo(folder: &Path, args: &[&str]) -> Command {
    // The program on the path chooses the toolchain for all that it starts.
    let mut command = Command::new("cargo");
    command.args(args).current_dir(folder).env_remove("CARGO_TARGET_DIR").env("CARGO_INCREMENTAL", "0");
    command
}

fn expect(command: &mut Command) {
    assert!(is_successful(command), "{command:?} failed");
}

fn is_successful(command: &mut Command) -> bool {
    command.status().expect("the program starts").success()
}

/// Removes a directory with all that a build has written: two builds at once may need more space than there is.
fn remove(folder: &Path) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).expect("the directory can be removed");
    }
}

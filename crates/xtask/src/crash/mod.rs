//! Crash tests: killed processes, failing disks and concurrent changes must not tear or lose data.

mod calls;
mod killed_processes;
mod operations;
mod random_kills;
mod recovery_check;
mod source;
mod task;
mod tree;
mod victim;
mod writers;

use std::path::Path;
use std::process::Command;

use crate::files::root;
use crate::numbers::parse_number;
use calls::CallKills;
use operations::OPERATIONS;
use random_kills::Histogram;
use tree::{Files, Tree};
use victim::{start_counter, wait};

pub use victim::run_victim;

/// A part of the crash tests that can be run separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Processes that change files.
    Files,
    /// Processes that change task packages.
    Task,
    /// Processes that install items.
    Source,
    /// The tests that kill a process or fail at some calls, at all calls; they are built first.
    Tests,
}

/// The extent of the tests.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Options {
    /// The number of processes killed at random times.
    #[arg(long, value_name = "N", default_value = "10_000", value_parser = parse_number)]
    pub kills: usize,
    /// How often a process is killed at each call of each operation.
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_number)]
    pub each: usize,
    /// The number of processes that increment a counter in one file.
    #[arg(long, value_name = "N", default_value = "8", value_parser = parse_number)]
    pub processes: usize,
    /// The number of increments by each of them.
    #[arg(long, value_name = "N", default_value = "10_000", value_parser = parse_number)]
    pub updates: usize,
    /// The number of changes of a task package by each of them.
    #[arg(long, value_name = "N", default_value = "2_000", value_parser = parse_number)]
    pub changes: usize,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Runs the crash tests, or only one part, and prints the results. `program` is this program, which is
/// started as the victim.
///
/// # Errors
///
/// Returns what was torn, lost or not cleaned up.
pub fn run(options: &Options, part: Option<Part>, program: &Path) -> Result<(), String> {
    let is_wanted = |this| part.is_none_or(|part| part == this);
    if is_wanted(Part::Files) {
        files(options, program)?;
    }
    if is_wanted(Part::Task) {
        tasks(options, program)?;
        writers::write(program, options.processes, options.changes)?;
    }
    if is_wanted(Part::Source) {
        sources(options, program)?;
    }
    if is_wanted(Part::Tests) {
        run_tests()?;
    }
    Ok(())
}

/// Runs the tests of packages that try some calls, and lets them try all calls.
fn run_tests() -> Result<(), String> {
    for (package, name) in
        [("minds-operations", "render_kills"), ("minds-installer", "kills"), ("minds-task-store", "")]
    {
        let mut tests = Command::new("cargo");
        tests.args(["test", "--quiet", "--locked", "--package", package, "--", name]).current_dir(root());
        let status = tests.env(minds_fs::faults::EVERY_CALL, "1").status();
        if !status.map_err(|error| error.to_string())?.success() {
            return Err(format!("tests of {package} failed"));
        }
    }
    Ok(())
}

/// Kills processes that install items.
fn sources(options: &Options, program: &Path) -> Result<(), String> {
    let killed = source::kill(program, options.each, options.kills, options.seed)?;
    println!(
        "\nsources: {} processes killed at a call, {} at each; {} killed at random times, after {} acknowledged \
         installations: every item old or new, all of them consistent after the next command; in {} cases the \
         installation in progress had been completed",
        killed.at_calls, options.each, killed.at_random_times, killed.acknowledged, killed.completed
    );
    killed.print_histogram();
    Ok(())
}

/// Kills processes that change task packages.
fn tasks(options: &Options, program: &Path) -> Result<(), String> {
    let killed = task::kill(program, options.each, options.kills, options.seed)?;
    println!(
        "\ntask packages: {} processes killed at a call, {} at each; {} killed at random times, after {} acknowledged \
         changes: nothing torn, nothing lost, the journal is correct; in {} cases the change in progress \
         had been completed",
        killed.at_calls, options.each, killed.at_random_times, killed.acknowledged, killed.completed
    );
    killed.print_histogram();
    Ok(())
}

/// Kills processes that change files, and makes calls fail.
fn files(options: &Options, program: &Path) -> Result<(), String> {
    calls::expect_durable()?;
    let failures = calls::fail_everywhere()?;
    println!("{failures} failing calls: nothing torn, nothing lost, no temporary files left");
    let killed = calls::kill_everywhere(program, options.each, options.seed)?;
    let dead: usize = killed.iter().map(|killed| killed.calls.len() * killed.each).sum();
    println!("{dead} processes killed at a call, {} at each: the same", options.each);
    let kills = random_kills::kill(program, options.kills, options.seed)?;
    println!(
        "{} processes killed at random times, after {} acknowledged steps: the same; \
         in {} cases the step in progress had been completed",
        options.kills, kills.acknowledged, kills.completed
    );
    print_histogram(&killed, &kills.histogram);
    count(options, program)
}

/// Prints where processes were killed: at each call of a first step systematically, and at the calls of later
/// steps at random times.
fn print_histogram(killed: &[CallKills], histogram: &Histogram) {
    for CallKills { operation, calls, each } in killed {
        let here = || histogram.iter().filter(|((index, ..), _)| index == operation);
        let total: usize = here().map(|(_, count)| count).sum();
        let at = |call: u64| -> usize {
            here().filter(|((_, number, _), _)| *number == call).map(|(_, count)| count).sum()
        };
        let operation = &OPERATIONS[*operation];
        println!(
            "\n{}: {} calls, {each} kills at each; {total} kills at random times:",
            operation.name,
            calls.len()
        );
        let later = calls::later_calls_of(operation);
        let counts = later.iter().zip(1..).map(|(call, number)| format!("{call} {}", at(number)));
        let counts: Vec<String> = counts.chain([format!("between two steps {}", at(0))]).collect();
        counts.chunks(8).for_each(|line| println!("  {}", line.join(", ")));
    }
}

/// Runs processes that increment a counter in one file, half of them with a lock, and verifies the sum.
fn count(options: &Options, program: &Path) -> Result<(), String> {
    let file = [("dir", "directory"), ("dir/count", "file 0")];
    let files: Files = file.map(|(path, what)| (path.to_owned(), what.to_owned())).into();
    let tree = Tree::new(&files);
    let start = std::time::Instant::now();
    let counters: Vec<_> = (0..options.processes)
        .map(|number| start_counter(program, tree.path(), options.updates, number % 2 == 0))
        .collect();
    for counter in counters {
        wait(counter);
    }
    let expected = format!("file {}", options.processes * options.updates);
    let found = tree.files().remove("dir/count");
    println!(
        "\n{} processes counted to {} each, in {:.1} s: {}",
        options.processes,
        options.updates,
        start.elapsed().as_secs_f64(),
        found.as_deref().unwrap_or("nothing")
    );
    let left = tree.temporaries();
    if found.as_ref() == Some(&expected) && left.is_empty() {
        return Ok(());
    }
    Err(format!("expected {expected} and no temporary files: {found:?}, {left:?}"))
}

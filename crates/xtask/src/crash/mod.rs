//! Processes that die, disks that fail, and many that want the same: nothing is torn and nothing is lost.

mod calls;
mod deaths;
mod machines;
mod moments;
mod source;
mod task;
mod tree;
mod verdict;
mod victim;
mod writers;

use std::path::Path;

use crate::numbers::number;
use calls::Deaths;
use machines::MACHINES;
use moments::Histogram;
use tree::{Files, Tree};
use victim::{start_counter, wait};

pub use victim::run_victim;

/// What can be killed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Processes that change files.
    Files,
    /// Processes that change task packages.
    Task,
    /// Processes that install.
    Source,
}

/// How much is tried.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Options {
    /// The number of processes that are killed at any moment.
    #[arg(long, value_name = "N", default_value = "10_000", value_parser = number)]
    pub kills: usize,
    /// How often a process is killed at each call of each operation.
    #[arg(long, value_name = "N", default_value = "100", value_parser = number)]
    pub each: usize,
    /// The number of processes that count in one file.
    #[arg(long, value_name = "N", default_value = "8", value_parser = number)]
    pub processes: usize,
    /// How far each of them counts.
    #[arg(long, value_name = "N", default_value = "10_000", value_parser = number)]
    pub updates: usize,
    /// How many changes of a task package each of them makes.
    #[arg(long, value_name = "N", default_value = "2_000", value_parser = number)]
    pub changes: usize,
    /// Where chance begins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Kills and fails all that there is, and prints what came of it, or only what is about one part.
/// `program` is this program, which becomes the victim.
///
/// # Errors
///
/// Says what was torn, lost or left behind.
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
    Ok(())
}

/// Kills processes that install.
fn sources(options: &Options, program: &Path) -> Result<(), String> {
    let deaths = source::kill(program, options.each, options.kills, options.seed)?;
    println!(
        "\nsources: {} processes killed at a call, {} at each; {} killed at any moment, after {} installations that they \
         had said were done: every item old or new, all of them after the next command; {} times the one that was under \
         way had happened",
        deaths.at_calls, options.each, deaths.at_moments, deaths.acknowledged, deaths.happened
    );
    deaths.print_histogram();
    Ok(())
}

/// Kills processes that change task packages.
fn tasks(options: &Options, program: &Path) -> Result<(), String> {
    let deaths = task::kill(program, options.each, options.kills, options.seed)?;
    println!(
        "\ntask packages: {} processes killed at a call, {} at each; {} killed at any moment, after {} changes that \
         they had said were done: nothing torn, nothing lost, the journal is true; {} times the change that was under way \
         had happened",
        deaths.at_calls, options.each, deaths.at_moments, deaths.acknowledged, deaths.happened
    );
    deaths.print_histogram();
    Ok(())
}

/// Kills processes that change files, and lets calls fail.
fn files(options: &Options, program: &Path) -> Result<(), String> {
    calls::expect_durable()?;
    let failures = calls::fail_everywhere()?;
    println!("{failures} failing calls: nothing torn, nothing lost, nothing left behind");
    let deaths = calls::kill_everywhere(program, options.each, options.seed)?;
    let dead: usize = deaths.iter().map(|deaths| deaths.calls.len() * deaths.each).sum();
    println!("{dead} processes killed at a call, {} at each: the same", options.each);
    let moments = moments::kill(program, options.kills, options.seed)?;
    println!(
        "{} processes killed at any moment, after {} steps that they had said were done: the same; \
         {} times the step that was under way had happened",
        options.kills, moments.acknowledged, moments.happened
    );
    print_histogram(&deaths, &moments.histogram);
    count(options, program)
}

/// Prints where kills landed: at the calls of a first step on purpose, and at those of the later steps at any moment.
fn print_histogram(deaths: &[Deaths], histogram: &Histogram) {
    for Deaths { machine, calls, each } in deaths {
        let here = || histogram.iter().filter(|((index, ..), _)| index == machine);
        let total: usize = here().map(|(_, count)| count).sum();
        let at = |call: u64| -> usize {
            here().filter(|((_, number, _), _)| *number == call).map(|(_, count)| count).sum()
        };
        let machine = &MACHINES[*machine];
        println!(
            "\n{}: {} calls, {each} kills at each; {total} kills at any moment:",
            machine.name,
            calls.len()
        );
        let later = calls::later_calls_of(machine);
        let counts = later.iter().zip(1..).map(|(call, number)| format!("{call} {}", at(number)));
        let counts: Vec<String> = counts.chain([format!("between two steps {}", at(0))]).collect();
        counts.chunks(8).for_each(|line| println!("  {}", line.join(", ")));
    }
}

/// Lets processes count in one file, half of them under a lock, and compares how far they came together.
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
    Err(format!("they should have come to {expected}, and left nothing behind: {found:?}, {left:?}"))
}

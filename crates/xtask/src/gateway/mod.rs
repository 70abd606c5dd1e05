//! Tests of the MCP gateway at length: processes that are killed, ways in which it ends, and edits of `mcp.yaml`.

mod harness;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::numbers::parse_number;
use crate::random::Random;
use harness::edits::{self, Change};
use harness::ends::{self, Ending};
use harness::kills::{self, Victim};
use harness::place::{Place, ServerProgram};

/// The time in which all processes are to end after `minds mcp`.
const END_TIME: Duration = Duration::from_secs(1);

const VICTIMS: [Victim; 4] = [Victim::Server, Victim::Worker, Victim::Supervisor, Victim::Mcp];

const ENDINGS: [Ending; 9] = [
    Ending::Closed,
    Ending::Terminated,
    Ending::Killed,
    Ending::GroupKilled,
    Ending::ClosedWithoutWorker,
    Ending::KilledWithoutWorker,
    Ending::ClosedWithoutSupervisor,
    Ending::ClosedInPause,
    Ending::KilledInPause,
];

/// A part that can be run separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Kill servers, workers, supervisors and `minds mcp` while calls run: 1000 of each.
    Kill,
    /// End `minds mcp` in different ways, with servers that do not end by themselves: 20 times each.
    Ends,
    /// Edit `mcp.yaml` at random: 10,000 times.
    Edits,
}

/// The extent of the tests.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The number of kills of each process, of ends of each kind, or of edits.
    #[arg(long, value_name = "N", value_parser = parse_number)]
    pub count: Option<usize>,
    /// The number of workspaces in which the tests run at the same time.
    #[arg(long, value_name = "N", default_value = "6", value_parser = parse_number)]
    pub threads: usize,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Use this `minds` program instead of building it.
    #[arg(long, value_name = "PROGRAM")]
    pub minds: Option<PathBuf>,
}

/// Runs the tests, or only one part, and prints the results. `program` is this program, which is started as a server.
///
/// # Errors
///
/// Returns what was wrong first.
pub fn run(options: &Options, part: Option<Part>, program: &Path) -> Result<(), String> {
    let minds = options.minds.clone().map(|minds| std::path::absolute(&minds).unwrap_or(minds));
    let minds = minds.unwrap_or_else(crate::bench::build_debug);
    let server = ServerProgram { program: program.to_owned(), args: vec!["gateway-server".to_owned()] };
    let runner = Runner { options, minds, server };
    println!("seed {}, {} workspaces at the same time", options.seed, options.threads);
    let is_wanted = |this| part.is_none_or(|part| part == this);
    if is_wanted(Part::Kill) {
        runner.kill(options.count.unwrap_or(1_000))?;
    }
    if is_wanted(Part::Ends) {
        runner.end(options.count.unwrap_or(20))?;
    }
    if is_wanted(Part::Edits) {
        runner.edit(options.count.unwrap_or(10_000))?;
    }
    Ok(())
}

/// Serves as a fake MCP server. Its behavior is in the environment.
///
/// # Errors
///
/// Fails without a behavior.
pub fn run_server() -> Result<(), String> {
    let behavior = std::env::var_os(harness::fake_server::BEHAVIOR);
    harness::fake_server::run(behavior.ok_or("a server needs a behavior in the environment")?.into())
}

struct Runner<'o> {
    options: &'o Options,
    minds: PathBuf,
    server: ServerProgram,
}

impl Runner<'_> {
    /// Does all of `work`, on several threads with a place of their own, and returns what was observed.
    fn run_all<W: Copy + Send + Sync, O: Send>(
        &self,
        work: &[W],
        prepare: impl Fn(&Place, W) + Sync,
        act: impl Fn(&Place, W, &mut Random) -> Result<O, String> + Sync,
    ) -> Result<Vec<(W, O)>, String> {
        let next = AtomicUsize::new(0);
        let (observed, failure) = (Mutex::new(Vec::new()), Mutex::new(None));
        let run = |number: usize| {
            let folder = tempfile::tempdir().expect("a folder can be created");
            let place = Place::new(folder.path(), &self.minds, self.server.clone());
            let mut random = Random::new(self.options.seed.wrapping_mul(1_000).wrapping_add(number as u64));
            while let Some(work) = work.get(next.fetch_add(1, Ordering::SeqCst)) {
                if failure.lock().expect("no thread panics").is_some() {
                    return;
                }
                prepare(&place, *work);
                match act(&place, *work, &mut random) {
                    Ok(one) => observed.lock().expect("no thread panics").push((*work, one)),
                    Err(error) => {
                        failure.lock().expect("no thread panics").get_or_insert(error);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for number in 0..self.options.threads {
                let run = &run;
                scope.spawn(move || run(number));
            }
        });
        match failure.into_inner().expect("no thread panics") {
            Some(error) => Err(error),
            None => Ok(observed.into_inner().expect("no thread panics")),
        }
    }

    fn kill(&self, count: usize) -> Result<(), String> {
        let work: Vec<Victim> =
            VICTIMS.iter().flat_map(|victim| std::iter::repeat_n(*victim, count)).collect();
        let observed = self.run_all(
            &work,
            |place, _| kills::prepare(place),
            |place, victim, random| {
                kills::kill(place, victim, random).map_err(|error| format!("{}: {error}", victim.name()))
            },
        )?;
        println!(
            "\nkilled      times   calls  running  results  refused  next call: median     max  \
             all ended: median     max"
        );
        let mut slowest = Duration::ZERO;
        for victim in VICTIMS {
            let observed: Vec<_> =
                observed.iter().filter(|(one, _)| *one == victim).map(|(_, one)| one).collect();
            let sum =
                |count: fn(&kills::Observed) -> usize| observed.iter().map(|one| count(one)).sum::<usize>();
            let (next, next_max) = median_and_max(observed.iter().map(|one| one.next));
            let (end, end_max) = median_and_max(observed.iter().map(|one| one.end));
            slowest = slowest.max(end_max);
            println!(
                "{:10} {:>6} {:>7} {:>8} {:>8} {:>8} {:>15} ms {:>4} ms {:>16} ms {:>4} ms",
                victim.name(),
                observed.len(),
                sum(|one| one.calls),
                sum(|one| one.running),
                sum(|one| one.results),
                sum(|one| one.refusals),
                next.as_millis(),
                next_max.as_millis(),
                end.as_millis(),
                end_max.as_millis()
            );
        }
        println!(
            "each call was answered and executed at most once, the next one worked, no process was left"
        );
        check_end(slowest)
    }

    fn end(&self, count: usize) -> Result<(), String> {
        let work: Vec<Ending> =
            ENDINGS.iter().flat_map(|ending| std::iter::repeat_n(*ending, count)).collect();
        let observed = self.run_all(
            &work,
            |place, _| ends::prepare(place),
            |place, ending, _| {
                ends::end(place, ending).map_err(|error| format!("{}: {error}", ending.name()))
            },
        )?;
        println!("\nend                                  times  all ended: median     max");
        let mut slowest = Duration::ZERO;
        for ending in ENDINGS {
            let times = observed.iter().filter(|(one, _)| *one == ending).map(|(_, time)| *time);
            let (median, max) = median_and_max(times);
            slowest = slowest.max(max);
            println!(
                "{:36} {count:>5} {:>15} ms {:>4} ms",
                ending.name(),
                median.as_millis(),
                max.as_millis()
            );
        }
        check_end(slowest)
    }

    fn edit(&self, count: usize) -> Result<(), String> {
        // Each thread has one place for all of its edits.
        let each = count.div_ceil(self.options.threads);
        let work = vec![each; self.options.threads];
        let observed = self.run_all(&work, |_, _| {}, edits::edit)?;
        let mut changes: BTreeMap<Change, usize> = BTreeMap::new();
        for (_, one) in &observed {
            for (change, count) in &one.changes {
                *changes.entry(*change).or_default() += count;
            }
        }
        let sum =
            |count: fn(&edits::Observed) -> usize| observed.iter().map(|(_, one)| count(one)).sum::<usize>();
        println!("\n{} edits of `mcp.yaml`:", changes.values().sum::<usize>());
        let counts: Vec<String> =
            changes.iter().map(|(change, count)| format!("{change:?} {count}")).collect();
        counts.chunks(7).for_each(|line| println!("  {}", line.join(", ")));
        println!(
            "{} lists of tools had all tools that worked last, {} calls reached the process of the call before \
             unless an edit replaced it, {} processes of servers were started and none was left",
            sum(|one| one.lists),
            sum(|one| one.calls),
            sum(|one| one.starts)
        );
        check_end(observed.iter().map(|(_, one)| one.end).max().unwrap_or_default())
    }
}

fn median_and_max(times: impl Iterator<Item = Duration>) -> (Duration, Duration) {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    (at(times.len() / 2), at(times.len().saturating_sub(1)))
}

fn check_end(slowest: Duration) -> Result<(), String> {
    if slowest <= END_TIME {
        return Ok(());
    }
    Err(format!("all processes ended only {} ms after `minds mcp`", slowest.as_millis()))
}

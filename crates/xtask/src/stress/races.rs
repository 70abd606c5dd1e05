//! Operations while another thread swaps a directory or a file with one outside.

use std::fs;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use minds_vfs::WorkspacePath;

use super::Options;
use super::alternating_root::{AlternatingRoot, DENIED, Swap};
use super::outside::{MARKER, NAME};
use super::verbs::{Mode, VERBS, Verb, VerbResult, act};

/// The maximum number of attempts of a control that does not leak.
const MAX_TRIES: usize = 100;

/// The results of one race.
#[derive(Default)]
struct Race {
    done: usize,
    refused: usize,
    leaks: usize,
    exchanged: usize,
    time: Duration,
    first: Option<String>,
}

/// Runs every race, including the careless programs, and prints the results.
///
/// # Errors
///
/// Returns what leaked, or that a careless program did not leak, so that the test is meaningless.
pub(super) fn run(options: &Options) -> Result<(), String> {
    println!("races, {} operations each, while names are swapped", options.swaps);
    println!("operation  mode      swapped with        done   refused       swaps   us/try   leaks");
    let mut leaks = Vec::new();
    let mut totals = (0, 0);
    let mut seed = options.seed;
    for (verb, name) in VERBS {
        for mode in verb.modes() {
            for swap in swaps(verb, *mode) {
                seed += 1;
                let race = run_one(verb, *mode, swap, options.swaps, seed);
                print(name, mode.name(), swap, &race);
                totals = (totals.0 + race.done, totals.1 + race.refused);
                leaks.extend(
                    race.first.map(|first| format!("{name}, {}, {}: {first}", mode.name(), swap.name())),
                );
            }
        }
    }
    for swap in [Swap::Directory, Swap::File, Swap::HardLink, Swap::Policy] {
        for verb in [Verb::Read, Verb::Replace] {
            let name = if verb == Verb::Read { "careless" } else { "and writes" };
            let race = careless(verb, swap, options.swaps, seed);
            print(name, "-", swap, &race);
            if race.leaks == 0 {
                return Err(format!(
                    "a careless {verb:?} did not leak through a {}: nothing was shown",
                    swap.name()
                ));
            }
        }
    }
    if !leaks.is_empty() {
        return Err(leaks.join("\n"));
    }
    if totals.0 == 0 || totals.1 == 0 {
        return Err(format!("{totals:?} operations succeeded and were refused: there was no race"));
    }
    Ok(())
}

fn print(name: &str, mode: &str, swap: Swap, race: &Race) {
    println!(
        "{name:10} {mode:9} {:14} {:>9} {:>9} {:>11} {:>8.1} {:>7}",
        swap.name(),
        race.done,
        race.refused,
        race.exchanged,
        race.time.as_secs_f64() * 1e6 / (race.done + race.refused).max(1) as f64,
        race.leaks
    );
}

/// Returns the races of an operation, at least three.
fn swaps(verb: Verb, mode: Mode) -> Vec<Swap> {
    let mut all = match verb {
        Verb::Read
        | Verb::Replace
        | Verb::Append
        | Verb::SnapshotFile
        | Verb::ApplyOne
        | Verb::ApplySeveral => {
            vec![Swap::Directory, Swap::File, Swap::HardLink]
        }
        Verb::Metadata => vec![Swap::Directory, Swap::Directory, Swap::File],
        _ => vec![Swap::Directory; 3],
    };
    let judges = matches!(
        verb,
        Verb::Read
            | Verb::Create
            | Verb::Replace
            | Verb::Append
            | Verb::MakeDirectory
            | Verb::MoveFrom
            | Verb::MoveTo
            | Verb::RemoveFile
            | Verb::RemoveDirectory
    );
    if judges && mode == Mode::Resolving {
        all.push(Swap::Policy);
    }
    all
}

fn run_one(verb: Verb, mode: Mode, swap: Swap, tries: usize, seed: u64) -> Race {
    let name = match verb {
        Verb::Create | Verb::MakeDirectory | Verb::MoveTo => "/new",
        Verb::RemoveDirectory => "/sub",
        Verb::List | Verb::Walk | Verb::SnapshotBelow => "",
        _ => "/f",
    };
    let path = WorkspacePath::parse(&format!("{}{name}", swap.directory())).expect("the path is valid");
    let mut fixture = AlternatingRoot::new(swap);
    let judge = |real: &WorkspacePath| !real.as_str().starts_with(DENIED);
    race(&mut fixture, tries, seed, |fixture| {
        // Only change sets that write are raced.
        let done = act(verb, &fixture.root, mode, &path, 0, &judge);
        if done.is_ok() || !verb.is_read_only() {
            fixture.restore(verb);
        }
        done
    })
}

fn race(
    fixture: &mut AlternatingRoot,
    tries: usize,
    seed: u64,
    mut attempt: impl FnMut(&AlternatingRoot) -> Result<VerbResult, String>,
) -> Race {
    let (stop, exchanged) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut race = Race::default();
    let record_leak = |race: &mut Race, why: String| {
        race.leaks += 1;
        race.first.get_or_insert(why);
    };
    let shared = &*fixture;
    thread::scope(|scope| {
        scope.spawn(|| shared.exchange(&stop, &exchanged, seed));
        while exchanged.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        for _ in 0..tries {
            let start = Instant::now();
            let done = attempt(shared);
            race.time += start.elapsed();
            match done {
                Ok(done) => {
                    race.done += 1;
                    if done.disclosed.contains(MARKER)
                        || done.disclosed.contains(NAME)
                        || is_outsider(done.size)
                    {
                        record_leak(&mut race, format!("{} {:?} was disclosed", done.disclosed, done.size));
                    }
                }
                Err(_) => race.refused += 1,
            }
            if let Err(why) = shared.watched.check_metadata() {
                record_leak(&mut race, why);
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    race.exchanged = exchanged.into_inner();
    if race.leaks == 0
        && let Err(why) = fixture.watched.compare()
    {
        record_leak(&mut race, why);
    }
    race
}

/// Returns whether this is the size of a file outside: files inside are short, or were appended to.
fn is_outsider(size: Option<u64>) -> bool {
    size.is_some_and(|size| size > 100)
}

/// A common mistake of programs: check the path, and then trust it.
fn careless(verb: Verb, swap: Swap, tries: usize, seed: u64) -> Race {
    let path = format!("{}/f", swap.directory());
    let mut all = Race::default();
    for attempt in 0..MAX_TRIES {
        let mut fixture = AlternatingRoot::new(swap);
        let race = race_without_handle(&mut fixture, verb, swap, &path, tries, seed + attempt as u64);
        all = race;
        if all.leaks > 0 {
            break;
        }
    }
    all
}

fn race_without_handle(
    fixture: &mut AlternatingRoot,
    verb: Verb,
    swap: Swap,
    path: &str,
    tries: usize,
    seed: u64,
) -> Race {
    let (stop, exchanged) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut race = Race::default();
    let shared = &*fixture;
    let at = shared.top.join(path);
    let outside = shared.watched.path().join("f");
    let secret = fs::read(&outside).expect("the file can be read");
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| shared.exchange(&stop, &exchanged, seed));
        while exchanged.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        for number in 0..tries {
            // On a busy machine, the other thread would run only before or after all attempts.
            if number % 16 == 0 {
                thread::yield_now();
            }
            if !looks_harmless(&shared.top, path, swap) {
                race.refused += 1;
                continue;
            }
            race.done += 1;
            if verb == Verb::Read {
                race.leaks += usize::from(fs::read(&at).is_ok_and(|bytes| bytes == secret));
                continue;
            }
            let tag = format!("tag {number}");
            let _ = fs::write(&at, &tag);
            race.leaks += usize::from(fs::read(&outside).is_ok_and(|bytes| bytes == tag.as_bytes()));
        }
        stop.store(true, Ordering::Relaxed);
    });
    race.time = start.elapsed();
    race.exchanged = exchanged.into_inner();
    race
}

/// Checks the text of the path or, if a policy checks it, where the path really leads at this time.
fn looks_harmless(top: &Path, path: &str, swap: Swap) -> bool {
    if swap == Swap::Policy {
        return fs::canonicalize(top.join(path)).is_ok_and(|real| !real.starts_with(top.join(DENIED)));
    }
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

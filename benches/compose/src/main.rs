//! Checking and rendering a compose root of a thousand agents, against the library that first had the format.
//!
//! `minds-bench-compose FOLDER MINDS [ROUNDS]` works in FOLDER, on the disk where that lies, starts the command MINDS, and
//! prints times of so many alternating runs with their ratios. `cargo xtask bench compose` builds and starts it.

mod original;
mod ours;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often each is run where nothing else is said, after some runs that are not timed.
const ROUNDS: usize = 61;
const WARMING: usize = 3;

/// What is rendered, by its path from the compose root.
type Files = BTreeMap<String, Vec<u8>>;

/// What is timed: its name, its goal as a part of the first, and what to do.
type Run<'r> = (&'static str, Option<f64>, Box<dyn FnMut() + 'r>);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(minds)) =
        (arguments.next().map(PathBuf::from), arguments.next().map(PathBuf::from))
    else {
        eprintln!("usage: minds-bench-compose FOLDER MINDS [ROUNDS]");
        std::process::exit(2);
    };
    let rounds = arguments.next().map_or(ROUNDS, |rounds| rounds.parse().expect("ROUNDS is a number"));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let folder = folder.canonicalize().expect("the folder is there");
    let minds = minds.canonicalize().expect("the command is there");
    // The names are equally long, so that what is rendered is.
    let (one, other) = (folder.join("one"), folder.join("two"));
    let bytes = tree::write(&one);
    tree::write(&other);
    let agents = tree::PROJECTS * tree::AGENTS;
    println!(
        "compose root of {agents} agents in {} projects, {bytes} bytes, against team-core 0.8.2",
        tree::PROJECTS
    );
    let same = original::render(&one);
    assert_eq!(ours::render(&one), same, "both render the same");
    println!("{} files are rendered, and are the same byte for byte", same.len());

    table(
        rounds,
        vec![
            ("load, validate, render: team-core", None, Box::new(|| drop(original::render(&one)))),
            ("the same: minds", Some(1.0), Box::new(|| drop(ours::render(&one)))),
        ],
    );
    original::write(&other);
    ours::write(&one);
    table(
        rounds,
        vec![
            ("render and write: team-core", None, Box::new(|| original::write(&other))),
            ("`--write` that changes nothing: minds", Some(0.5), Box::new(|| ours::write(&one))),
        ],
    );
    table(
        rounds,
        vec![
            ("`minds --version`, for the process", None, Box::new(|| run(&minds, &one, &["--version"]))),
            (
                "`minds render`, nothing to change",
                None,
                Box::new(|| run(&minds, &one, &["render", "--root", "."])),
            ),
            (
                "`minds render --write`, the same",
                None,
                Box::new(|| run(&minds, &one, &["render", "--root", ".", "--write"])),
            ),
        ],
    );
    println!("goal of both: 100 ms");
}

fn run(minds: &Path, root: &Path, arguments: &[&str]) {
    let mut command = Command::new(minds);
    command.args(arguments).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
    command.env_remove("TEAMCTL_ROOT").env_remove("TEAMCTL_TEAM_MCP");
    assert!(command.status().expect("the command starts").success(), "{arguments:?}");
}

/// Runs all in turn, and prints the median and the quickest run of each, and their ratios to the first.
fn table(rounds: usize, mut runs: Vec<Run<'_>>) {
    let mut times = vec![Vec::new(); runs.len()];
    for round in 0..WARMING + rounds {
        for ((_, _, run), times) in runs.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run();
            if round >= WARMING {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    println!("\n{:40} {:>10} {:>7} {:>12} {:>7} {:>6}", "", "median", "ratio", "quickest", "ratio", "goal");
    let mut base = None;
    for ((name, goal, _), mut times) in runs.into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let (median, quickest) = (times[times.len() / 2], times[0]);
        let (base_median, base_quickest) = *base.get_or_insert((median, quickest));
        let goal = goal.map_or(String::new(), |goal| format!("{goal:.2}"));
        println!(
            "{name:40} {median:>7.2} ms {:>7.2} {quickest:>9.2} ms {:>7.2} {goal:>6}",
            median / base_median,
            quickest / base_quickest
        );
    }
}

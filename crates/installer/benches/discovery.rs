//! What discovery costs beyond walking through the folder, in the same run.
//!
//! `cargo bench -p minds-installer --bench discovery` prints medians of alternating runs and their ratio.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a benchmark measures time, and may stop at once"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::convert::Infallible;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ignore::{WalkBuilder, WalkState};
use minds_fs::Root;
use minds_sources::discovery::{Options, discover};
use minds_vfs::MountId;

const SKILLS: usize = 5_000;
/// How many files a skill has beside `SKILL.md`.
const BESIDE: usize = 4;
const THREADS: usize = 2;
const ROUNDS: usize = 41;
/// How much longer discovery may take than the bare walk.
const GOAL: f64 = 2.0;

fn main() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    write_skills(folder.path());
    let mut walks = Vec::with_capacity(ROUNDS);
    let mut discoveries = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        walks.push(time(|| assert_eq!(walk(folder.path()), 1 + 1 + SKILLS * (2 + BESIDE))));
        discoveries.push(time(|| assert_eq!(find(folder.path()), SKILLS)));
    }
    let (walk, find) = (median(&mut walks), median(&mut discoveries));
    println!("{SKILLS} skills in {} files, median of {ROUNDS} alternating runs", SKILLS * (1 + BESIDE));
    println!("{:32} {:8.2} ms", format!("bare walk, {THREADS} threads"), walk * 1e3);
    println!(
        "{:32} {:8.2} ms  {:.2} x the walk, goal {GOAL:.1}",
        "discovery with descriptions",
        find * 1e3,
        find / walk
    );
}

fn write_skills(folder: &Path) {
    for number in 0..SKILLS {
        let skill = folder.join(format!("skills/skill-{number}"));
        fs::create_dir_all(&skill).expect("the folder can be made");
        let head = format!(
            "---\nname: skill-{number}\ndescription: Does the thing with the number {number}.\n---\n"
        );
        let body = "One of many lines that say how it is done.\n".repeat(38);
        fs::write(skill.join("SKILL.md"), head + &body).expect("the file can be written");
        for beside in 0..BESIDE {
            fs::write(skill.join(format!("note-{beside}.md")), &body).expect("the file can be written");
        }
    }
}

/// Counts all that lies below a folder, and reads nothing.
fn walk(folder: &Path) -> usize {
    let count = AtomicUsize::new(0);
    let walker = WalkBuilder::new(folder).standard_filters(false).threads(THREADS).build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            black_box(entry.expect("everything can be read"));
            count.fetch_add(1, Ordering::Relaxed);
            WalkState::Continue
        })
    });
    count.into_inner()
}

/// Discovers, and counts the items that have a description.
fn find(folder: &Path) -> usize {
    let root = Root::open(folder, MountId::WORKSPACE).expect("the folder exists");
    let survey_root = |survey: &_| Ok::<_, Infallible>(root.survey(survey));
    let found = match discover(Options::default(), survey_root) {
        Ok(found) => found.value,
        Err(never) => match never {},
    };
    found.catalog.items.iter().filter(|item| item.description.is_some()).count()
}

fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

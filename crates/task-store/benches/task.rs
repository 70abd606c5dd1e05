//! What a change of a task package costs beyond the bare calls for the same durable objects, and what its text costs beyond
//! reading its files, each in the same run.
//!
//! `cargo bench -p minds-task-store --bench task` prints medians of alternating runs and their ratios. The hooks for faults are
//! built in, so what is shipped costs a little less.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark measures time, and may stop at once"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use minds_fs::Root;
use minds_task_store::{Author, Edit, Package, Request, Tasks};
use minds_taskdoc::{DEFAULT_BUDGET, Draft, Entry, Language, Operation, Section, effective_text};
use minds_vfs::{ContentHash, MountId};

const SIZE: usize = 4_096;
const CHANGES: usize = 400;
const READS: usize = 10_000;
/// The journal lines in front of a saved content.
const LINE: usize = 450;
const EXTRAS: [&str; 11] = [
    "api/auth",
    "api/errors",
    "api/limits",
    "api/paging",
    "ops/backup",
    "ops/deploy",
    "ops/oncall",
    "ux/a11y",
    "ux/checklist",
    "ux/copy",
    "ux/flows",
];

/// What is timed, and the goal for its ratio to the first.
type Run<'r> = (&'static str, Option<f64>, Box<dyn Fn() + 'r>);

fn main() {
    let on_disk = tempfile::tempdir().expect("a folder can be made");
    changes("on disk, in the folder for temporary files", on_disk.path(), Some(1.6));
    if let Ok(in_memory) = tempfile::tempdir_in("/dev/shm") {
        // Here only the other calls are left; what lasts goes to a disk.
        changes("in memory, where a disk costs nothing", in_memory.path(), None);
    }
    for place in ["on disk", "in memory"] {
        let folder = if place == "on disk" { tempfile::tempdir() } else { tempfile::tempdir_in("/dev/shm") };
        if let Ok(folder) = folder {
            long_journals(place, folder.path());
        }
    }
    contents(on_disk.path());
}

fn open(folder: &Path) -> Root {
    fs::create_dir_all(folder).expect("the folder can be made");
    Root::open(folder, MountId::WORKSPACE).expect("the root can be opened")
}

fn only(root: &Root) -> Package<'_> {
    Tasks::open(root).expect("the settings can be read").find(None).expect("there is one package")
}

fn author() -> Author {
    Author::operator("coder", 1_700_000_000_000)
}

fn set(package: &Package<'_>, section: &str, text: &str) {
    let section = Section::parse_qualified(section).expect("it is a section");
    let request = Request { section, edit: Edit::Set(text.to_owned()), expected: None };
    let changed = package.change(&author(), &request).expect("it can be changed");
    assert!(changed.entry.is_some(), "it was changed");
}

/// A string of 4 KiB, different for each number.
fn text(number: usize) -> String {
    format!("{number:07}\n").repeat(SIZE / 8)
}

/// Returns a counter that returns another number each time.
fn counter() -> impl Fn() -> usize {
    let next = Cell::new(0);
    move || next.replace(next.get() + 1)
}

/// Changes a section by the library, and by the calls that this takes at least: what is kept, the section and the line of the
/// journal, each on disk, and the names too.
fn changes(place: &str, folder: &Path, goal: Option<f64>) {
    let root = open(&folder.join("ours"));
    Tasks::open(&root).expect("it opens").create("demo", &author()).expect("it can be made");
    let raw = folder.join("raw");
    fs::create_dir_all(raw.join("history")).expect("the folder can be made");
    fs::write(raw.join("journal"), "").expect("the file can be written");
    let (directory, history) = (handle(&raw), handle(&raw.join("history")));
    let package = only(&root);
    let (one, other, third) = (counter(), counter(), counter());
    let runs: [Run<'_>; 3] = [
        ("bare calls", None, Box::new(|| raw_change(&raw, &directory, &history, one()))),
        ("change", goal, Box::new(|| set(&package, "goals", &text(other())))),
        ("find the task and change it", goal, Box::new(|| set(&only(&root), "progress", &text(third())))),
    ];
    println!("changing a section of 4 KiB {place}, {CHANGES} alternating runs");
    measure(CHANGES, &runs);
}

fn handle(directory: &Path) -> File {
    File::open(directory).expect("it can be opened")
}

fn raw_change(raw: &Path, directory: &File, history: &File, number: usize) {
    let durable = |bytes: &[u8], new: &Path, name: &Path, directory: &File| {
        let mut file = File::create_new(new).expect("it can be made");
        file.write_all(bytes).expect("it can be written");
        file.sync_data().expect("it can be brought to disk");
        fs::rename(new, name).expect("it can be renamed");
        directory.sync_all().expect("it can be brought to disk");
    };
    let kept = "k".repeat(LINE) + &text(number);
    durable(kept.as_bytes(), &raw.join("history/new"), &raw.join(format!("history/{number}")), history);
    durable(text(number).as_bytes(), &raw.join("new"), &raw.join("section"), directory);
    let mut journal = OpenOptions::new().append(true).open(raw.join("journal")).expect("it can be opened");
    journal.write_all("l".repeat(LINE).as_bytes()).expect("it can be written");
    journal.sync_data().expect("it can be brought to disk");
}

/// Changes sections of packages with longer and longer journals: one that changes all the time, and one that did only at the
/// beginning of the journal, so that all of it is looked through.
fn long_journals(place: &str, folder: &Path) {
    let lengths = [0, 1_000, 16_000];
    let roots = lengths.map(|length| {
        let top = folder.join(length.to_string());
        let root = open(&top);
        Tasks::open(&root).expect("it opens").create("demo", &author()).expect("it can be made");
        write_journal(&top.join("tasks/demo.tsk"), length);
        root
    });
    let packages: Vec<Package<'_>> = roots.iter().map(only).collect();
    let numbers: Vec<_> = (0..4).map(|_| counter()).collect();
    let last = &packages[2];
    let runs: [Run<'_>; 4] = [
        ("0 lines", None, Box::new(|| set(&packages[0], "goals", &text(numbers[0]())))),
        ("1,000 lines", None, Box::new(|| set(&packages[1], "goals", &text(numbers[1]())))),
        ("16,000 lines", None, Box::new(|| set(last, "goals", &text(numbers[2]())))),
        (
            "16,000 lines, a section of its own",
            None,
            Box::new(|| set(last, &format!("ux/list-{}", numbers[3]()), "once\n")),
        ),
    ];
    println!("changing a section of 4 KiB below a journal {place}, {CHANGES} alternating runs");
    measure(CHANGES, &runs);
}

/// Writes a journal in which the progress changes again and again, and the goals at the end.
fn write_journal(package: &Path, length: usize) {
    let (mut lines, mut parents) = (String::new(), Vec::new());
    let hash = |number: usize| Some(ContentHash::of(text(number).as_bytes()));
    for number in 0..length {
        let entry = Entry::new(Draft {
            parents,
            time: "2026-01-01T00:00:00.000Z".to_owned(),
            actor: "coder".to_owned(),
            operation: Operation::Set,
            section: Section::PROGRESS,
            before: number.checked_sub(1).and_then(hash),
            after: hash(number),
            size: SIZE as u64,
            undoes: None,
            at: lines.len() as u64,
        });
        parents = vec![entry.id];
        lines += &(entry.to_line() + "\n");
    }
    fs::write(package.join("journal.jsonl"), lines).expect("the file can be written");
    if length > 0 {
        fs::write(package.join("progress.md"), text(length - 1)).expect("the file can be written");
    }
}

/// Makes the text that agents get, with the index, and reads the same files.
fn contents(folder: &Path) {
    let top = folder.join("contents");
    let root = open(&top);
    Tasks::open(&root).expect("it opens").create("demo", &author()).expect("it can be made");
    let package = only(&root);
    let injected: Vec<Section> = Section::injected_sections().collect();
    for (number, section) in
        injected.iter().map(ToString::to_string).chain(EXTRAS.map(str::to_owned)).enumerate()
    {
        set(&package, &section, &text(number));
    }
    let directory = top.join("tasks/demo.tsk");
    let files: Vec<_> = injected.iter().map(|section| directory.join(section.path())).collect();
    let folders = ["", "bearinmind", "api", "ops", "ux"].map(|name| directory.join(name));
    let make = |package: &Package<'_>| {
        let bodies = package.bodies();
        let extras = package.extras().expect("it can be looked through");
        assert_eq!(extras.sections.len(), EXTRAS.len(), "all sections exist");
        black_box(effective_text(&bodies, Language::English, DEFAULT_BUDGET));
    };
    let runs: [Run<'_>; 3] = [
        (
            "reading and listing",
            None,
            Box::new(|| {
                for file in &files {
                    black_box(fs::read(file).expect("it can be read"));
                }
                for folder in &folders {
                    let entries = fs::read_dir(folder).expect("it can be listed");
                    for entry in entries {
                        black_box(entry.expect("it can be listed").file_name());
                    }
                }
            }),
        ),
        ("effective text and index", Some(2.0), Box::new(|| make(&package))),
        ("find the task, text and index", None, Box::new(|| make(&only(&root)))),
    ];
    println!("nine sections of 4 KiB and eleven further sections, {READS} alternating runs");
    measure(READS, &runs);
}

/// Prints the median and the time within which 99 of 100 runs are, of each, and the ratio of the medians to the first.
fn measure(rounds: usize, runs: &[Run<'_>]) {
    let mut times: Vec<Vec<Duration>> = runs.iter().map(|_| Vec::with_capacity(rounds)).collect();
    for _ in 0..rounds {
        for ((_, _, run), times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed());
        }
    }
    let mut base = None;
    for ((name, goal, _), times) in runs.iter().zip(&mut times) {
        times.sort_unstable();
        let at = |hundredths: usize| times[times.len() * hundredths / 100].as_secs_f64() * 1e6;
        let (median, slow) = (at(50), at(99));
        let ratio = median / *base.get_or_insert(median);
        let goal = goal.map(|goal| format!(" (goal: at most {goal})")).unwrap_or_default();
        println!("{name:36} {median:9.1} us  99 in 100 within {slow:9.1} us  {ratio:5.2} x{goal}");
    }
    println!();
}

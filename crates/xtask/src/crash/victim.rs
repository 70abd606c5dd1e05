//! The process that is killed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use minds_fs::faults::{Plan, run, run_observed};
use minds_fs::{FileErrorKind, Root, Sharing};
use minds_vfs::{ContentHash, Expected, FileMode, MountId, WorkspacePath};
use rustix::fs::{CWD, Mode, OFlags, openat};

use super::operations::OPERATIONS;
use super::recovery_check::trigger_recovery;
use super::{source, task, writers};
use crate::random::Random;

/// The instructions for a victim.
pub(super) struct Order {
    pub(super) operation: usize,
    /// The initial state, and the number of steps.
    pub(super) from: u64,
    pub(super) steps: u64,
    /// The fault in the last step.
    pub(super) plan: String,
}

/// The argument that makes this program a victim.
const VICTIM: &str = "crash-victim";
const KILLED: i32 = 9;
/// The size of a record: the number and name of the call in progress.
const RECORD: usize = 32;

/// Starts a victim. With `progress`, it records there each call before it makes it.
pub(super) fn start(program: &Path, tree: &Path, order: &Order, progress: Option<&Path>) -> Child {
    let words =
        [order.operation.to_string(), order.from.to_string(), order.steps.to_string(), order.plan.clone()];
    let mut command = Command::new(program);
    command.args([VICTIM, "work"]).arg(tree).args(words).args(progress);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts")
}

/// Starts a process that opens the folder and triggers recovery under a plan.
pub(super) fn start_opener(program: &Path, tree: &Path, plan: &str) -> Child {
    let mut command = Command::new(program);
    command.args([VICTIM, "open"]).arg(tree).arg(plan);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts")
}

/// Starts a process that increments a counter in a file.
pub(super) fn start_counter(program: &Path, tree: &Path, updates: usize, locks: bool) -> Child {
    let mut command = Command::new(program);
    command.args([VICTIM, "count"]).arg(tree).args([updates.to_string(), locks.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts")
}

/// Starts a process that makes a number of steps of the given kind, starting after `from`; the plan applies
/// to the last one.
pub(super) fn start_worker(
    program: &Path,
    word: &str,
    tree: &Path,
    [from, steps]: [u64; 2],
    plan: &str,
    progress: Option<&Path>,
) -> Child {
    let mut command = Command::new(program);
    command.args([VICTIM, word]).arg(tree).args([from.to_string(), steps.to_string(), plan.to_owned()]);
    command.args(progress).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts")
}

/// Starts a process that changes a task package concurrently with other processes.
pub(super) fn start_writer(program: &Path, tree: &Path, number: usize, changes: usize) -> Child {
    let mut command = Command::new(program);
    command.args([VICTIM, "write"]).arg(tree).args([number.to_string(), changes.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits for a process that is not killed, and returns its output.
pub(super) fn wait_for_output(child: Child) -> String {
    let output = child.wait_with_output().expect("the process ends");
    assert!(output.status.success(), "a process failed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits for a victim; returns whether it was killed, and the last step that it acknowledged.
pub(super) fn wait(mut victim: Child) -> (bool, Option<u64>) {
    let mut output_text = String::new();
    if let Some(mut output) = victim.stdout.take() {
        output.read_to_string(&mut output_text).expect("the output is UTF-8");
    }
    let status = victim.wait().expect("the victim ends");
    let killed = status.signal() == Some(KILLED);
    assert!(killed || status.success(), "the victim failed: {output_text}");
    // The last line may be incomplete.
    let complete = output_text.rsplit_once('\n').map_or("", |(lines, _)| lines);
    (killed, complete.lines().rev().find_map(|line| line.parse().ok()))
}

/// Waits until a victim that records its progress is about to start, and kills it within so many
/// microseconds; returns the result of [`wait`].
pub(super) fn kill_soon(mut victim: Child, max_life: usize, random: &mut Random) -> (bool, Option<u64>) {
    wait_until_ready(&mut victim);
    let life = Duration::from_micros(random.next_below(max_life) as u64);
    let born = Instant::now();
    while born.elapsed() < life {
        thread::yield_now();
    }
    victim.kill().expect("it can be killed");
    wait(victim)
}

fn wait_until_ready(victim: &mut Child) {
    let mut output = BufReader::with_capacity(1, victim.stdout.take().expect("it has an output"));
    let mut line = String::new();
    while line != "ready\n" {
        line.clear();
        let count = output.read_line(&mut line).expect("the output is UTF-8");
        assert!(count > 0, "the victim ended before it began");
    }
    victim.stdout = Some(output.into_inner());
}

/// Returns the number and the name of the call in progress; number 0 means between calls.
pub(super) fn read_progress(progress: &Path) -> (u64, String) {
    let record = fs::read(progress).unwrap_or_default();
    let number = record.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let name = record.get(8..).unwrap_or_default();
    (number, String::from_utf8_lossy(name).trim_end_matches('\0').to_owned())
}

/// Executes the instructions in the arguments, and dies of the planned fault.
///
/// # Errors
///
/// Returns what could not be done.
pub fn run_victim(words: &[String]) -> Result<(), String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let open =
        |tree: &str| Root::open(Path::new(tree), MountId::WORKSPACE).map_err(|error| error.to_string());
    match words.as_slice() {
        ["work", tree, operation, from, steps, plan, progress @ ..] => {
            let step = OPERATIONS[parse::<usize>(operation)?].step;
            work(
                &open(tree)?,
                step,
                [parse(from)?, parse(steps)?],
                parse(plan)?,
                progress.first().map(Path::new),
            )
        }
        [task::WORD, tree, from, steps, plan, progress @ ..] => {
            let numbers = [parse(from)?, parse(steps)?];
            work(&open(tree)?, task::perform, numbers, parse(plan)?, progress.first().map(Path::new))
        }
        [source::WORD, tree, from, steps, plan, progress @ ..] => {
            let numbers = [parse(from)?, parse(steps)?];
            let folder = Path::new(tree);
            let step = |root: &Root, number| source::perform(root, folder, number);
            work(&source::open(folder)?, step, numbers, parse(plan)?, progress.first().map(Path::new))
        }
        ["write", tree, number, changes] => {
            let (applied, refused) = writers::write_as(&open(tree)?, parse(number)?, parse(changes)?)?;
            report(&format!("{applied} {refused}"));
            Ok(())
        }
        ["open", tree, plan] => {
            let root = open(tree)?;
            run(parse(plan)?, || trigger_recovery(&root));
            Ok(())
        }
        ["count", tree, updates, locks] => count(&open(tree)?, parse(updates)?, parse(locks)?),
        _ => Err("invalid victim arguments".to_owned()),
    }
}

fn parse<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("invalid victim argument `{word}`"))
}

/// Makes steps one after the other; the plan applies to the last one.
fn work(
    root: &Root,
    step: impl Fn(&Root, u64) -> Result<(), String>,
    [first, steps]: [u64; 2],
    last: Plan,
    progress: Option<&Path>,
) -> Result<(), String> {
    let progress = progress.map(|path| {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        openat(CWD, path, flags, Mode::empty()).expect("it can be opened")
    });
    let mut from = first;
    if progress.is_some() {
        // The first step cleans up after earlier processes. The following steps make identical calls.
        from += 1;
        step(root, from)?;
        report(&from.to_string());
    }
    report("ready");
    for number in from + 1..=first + steps {
        let plan = if number == first + steps { last } else { Plan::none() };
        let done = match &progress {
            None => run(plan, || step(root, number)).0,
            Some(file) => {
                let file = file.try_clone().expect("a handle can be copied");
                let done = run_observed(
                    plan,
                    move |call, name| record_call(&file, call, name),
                    || step(root, number),
                );
                done.0
            }
        };
        if let Some(file) = &progress {
            record_call(file, 0, "");
        }
        done?;
        report(&number.to_string());
    }
    Ok(())
}

fn record_call(progress: &OwnedFd, call: u64, name: &str) {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&call.to_le_bytes());
    record[8..8 + name.len()].copy_from_slice(name.as_bytes());
    let written = rustix::io::pwrite(progress, &record, 0).expect("it can be written");
    assert_eq!(written, RECORD, "it is written at once");
}

/// Prints a line immediately: an acknowledged step must have been made.
fn report(word: &str) {
    let mut output = std::io::stdout().lock();
    let result = writeln!(output, "{word}").and_then(|()| output.flush());
    result.expect("the parent reads the output");
}

/// Increments a number in a file repeatedly, concurrently with other processes.
fn count(root: &Root, updates: usize, locks: bool) -> Result<(), String> {
    let (view, path) = (root.no_follow(), WorkspacePath::parse("dir/count").expect("the path is valid"));
    let to_message = |error: minds_fs::FileError| error.to_string();
    for _ in 0..updates {
        let lock = if locks { Some(view.lock(&path, Sharing::Exclusive).map_err(to_message)?) } else { None };
        loop {
            let file = view.read(&path, 100).map_err(to_message)?;
            let number: u64 = parse(&String::from_utf8_lossy(&file.bytes))?;
            let expected = Expected::Content(ContentHash::of(&file.bytes));
            let text = (number + 1).to_string();
            match view.replace(&path, text.as_bytes(), FileMode::Regular, expected) {
                Ok(()) => break,
                // Another process without a lock was faster.
                Err(error) if error.kind() == FileErrorKind::Changed => {}
                Err(error) => return Err(to_message(error)),
            }
        }
        drop(lock);
    }
    Ok(())
}

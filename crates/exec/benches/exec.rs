//! What a command with 100 MB of output costs beyond reading the same bytes of `cat` from a pipe, in the same run, and how much
//! memory that takes.
//!
//! `cargo bench -p minds-exec --bench exec` prints medians of alternating runs and their ratio.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark measures time, and may stop at once"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use minds_exec::{Command, ExecEvent, Folders, Program, SandboxRules, SupervisorProgram};

const BYTES: usize = 100_000_000;
const PART: usize = 10_000;
const ROUNDS: usize = 15;
const STARTS: usize = 100;
const WAIT: Duration = Duration::from_mins(1);

fn main() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut data = std::fs::File::create(folder.path().join("data")).expect("the file can be made");
    // In parts, because the memory of this process is measured.
    for _ in 0..BYTES / PART {
        data.write_all(&[b'x'; PART]).expect("the file can be written");
    }
    let cat = |name: &str| vec!["/bin/cat".to_owned(), name.to_owned()];
    // The first run of each is not measured: it brings the file into memory.
    bare(folder.path(), &cat("data"));
    let before = peak_memory();
    run_supervised(folder.path(), &cat("data"));
    measure("100 MB of output", ROUNDS, folder.path(), &cat("data"), BYTES, Some(2.0));
    println!("memory added by these runs  {:8.1} KiB  (goal: at most 8192)", peak_memory() - before);
    measure("a program without output", STARTS, folder.path(), &["/bin/true".to_owned()], 0, None);
}

/// Compares runs of a program with and without the supervisor.
fn measure(name: &str, rounds: usize, folder: &Path, words: &[String], bytes: usize, goal: Option<f64>) {
    let (mut of_bare, mut of_own) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        assert_eq!(bare(folder, words), bytes);
        of_bare.push(start.elapsed());
        let start = Instant::now();
        assert_eq!(run_supervised(folder, words), bytes);
        of_own.push(start.elapsed());
    }
    let [bare, own] = [of_bare, of_own].map(|mut times| {
        times.sort_unstable();
        times[rounds / 2].as_secs_f64() * 1e3
    });
    let goal = goal.map_or(String::new(), |goal| format!("  (goal: at most {goal:.1})"));
    println!("{name:26} {bare:8.2} ms bare {own:8.2} ms  {:5.2} x{goal}", own / bare);
}

/// Runs a program with a pipe, and returns the number of bytes that it wrote.
fn bare(folder: &Path, words: &[String]) -> usize {
    let mut command = std::process::Command::new(&words[0]);
    let mut child =
        command.args(&words[1..]).current_dir(folder).stdout(Stdio::piped()).spawn().expect("it starts");
    let (mut pipe, mut chunk, mut count) = (child.stdout.take().expect("it has a pipe"), vec![0; 1 << 16], 0);
    loop {
        match pipe.read(&mut chunk).expect("it can be read") {
            0 => break,
            read => count += read,
        }
    }
    child.wait().expect("it ends");
    count
}

/// Runs a program as an agent does.
fn run_supervised(folder: &Path, words: &[String]) -> usize {
    let command = Command {
        program: Program::Argv(words.iter().map(Into::into).collect()),
        cwd: folder.to_owned(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        pty: false,
        time_limit: Some(WAIT),
        sandbox: Some(SandboxRules::new(&Folders {
            working_folder: folder,
            whitelist: &[],
            exec_read: &[],
            exec_write: &[],
        })),
        temporary_folder: None,
    };
    let program =
        SupervisorProgram { program: env!("CARGO_BIN_EXE_minds-exec-supervisor").into(), args: Vec::new() };
    let (mut running, mut count) = (command.start(&program).expect("it starts"), 0);
    loop {
        match running.next(WAIT).expect("it can be read") {
            Some(ExecEvent::Output { bytes, .. }) => count += bytes.len(),
            Some(ExecEvent::Ended(outcome)) => {
                assert_eq!(outcome.rc, 0);
                return count;
            }
            None => panic!("it takes too long"),
        }
    }
}

/// Returns the most memory in KiB that this process has used.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok()).unwrap_or_default()
}

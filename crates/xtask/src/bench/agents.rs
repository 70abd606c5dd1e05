//! Agents as processes: their start, and what they cost while they wait.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The number of timed starts of each kind, in alternating turns.
const STARTS: usize = 41;
/// The number of agents at the same time.
const MANY: usize = 100;
/// How long an idle agent is observed.
const IDLE: Duration = Duration::from_secs(20);
/// The time in which an agent has started.
const LIMIT: Duration = Duration::from_secs(30);
/// The folder of the workspace. What was accepted is not below it.
pub(super) const WORKSPACE: &str = "work";
/// The maximum size of the program, in megabytes.
const SIZE: f64 = 20.0;

/// Measures agents, and prints each figure with its goal. `empty` is a program that does nothing.
pub(super) fn run(program: &Path, empty: &Path, folder: &Path) {
    let folder = folder.join("agents");
    let _ = fs::remove_dir_all(&folder);
    let fleet = Fleet::new(program, &folder);
    let size = fs::metadata(program).expect("the program exists").len() as f64 / 1e6;
    println!("size of `minds-fleet`: {size:.2} MB (goal: at most {SIZE} MB)");
    starts(&fleet, empty);
    let agent = fleet.start(0);
    sleep(Duration::from_secs(1));
    let before = processor_time(agent.0.id());
    sleep(IDLE);
    let used = processor_time(agent.0.id()).saturating_sub(before);
    let part = used.as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    println!(
        "an idle agent: {:.1} MB resident (goal: at most 12), {part:.3} % of a processor (goal: at most 0.1)",
        resident(agent.0.id())
    );
    drop(agent);
    let agents: Vec<Running> = (0..MANY).map(|number| fleet.start(number)).collect();
    sleep(Duration::from_secs(1));
    let sum = |of: fn(u32) -> f64| agents.iter().map(|agent| of(agent.0.id())).sum::<f64>();
    println!(
        "{MANY} agents: {:.0} MB resident, {:.0} MB in proportion to what they share (goal: at most 600)",
        sum(resident),
        sum(proportional)
    );
}

fn starts(fleet: &Fleet, empty: &Path) {
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let start = Instant::now();
        assert!(Command::new(empty).status().expect("the program starts").success());
        bare.push(start.elapsed());
        let start = Instant::now();
        let agent = fleet.start(0);
        ours.push(start.elapsed());
        drop(agent);
    }
    let [bare, ours] = [bare, ours].map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    });
    println!(
        "start of an agent until it accepts connections, median of {STARTS}: {ours:.2} ms (goal: at most 20), an empty program {bare:.2} ms"
    );
}

/// Agents with the names `a0`, `a1`, ….
struct Fleet {
    program: PathBuf,
    folder: PathBuf,
}

impl Fleet {
    fn new(program: &Path, folder: &Path) -> Self {
        let write = |path: &str, text: &str| {
            let path = folder.join(WORKSPACE).join(path);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
            fs::write(path, text).expect("the file can be written");
        };
        write(".ateam/project.yaml", "name: bench\n");
        let model =
            "{provider: scripted, context_window_size: 8000, model_settings: {script: .ateam/s.jsonl}}";
        write(".ateam/models.yaml", &format!("models:\n  m: {model}\n"));
        write(".ateam/s.jsonl", "{\"text\":\"done\"}\n");
        for number in 0..MANY {
            let agent = format!(".ateam/agents/a{number}");
            write(
                &format!("{agent}/agent.yaml"),
                &format!("name: a{number}\nmodel: m\nprompt: {{base: base.md}}\n"),
            );
            write(&format!("{agent}/base.md"), "You answer.\n");
        }
        Self { program: program.to_owned(), folder: folder.to_owned() }
    }

    /// Starts an agent, and waits until it accepts connections.
    fn start(&self, number: usize) -> Running {
        let home = self.folder.join("home");
        let socket = home.join(format!("run/fleet/f/bench/a{number}/sock"));
        let _ = fs::remove_file(&socket);
        let mut command = Command::new(&self.program);
        command.args(["agent", &format!("bench/a{number}")]).current_dir(self.folder.join(WORKSPACE));
        command.env("MINDS_HOME", &home).env("MINDS_FLEET", "f").env_remove("XDG_RUNTIME_DIR");
        command
            .env_remove("ATEAM_REDIS_URL")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let agent = Running(command.spawn().expect("the program starts"));
        let start = Instant::now();
        while UnixStream::connect(&socket).is_err() {
            assert!(start.elapsed() < LIMIT, "the agent does not start");
            sleep(Duration::from_micros(100));
        }
        agent
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a value of a file below `/proc`, which is in kilobytes, in megabytes.
fn megabytes(process: u32, file: &str, key: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/{file}")).expect("the process runs");
    let line = text.lines().find_map(|line| line.strip_prefix(key)).expect("the file has the value");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("it is a number") / 1024.0
}

fn resident(process: u32) -> f64 {
    megabytes(process, "status", "VmRSS:")
}

fn proportional(process: u32) -> f64 {
    megabytes(process, "smaps_rollup", "Pss:")
}

/// Returns the time that the threads of a process have run, to the nanosecond.
fn processor_time(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the process runs");
    let times = threads.map(|thread| {
        let path = thread.expect("the folder can be read").path().join("schedstat");
        let text = fs::read_to_string(path).expect("the thread runs");
        text.split(' ').next().and_then(|time| time.parse::<u64>().ok()).expect("it is a number")
    });
    Duration::from_nanos(times.sum())
}

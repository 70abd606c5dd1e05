//! Benchmarks of whole processes: ratios of medians of alternating runs, and peak memory.

#[cfg(target_os = "linux")]
mod agents;
mod build_time;
mod clients;
mod hook;
mod mcp;
mod memory;
mod peers;
mod runs;
#[cfg(target_os = "linux")]
mod runtime;
mod sources;
mod teams;
#[cfg(target_os = "linux")]
mod turns;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use build_time::build_time;
pub use memory::peak_memory;
#[cfg(target_os = "linux")]
pub use runtime::BenchServer;

use crate::bombs;
use crate::files::root;
use runs::{Contestant, measure};
use teams::Team;

const ROUNDS: usize = 300;

/// A part of the benchmarks that can be run separately.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Part {
    /// Agents of a fleet as processes: their start, what they cost while they wait, and their turns.
    #[cfg(target_os = "linux")]
    Agents,
    /// Hostile inputs: the time and memory of one check.
    Bombs,
    /// Checks of a repository full of files of clients, compared with reading the same files.
    Clients,
    /// Compose roots, compared with the library that introduced the format.
    Compose,
    /// The discovery of skills in sources, compared with a bare directory walk.
    Discovery,
    /// Answers to hook events, compared with an empty program.
    Hook,
    /// The MCP server, compared with another one.
    Mcp,
    /// Checks of teams, compared with a Node program.
    Node,
    /// Messages of a fleet, its local transport, and commands of agents, compared with bare structures, sockets, files and
    /// programs.
    Fleet,
    /// Requests and frames of a fleet over Redis, compared with bare commands over the same server.
    Redis,
    /// The gateway to the servers of `mcp.yaml`, compared with calls made directly and with another gateway.
    #[cfg(target_os = "linux")]
    Runtime,
    /// Reading and installing sources, compared with bare system calls and with the program that introduced
    /// the commands.
    Sources,
    /// The files of an agent of a fleet, compared with bare system calls.
    Store,
    /// Task packages, compared with bare system calls.
    Task,
}

/// Compares the libraries with the bare parser and bare system calls, the command with an empty program and
/// with programs for Node, and measures peak memory, hostile inputs and each [`Part`]; or only one part.
///
/// `minds` is the program to measure, which is built if it is not given; `before` is an older one that some parts compare
/// with.
pub fn run(part: Option<Part>, minds: Option<&Path>, before: Option<&Path>) {
    let programs = || match minds {
        Some(minds) => (minds.to_owned(), target_folder()),
        None => build_release(),
    };
    let with_command = |measure: fn(&Path, &Path)| {
        let (minds, target) = programs();
        measure(&minds, &target);
    };
    match part {
        #[cfg(target_os = "linux")]
        Some(Part::Agents) => fleet_agents(),
        Some(Part::Bombs) => with_command(|minds, target| bombs::run(minds, &target.join("bench/bombs"))),
        Some(Part::Clients) => with_command(|minds, target| clients::run(minds, &target.join("bench"))),
        Some(Part::Compose) => with_command(compose),
        Some(Part::Discovery) => discovery(),
        Some(Part::Hook) => with_command(hooks),
        Some(Part::Mcp) => with_command(|minds, target| mcp::run(minds, &target.join("bench"))),
        Some(Part::Node) => with_command(|minds, target| peers::run(minds, &target.join("bench"))),
        Some(Part::Fleet) => fleets(),
        Some(Part::Redis) => redis(),
        #[cfg(target_os = "linux")]
        Some(Part::Runtime) => {
            let (minds, target) = programs();
            runtime::run(&minds, &target.join("bench"), before);
        }
        Some(Part::Sources) => with_command(sources),
        Some(Part::Store) => stores(),
        Some(Part::Task) => tasks(),
        None => all(programs, before),
    }
}

fn all(programs: impl Fn() -> (PathBuf, PathBuf), before: Option<&Path>) {
    run_cargo(&["bench", "--quiet", "--package", "minds-workspace", "--bench", "check"]);
    println!();
    run_cargo(&["bench", "--quiet", "--package", "minds-access-control", "--bench", "decide"]);
    println!();
    run_cargo(&["bench", "--quiet", "--package", "minds-fs", "--bench", "files"]);
    println!();
    tasks();
    println!();
    stores();
    println!();
    fleets();
    println!();
    discovery();
    println!();
    let (minds, target) = programs();
    cold_start(&minds, &target);
    println!();
    hooks(&minds, &target);
    println!();
    peers::run(&minds, &target.join("bench"));
    println!();
    clients::run(&minds, &target.join("bench"));
    println!();
    memory::run(&minds, &target.join("bench"));
    println!();
    mcp::run(&minds, &target.join("bench"));
    println!();
    redis();
    println!();
    #[cfg(target_os = "linux")]
    {
        fleet_agents();
        println!();
    }
    #[cfg(target_os = "linux")]
    {
        runtime::run(&minds, &target.join("bench"), before);
        println!();
    }
    #[cfg(not(target_os = "linux"))]
    let _ = before;
    compose(&minds, &target);
    println!();
    sources(&minds, &target);
    println!();
    bombs::run(&minds, &target.join("bench/bombs"));
}

/// Measures task packages against bare system calls.
fn tasks() {
    run_cargo(&["bench", "--quiet", "--package", "minds-task-store", "--bench", "task"]);
}

/// Measures agents as processes.
#[cfg(target_os = "linux")]
fn fleet_agents() {
    run_cargo(&["build", "--quiet", "--release", "--package", "minds-fleet-cli"]);
    let target = target_folder();
    let program = target.join("release/minds-fleet");
    agents::run(&program, &empty_program(&target), &target.join("bench"));
    turns::run(&program, &target.join("bench"));
}

/// Measures requests and frames over Redis against bare commands.
fn redis() {
    run_cargo(&[
        "bench",
        "--quiet",
        "--package",
        "minds-fleet-bus",
        "--features",
        "redis",
        "--bench",
        "redis",
    ]);
}

/// Measures messages against bare structures, the local transport against bare sockets and files, and commands against bare
/// programs.
fn fleets() {
    run_cargo(&["bench", "--quiet", "--package", "minds-fleet-protocol", "--bench", "envelope"]);
    run_cargo(&["bench", "--quiet", "--package", "minds-fleet-bus", "--bench", "local"]);
    run_cargo(&["bench", "--quiet", "--package", "minds-exec", "--bench", "exec"]);
}

/// Measures the files of an agent against bare system calls.
fn stores() {
    run_cargo(&["bench", "--quiet", "--package", "minds-fleet-store", "--bench", "store"]);
}

/// Measures compose roots against the library that introduced the format. That benchmark is not part of the
/// workspace because the library depends on a database.
fn compose(minds: &Path, target: &Path) {
    let folder = target.join("bench/compose");
    let mut build = cargo(&["build", "--quiet", "--release", "--manifest-path"]);
    build.arg("benches/compose/Cargo.toml").arg("--target-dir").arg(&folder);
    assert!(build.status().expect("cargo starts").success(), "the benchmark builds");
    let mut run = Command::new(folder.join("release/minds-bench-compose"));
    run.arg(target.join("bench/compose-root")).arg(minds);
    assert!(run.status().expect("the benchmark starts").success(), "both programs render the same");
}

/// Measures discovery in sources against a bare directory walk.
fn discovery() {
    run_cargo(&["bench", "--quiet", "--package", "minds-installer", "--bench", "discovery"]);
}

/// Measures reading and installing against bare system calls, and the commands against the program that
/// introduced them.
fn sources(minds: &Path, target: &Path) {
    run_cargo(&["bench", "--quiet", "--package", "minds-git", "--bench", "sources"]);
    sources::run(minds, target);
}

/// Builds the command in release mode; returns its path and the target directory.
fn build_release() -> (PathBuf, PathBuf) {
    run_cargo(&["build", "--quiet", "--release", "--package", "minds-cli", "--bin", "minds"]);
    let target = target_folder();
    (target.join("release/minds"), target)
}

/// Compares a cold check of a small team with an empty program of the same profile.
fn cold_start(minds: &Path, target: &Path) {
    let (workspace, _) = Team::OwnDirectories.write(8, &target.join("bench"));
    let contestants = [
        Contestant::new("empty program", Command::new(empty_program(target))),
        Contestant::new("minds check, 8 members", check(minds, &workspace)),
    ];
    println!("cold start, median of {ROUNDS} alternating runs");
    let results = measure(contestants, ROUNDS);
    let base = results[0].median;
    for result in &results {
        println!("{:24} {:6.2} ms  {:5.2} x empty", result.name, result.median * 1e3, result.median / base);
    }
}

/// Measures the answer to a hook event.
fn hooks(minds: &Path, target: &Path) {
    hook::run(minds, &empty_program(target), &target.join("bench"));
}

/// Returns a program that does nothing, built with the profile of the command.
fn empty_program(target: &Path) -> PathBuf {
    let folder = target.join("bench/empty");
    std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let ours = crate::files::read("Cargo.toml");
    let profile =
        ours.split("\n\n").find(|part| part.starts_with("[profile.release]")).expect("there is a profile");
    let manifest = format!("[package]\nname = \"empty\"\nedition = \"2024\"\n\n[workspace]\n\n{profile}");
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the file can be written");
    std::fs::write(folder.join("src/main.rs"), "fn main() {}\n").expect("the file can be written");
    let status =
        cargo(&["build", "--quiet", "--release", "--target-dir", "target"]).current_dir(&folder).status();
    assert!(status.expect("cargo starts").success(), "an empty program builds");
    folder.join("target/release/empty")
}

/// Returns the command that checks a workspace.
fn check(minds: &Path, workspace: &Path) -> Command {
    let mut command = Command::new(minds);
    command.args(["check", "--format", "concise"]).current_dir(workspace);
    command
}

/// Returns the target directory.
pub(crate) fn target_folder() -> PathBuf {
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps"]).output().expect("cargo starts");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["target_directory"].as_str().expect("there is a target folder").into()
}

/// Builds the command in debug mode, and returns its path.
pub(crate) fn build_debug() -> PathBuf {
    build_debug_program("minds-cli", "minds")
}

/// Builds a program of a package in debug mode, and returns its path.
pub(crate) fn build_debug_program(package: &str, program: &str) -> PathBuf {
    run_cargo(&["build", "--quiet", "--package", package, "--bin", program]);
    target_folder().join("debug").join(program)
}

fn run_cargo(args: &[&str]) {
    let status = cargo(args).status().expect("cargo starts");
    assert!(status.success(), "cargo {args:?} failed");
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(root());
    command
}

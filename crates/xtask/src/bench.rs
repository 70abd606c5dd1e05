//! What is measured about whole processes: medians of alternating runs, as ratios.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bombs;
use crate::files::root;

const ROUNDS: usize = 300;

/// Measures the libraries against the bare parser, the command against an empty program, and what hostile inputs cost.
pub fn run() {
    run_cargo(&["bench", "--quiet", "--package", "minds-workspace", "--bench", "check"]);
    println!();
    run_cargo(&["build", "--quiet", "--release", "--package", "minds-cli", "--bin", "minds"]);
    cold_start();
    println!();
    let target = target_folder();
    bombs::run(&target.join("release/minds"), &target.join("bench/bombs"));
}

/// Compares a cold check of a small team with an empty program of the same profile.
fn cold_start() {
    let target = target_folder();
    let minds = target.join("release/minds");
    let empty = empty_program(&target);
    let workspace = target.join("bench/team-of-8");
    let team = workspace.join(".minds/team.yaml");
    std::fs::create_dir_all(workspace.join(".minds")).expect("the folder can be made");
    std::fs::write(&team, team_of(8)).expect("the file can be written");

    let mut runs: [(&str, Vec<Duration>, Command); 2] = [
        ("empty program", Vec::new(), Command::new(&empty)),
        ("minds check, 8 members", Vec::new(), Command::new(&minds)),
    ];
    runs[1].2.args(["check", "--format", "concise"]).current_dir(&workspace);
    for _ in 0..ROUNDS {
        for (_, times, command) in &mut runs {
            let start = Instant::now();
            let status =
                command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("the program starts");
            times.push(start.elapsed());
            assert!(status.success(), "the generated team is clean");
        }
    }
    println!("cold start, median of {ROUNDS} alternating runs");
    let base = median(&mut runs[0].1).as_secs_f64();
    for (name, times, _) in &mut runs {
        let median = median(times).as_secs_f64();
        println!("{name:24} {:6.2} ms  {:5.2} x empty", median * 1e3, median / base);
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
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

fn team_of(members: usize) -> String {
    let head = "member_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n";
    let member = |id: usize| {
        format!(
            "  # The member with the number {id}.\n  member-{id}:\n    name: Member {id}\n    icon: M\n    gofor:\n      - part {id}\n\
             \x20   toolsets:\n      - ws_read\n      - ws_mod\n    write_dirs: [src/part-{id}, docs]\n    no_write_dirs:\n\
             \x20     - src/part-{id}/generated\n    streaming: true\n"
        )
    };
    head.to_owned() + &(0..members).map(member).collect::<String>()
}

fn target_folder() -> PathBuf {
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps"]).output().expect("cargo starts");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["target_directory"].as_str().expect("there is a target folder").into()
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

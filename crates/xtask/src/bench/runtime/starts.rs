//! The start of the server with and without gateway, and what the gateway costs while nothing is called.

use std::path::Path;
use std::time::Duration;

use super::super::runs::{Contestant, measure};
use super::super::teams::Team;
use super::super::{ROUNDS, check};
use super::client::Client;
use super::{Workspace, descendants, quantile, server};

/// The number of timed starts of each kind.
const STARTS: usize = 101;
/// The maximum size of the program, in megabytes.
const SIZE: f64 = 18.0;

pub(super) fn run(minds: &Path, folder: &Path, before: Option<&Path>) {
    let workspace = Workspace::new(&folder.join("starts"));
    println!(
        "`minds mcp`, from process start to the handshake response, median of {STARTS} alternating starts"
    );
    println!("{:34} {:>10} {:>10} {:>8}", "", "without", "with", "ratio");
    compare(minds, &workspace, "no `mcp.yaml`, goal: at most 1.15");
    workspace.write(&[("peer".to_owned(), server(&[]))]);
    compare(minds, &workspace, "one server");
    println!();
    memory(minds, &Workspace::new(&folder.join("idle")));
    println!();
    let size = std::fs::metadata(minds).expect("the program exists").len() as f64 / 1e6;
    println!("size of `minds`: {size:.2} MB (goal: at most {SIZE} MB)");
    match before {
        Some(before) => compare_checks(minds, before, folder),
        None => {
            println!("the start of `minds check` is not compared, because `--before PROGRAM` is not given");
        }
    }
}

fn compare(minds: &Path, workspace: &Workspace, title: &str) {
    let start = |arguments: &[&str]| -> Duration {
        let (client, taken) = Client::start(workspace.serve(minds, arguments));
        // What it started has ended before the next start is timed.
        client.end();
        taken
    };
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        without.push(start(&["--no-gateway"]));
        with.push(start(&[]));
    }
    let (without, with) = (quantile(&mut without, 0.5) / 1e3, quantile(&mut with, 0.5) / 1e3);
    println!("{title:34} {without:>7.2} ms {with:>7.2} ms {:>7.2} x", with / without);
}

/// Prints the private memory of an idle gateway.
fn memory(minds: &Path, workspace: &Workspace) {
    let (client, _) = Client::start(workspace.serve(minds, &[]));
    // Without servers this is the worker, which is the last to start.
    let is_worker = |(_, arguments): &(u32, Vec<String>)| arguments.iter().any(|word| word == "--worker");
    while !descendants(client.id()).iter().any(is_worker) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_secs(1));
    println!("private memory of a gateway without servers, in kilobytes");
    let mut all = 0;
    for process in descendants(client.id()) {
        let name = if is_worker(&process) { "worker" } else { "supervisor" };
        let bytes = private_kilobytes(process.0);
        all += bytes;
        println!("  {name:32} {bytes:>8}");
    }
    println!("  {:32} {all:>8} (goal: at most 6,000)", "together");
    client.end();
}

fn private_kilobytes(pid: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let private = rollup.lines().filter(|line| line.starts_with("Private_"));
    private.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum()
}

/// Compares a check with that of an older program.
fn compare_checks(minds: &Path, before: &Path, folder: &Path) {
    let (workspace, _) = Team::OwnDirectories.write(8, folder);
    let contestants = [
        Contestant::new("before", check(before, &workspace)),
        Contestant::new("now", check(minds, &workspace)),
    ];
    let [before, now] = measure(contestants, ROUNDS);
    println!("`minds check`, 8 members, median of {ROUNDS} alternating runs");
    println!(
        "  before {:.2} ms, now {:.2} ms: {:.3} x (goal: at most 1.02)",
        before.median * 1e3,
        now.median * 1e3,
        now.median / before.median
    );
}

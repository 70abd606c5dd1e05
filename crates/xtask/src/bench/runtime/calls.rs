//! Calls through the gateway, and the same calls made directly.

use std::path::Path;
use std::process::{Child, Command};
use std::thread::available_parallelism;

use super::anchor::{self, Anchor};
use super::client::Client;
use super::{Workspace, command, quantile, server};

/// The number of timed calls of each kind, after some untimed ones.
const CALLS: usize = 4_000;
const WARMING: usize = 400;
/// The same for the other gateway, which takes longer.
const ANCHOR_CALLS: usize = 1_000;
/// The added time that is the goal, in microseconds.
const ADDED: f64 = 60.0;
/// The ratio that is the goal for a server that takes a while itself.
const RATIO: f64 = 1.3;

/// Compares calls in alternating turns, on processors that sleep when there is nothing to do and on such that do not.
pub(super) fn run(minds: &Path, folder: &Path) {
    println!("calls over pipes, one at a time: {CALLS} of each kind, alternating turns");
    println!("`copied`: through a program of two threads that only copies between the pipes");
    for is_awake in [true, false] {
        // Waking a processor of a virtual machine can take longer than the whole call.
        let wakefulness = is_awake.then(Wakefulness::start);
        let state = if is_awake { "kept awake by programs of the lowest priority" } else { "as they are" };
        println!("processors {state}");
        println!(
            "{:34} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}",
            "", "directly", "copied", "through", "added", "ratio", "copied"
        );
        for (title, busy) in [("a server that answers at once", "0"), ("a server that takes 200 us", "200")] {
            let goal = if busy == "0" {
                format!("added, median: at most {ADDED} us")
            } else {
                format!("ratio, median: at most {RATIO}")
            };
            println!("{title}, goal: {goal}");
            compare(minds, folder, busy);
        }
        drop(wakefulness);
    }
    if let Err(reason) = compare_with_another(folder) {
        println!("the comparison with another gateway is skipped: {reason}");
    }
}

/// Compares calls of a server that is busy for a number of microseconds.
fn compare(minds: &Path, folder: &Path, busy: &str) {
    let words = server(&["--busy", busy]);
    let workspace = Workspace::new(&folder.join("calls"));
    workspace.write(&[("peer".to_owned(), words.clone())]);
    let (mut direct, _) = Client::start(command(&words));
    let (mut copied, _) = Client::start(command(&server(&["--busy", busy, "--copy"])));
    let (mut through, _) = Client::start(workspace.serve(minds, &["--toolset", "peer"]));
    assert_eq!(through.list().0, ["t0"], "the tool is listed");
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..WARMING + CALLS {
        for (client, times) in [&mut direct, &mut copied, &mut through].into_iter().zip(&mut times) {
            let taken = client.call("t0");
            if round >= WARMING {
                times.push(taken);
            }
        }
    }
    for (part, name) in [(0.5, "median"), (0.9, "90 in 100"), (0.99, "99 in 100")] {
        let [one, copied, other] = times.each_mut().map(|times| quantile(times, part));
        println!(
            "  {name:32} {one:>7.0} us {copied:>7.0} us {other:>7.0} us {:>7.0} us {:>7.2}x {:>7.2}x",
            other - one,
            other / one,
            copied / one
        );
    }
    through.end();
}

/// Programs that use what nothing else uses of the processors.
struct Wakefulness(Vec<Child>);

impl Wakefulness {
    fn start() -> Self {
        let count = available_parallelism().map_or(1, usize::from);
        let program = |_| {
            let mut program = Command::new("chrt");
            program
                .args(["--idle", "0", "sh", "-c", "while :; do :; done"])
                .spawn()
                .expect("`chrt` of util-linux exists")
        };
        Self((0..count).map(program).collect())
    }
}

impl Drop for Wakefulness {
    fn drop(&mut self) {
        for program in &mut self.0 {
            // It ends by no other means.
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// Compares calls through another gateway with the same calls made directly.
fn compare_with_another(folder: &Path) -> Result<(), String> {
    let words = server(&[]);
    let mut other = Anchor::start(&folder.join("anchor"), &words)?;
    let (mut direct, _) = Client::start(command(&words));
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for round in 0..WARMING + ANCHOR_CALLS {
        let times = (direct.call("t0"), other.call("t0")?);
        if round >= WARMING {
            one.push(times.0);
            two.push(times.1);
        }
    }
    let [_, (name, version)] = anchor::PACKAGES;
    println!("{name} {version}, over HTTP with one open connection, {ANCHOR_CALLS} calls");
    let (one, two) = (quantile(&mut one, 0.5), quantile(&mut two, 0.5));
    println!("  {:32} {one:>7.0} us {two:>7.0} us {:>7.0} us {:>7.2} x", "median", two - one, two / one);
    Ok(())
}

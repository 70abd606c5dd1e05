//! Calls through the gateway, and the same calls made directly.

use std::path::Path;

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

/// Compares calls in alternating turns.
pub(super) fn run(minds: &Path, folder: &Path) {
    println!("calls over pipes, one at a time: {CALLS} of each kind, alternating turns");
    println!("{:34} {:>10} {:>10} {:>10} {:>8}", "", "directly", "through", "added", "ratio");
    for (title, busy) in [("a server that answers at once", "0"), ("a server that takes 200 us", "200")] {
        let words = server(&["--busy", busy]);
        let workspace = Workspace::new(&folder.join("calls"));
        workspace.write(&[("peer".to_owned(), words.clone())]);
        let (mut direct, _) = Client::start(command(&words));
        let (mut through, _) = Client::start(workspace.serve(minds, &["--toolset", "peer"]));
        assert_eq!(through.list().0, ["t0"], "the tool is listed");
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for round in 0..WARMING + CALLS {
            let times = (direct.call("t0"), through.call("t0"));
            if round >= WARMING {
                one.push(times.0);
                other.push(times.1);
            }
        }
        let goal = if busy == "0" {
            format!("added, median: at most {ADDED} us")
        } else {
            format!("ratio, median: at most {RATIO}")
        };
        println!("{title}, goal: {goal}");
        for (part, name) in [(0.5, "median"), (0.9, "90 in 100"), (0.99, "99 in 100")] {
            let (one, other) = (quantile(&mut one, part), quantile(&mut other, part));
            println!(
                "  {name:32} {one:>7.0} us {other:>7.0} us {:>7.0} us {:>7.2} x",
                other - one,
                other / one
            );
        }
        through.end();
    }
    if let Err(reason) = compare_with_another(folder) {
        println!("the comparison with another gateway is skipped: {reason}");
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

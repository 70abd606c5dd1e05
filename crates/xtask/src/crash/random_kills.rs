//! Killing a process from outside, at random times.

use std::collections::BTreeMap;
use std::path::Path;

use super::operations::OPERATIONS;
use super::recovery_check::check_recovery;
use super::tree::{Files, Tree};
use super::victim::{Order, kill_soon, read_progress, start};
use crate::random::Random;

/// The maximum lifetime of a victim in microseconds.
const MAX_LIFE: usize = 3_000;
/// Enough steps for that, but not more than there are files to remove.
const MAX_STEPS: u64 = 100;

/// Where processes were killed: by operation, number and name of the call in progress; number 0 means between
/// calls.
pub(super) type Histogram = BTreeMap<(usize, u64, String), usize>;

/// The results.
pub(super) struct RandomKills {
    pub(super) histogram: Histogram,
    /// The number of steps acknowledged before the kills.
    pub(super) acknowledged: u64,
    /// How often the step in progress had been completed.
    pub(super) completed: usize,
}

/// Kills so many processes.
pub(super) fn kill(program: &Path, kills: usize, seed: u64) -> Result<RandomKills, String> {
    let mut random = Random::new(seed);
    let folder = Tree::new(&Files::new());
    let progress = folder.path().join("progress");
    let mut kills_made = RandomKills { histogram: Histogram::new(), acknowledged: 0, completed: 0 };
    let mut killed = 0;
    while killed < kills {
        let index = random.next_below(OPERATIONS.len());
        let operation = &OPERATIONS[index];
        let from = 1 + random.next() % 1_000;
        let tree = Tree::new(&(operation.state)(from, from));
        std::fs::write(&progress, []).expect("the file can be written");
        let order = Order { operation: index, from, steps: MAX_STEPS, plan: "none".to_owned() };
        let victim = start(program, tree.path(), &order, Some(&progress));
        let (was_killed, reported) = kill_soon(victim, MAX_LIFE, &mut random);
        let acknowledged = reported.unwrap_or(from + 1);
        // A victim that finished before it was killed is verified too, but not counted.
        let state =
            check_recovery(operation, &tree, from, [acknowledged, acknowledged + 1]).map_err(|why| {
                let (call, name) = read_progress(&progress);
                format!(
                    "{}, killed at call {call} ({name}) of step {}: {why}",
                    operation.name,
                    acknowledged + 1
                )
            })?;
        if !was_killed {
            continue;
        }
        killed += 1;
        let (call, name) = read_progress(&progress);
        *kills_made.histogram.entry((index, call, name)).or_default() += 1;
        kills_made.acknowledged += acknowledged - from;
        kills_made.completed += usize::from(state > acknowledged);
    }
    Ok(kills_made)
}

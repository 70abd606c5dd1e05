//! A process is killed from outside, at any moment.

use std::collections::BTreeMap;
use std::path::Path;

use super::machines::MACHINES;
use super::tree::{Files, Tree};
use super::verdict::judge;
use super::victim::{Order, kill_soon, read_progress, start};
use crate::random::Random;

/// A victim lives at most so many microseconds.
const LONGEST_LIFE: usize = 3_000;
/// Enough steps for that, and not more than there are files to be removed.
const MAX_STEPS: u64 = 100;

/// Where kills landed: by operation, number and name of the call that was under way; 0 where none was.
pub(super) type Histogram = BTreeMap<(usize, u64, String), usize>;

/// What came of it.
pub(super) struct Moments {
    pub(super) histogram: Histogram,
    /// How many steps had been done and said to be done before the kills.
    pub(super) acknowledged: u64,
    /// How often the step that was under way turned out to have happened.
    pub(super) happened: usize,
}

/// Kills so many processes.
pub(super) fn kill(program: &Path, kills: usize, seed: u64) -> Result<Moments, String> {
    let mut random = Random::new(seed);
    let folder = Tree::new(&Files::new());
    let progress = folder.path().join("progress");
    let mut moments = Moments { histogram: Histogram::new(), acknowledged: 0, happened: 0 };
    let mut killed = 0;
    while killed < kills {
        let index = random.below(MACHINES.len());
        let machine = &MACHINES[index];
        let from = 1 + random.next() % 1_000;
        let tree = Tree::new(&(machine.state)(from, from));
        std::fs::write(&progress, []).expect("the file can be written");
        let order = Order { machine: index, from, steps: MAX_STEPS, plan: "none".to_owned() };
        let victim = start(program, tree.path(), &order, Some(&progress));
        let (was_killed, said) = kill_soon(victim, LONGEST_LIFE, &mut random);
        let acknowledged = said.unwrap_or(from + 1);
        // One that was quicker than its death is judged too, but does not count.
        let state = judge(machine, &tree, from, [acknowledged, acknowledged + 1]).map_err(|why| {
            let (call, name) = read_progress(&progress);
            format!("{}, killed at call {call} ({name}) of step {}: {why}", machine.name, acknowledged + 1)
        })?;
        if !was_killed {
            continue;
        }
        killed += 1;
        let (call, name) = read_progress(&progress);
        *moments.histogram.entry((index, call, name)).or_default() += 1;
        moments.acknowledged += acknowledged - from;
        moments.happened += usize::from(state > acknowledged);
    }
    Ok(moments)
}

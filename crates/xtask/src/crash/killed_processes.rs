//! Processes that make one step after the other in their own folder, and are killed at random times.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;

use super::tree::{Files, Tree};
use super::victim::{kill_soon, read_progress};
use crate::random::Random;

/// The work of a victim, and how to verify the result.
pub(super) struct Work<'w> {
    /// The name of a step.
    pub(super) step: &'w str,
    /// The maximum lifetime of a victim in microseconds after its first step.
    pub(super) max_life: usize,
    /// Creates the folder of a victim.
    pub(super) create: &'w dyn Fn() -> Tree,
    /// Starts a victim in a folder, which records its progress.
    pub(super) start: &'w dyn Fn(&Path, &Path) -> Child,
    /// Verifies that all acknowledged steps have been made, and the next one completely or not at all, and
    /// continues from there; returns the number of steps made.
    pub(super) check_recovery: &'w dyn Fn(&Tree, u64) -> Result<u64, String>,
}

/// The results.
#[derive(Default)]
pub(super) struct ProcessKills {
    pub(super) at_calls: usize,
    pub(super) at_random_times: usize,
    /// The number of steps acknowledged before the kills.
    pub(super) acknowledged: u64,
    /// How often the step in progress had been completed.
    pub(super) completed: usize,
    /// How often each call was in progress when the process was killed.
    histogram: BTreeMap<String, usize>,
}

impl ProcessKills {
    /// Kills so many processes at random times.
    ///
    /// # Errors
    ///
    /// Returns what was torn or lost.
    pub(super) fn kill_at_random_times(
        &mut self,
        work: &Work<'_>,
        kills: usize,
        random: &mut Random,
    ) -> Result<(), String> {
        let folder = Tree::new(&Files::new());
        let progress = folder.path().join("progress");
        while self.at_random_times < kills {
            let tree = (work.create)();
            fs::write(&progress, []).expect("the file can be written");
            let victim = (work.start)(tree.path(), &progress);
            let (was_killed, reported) = kill_soon(victim, work.max_life, random);
            let acknowledged = reported.unwrap_or(1);
            let (number, call) = read_progress(&progress);
            let state = (work.check_recovery)(&tree, acknowledged).map_err(|why| {
                format!("killed at call {number} ({call}) of {} {}: {why}", work.step, acknowledged + 1)
            })?;
            // A victim that finished before it was killed is verified too, but not counted.
            if was_killed {
                self.at_random_times += 1;
                self.acknowledged += acknowledged;
                self.completed += usize::from(state > acknowledged);
                let call = if number == 0 { format!("between two {}s", work.step) } else { call };
                *self.histogram.entry(call).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Prints how often each call was in progress.
    pub(super) fn print_histogram(&self) {
        let counts: Vec<String> =
            self.histogram.iter().map(|(call, count)| format!("{call} {count}")).collect();
        counts.chunks(8).for_each(|line| println!("  {}", line.join(", ")));
    }
}

//! Processes that make step after step in a folder of their own, and die at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;

use super::tree::{Files, Tree};
use super::victim::{kill_soon, read_progress};
use crate::random::Random;

/// What a victim does, and what must come of it.
pub(super) struct Work<'w> {
    /// What a step is called.
    pub(super) step: &'w str,
    /// A victim lives at most so many microseconds after its first step.
    pub(super) longest_life: usize,
    /// Makes the folder of a victim.
    pub(super) fresh: &'w dyn Fn() -> Tree,
    /// Starts a victim in a folder, which writes down its progress.
    pub(super) start: &'w dyn Fn(&Path, &Path) -> Child,
    /// Expects that all steps that were said to be done have happened, and the next one or not, and goes on from there;
    /// returns how many have happened.
    pub(super) judge: &'w dyn Fn(&Tree, u64) -> Result<u64, String>,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Deaths {
    pub(super) at_calls: usize,
    pub(super) at_moments: usize,
    /// How many steps had been said to be done before the kills.
    pub(super) acknowledged: u64,
    /// How often the step that was under way turned out to have happened.
    pub(super) happened: usize,
    /// How often each call was under way at any moment.
    histogram: BTreeMap<String, usize>,
}

impl Deaths {
    /// Kills so many processes at any moment.
    ///
    /// # Errors
    ///
    /// Says what was torn or lost.
    pub(super) fn at_moments(
        &mut self,
        work: &Work<'_>,
        kills: usize,
        random: &mut Random,
    ) -> Result<(), String> {
        let folder = Tree::new(&Files::new());
        let progress = folder.path().join("progress");
        while self.at_moments < kills {
            let tree = (work.fresh)();
            fs::write(&progress, []).expect("the file can be written");
            let victim = (work.start)(tree.path(), &progress);
            let (was_killed, said) = kill_soon(victim, work.longest_life, random);
            let acknowledged = said.unwrap_or(1);
            let (number, call) = read_progress(&progress);
            let state = (work.judge)(&tree, acknowledged).map_err(|why| {
                format!("killed at call {number} ({call}) of {} {}: {why}", work.step, acknowledged + 1)
            })?;
            // One that was quicker than its death is judged too, but does not count.
            if was_killed {
                self.at_moments += 1;
                self.acknowledged += acknowledged;
                self.happened += usize::from(state > acknowledged);
                let call = if number == 0 { format!("between two {}s", work.step) } else { call };
                *self.histogram.entry(call).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Prints how often each call was under way.
    pub(super) fn print_histogram(&self) {
        let counts: Vec<String> =
            self.histogram.iter().map(|(call, count)| format!("{call} {count}")).collect();
        counts.chunks(8).for_each(|line| println!("  {}", line.join(", ")));
    }
}

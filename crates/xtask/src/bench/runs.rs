//! Timing of whole processes in alternating runs.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program in a comparison.
pub(super) struct Contestant {
    name: &'static str,
    command: Command,
    times: Vec<Duration>,
}

impl Contestant {
    /// Returns a program that has not run yet. It must exit with 0; its output is discarded.
    pub(super) fn new(name: &'static str, mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self { name, command, times: Vec::new() }
    }

    fn run(&mut self) {
        let start = Instant::now();
        let status = self.command.status().expect("the program starts");
        self.times.push(start.elapsed());
        assert!(status.success(), "{} failed on a clean team", self.name);
    }

    fn median(&mut self) -> f64 {
        self.times.sort_unstable();
        self.times[self.times.len() / 2].as_secs_f64()
    }
}

/// Runs all programs in turn, so many times each, and returns the median time of each in seconds.
///
/// Temporary disturbances of the machine affect all programs equally.
pub(super) fn medians<const N: usize>(
    mut contestants: [Contestant; N],
    rounds: usize,
) -> [(&'static str, f64); N] {
    for _ in 0..rounds {
        contestants.iter_mut().for_each(Contestant::run);
    }
    contestants.map(|mut one| (one.name, one.median()))
}

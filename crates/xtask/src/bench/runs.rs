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

    fn result(mut self) -> Times {
        self.times.sort_unstable();
        let seconds = |at: usize| self.times[at].as_secs_f64();
        Times { name: self.name, median: seconds(self.times.len() / 2), minimum: seconds(0) }
    }
}

/// The times of a program, in seconds.
pub(super) struct Times {
    pub(super) name: &'static str,
    pub(super) median: f64,
    pub(super) minimum: f64,
}

/// Runs all programs in turn, so many times each, and returns the times of each.
///
/// Temporary disturbances of the machine affect all programs equally.
pub(super) fn measure<const N: usize>(mut contestants: [Contestant; N], rounds: usize) -> [Times; N] {
    for _ in 0..rounds {
        contestants.iter_mut().for_each(Contestant::run);
    }
    contestants.map(Contestant::result)
}

//! When a server that failed is started again.

use std::time::Duration;

/// The pause after the first failure.
const FIRST: Duration = Duration::from_millis(250);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(30);
/// The number of failures in a row after which a server is not expected to recover by itself.
const MAX_FAILURES: u32 = 5;
/// The time after which a server that ran has recovered, in milliseconds.
const STABLE: u64 = 60_000;

/// The failures of a server in a row. Times are in milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backoff {
    failures: u32,
    /// When it last started; none while it does not run.
    running_since: Option<u64>,
}

impl Backoff {
    /// Records a failed start, or the end of a server that ran.
    pub(crate) fn fail(&mut self, now: u64) {
        let was_stable = self.running_since.take().is_some_and(|since| now.saturating_sub(since) >= STABLE);
        self.failures = if was_stable { 1 } else { self.failures.saturating_add(1) };
    }

    /// Records a start that worked.
    pub(crate) fn start(&mut self, now: u64) {
        self.running_since = Some(now);
    }

    /// Forgets all failures, because the configuration is another one.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns whether so many starts failed that the next one is not expected to work.
    pub(crate) fn is_persistent(&self) -> bool {
        self.failures >= MAX_FAILURES
    }

    /// Returns the pause before the next start. `jitter` shortens or lengthens it by up to a quarter, so that servers which
    /// failed together do not start together.
    pub(crate) fn pause(&self, jitter: u8) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.failures.saturating_sub(1).min(16));
        let pause = if self.is_persistent() { LONGEST } else { doubled.min(LONGEST) };
        pause * (192 + u32::from(jitter) / 2) / 256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_until_a_server_is_tried_every_30_seconds() {
        let mut backoff = Backoff::default();
        let mut pauses = Vec::new();
        for _ in 0..7 {
            backoff.fail(0);
            pauses.push((backoff.pause(128).as_millis(), backoff.is_persistent()));
        }
        let expected = [
            (250, false),
            (500, false),
            (1_000, false),
            (2_000, false),
            (30_000, true),
            (30_000, true),
            (30_000, true),
        ];
        assert_eq!(pauses, expected);
    }

    #[test]
    fn jitter_changes_a_pause_by_a_quarter_at_most() {
        let mut backoff = Backoff::default();
        backoff.fail(0);
        for jitter in 0..=u8::MAX {
            let pause = backoff.pause(jitter).as_millis();
            assert!((187..=312).contains(&pause), "{pause}");
        }
    }

    #[test]
    fn only_a_server_that_ran_for_a_minute_has_recovered() {
        let mut backoff = Backoff::default();
        for now in [0, 100, 200] {
            backoff.fail(now);
            backoff.start(now + 50);
        }
        backoff.fail(59_000);
        assert_eq!(backoff.pause(128).as_millis(), 2_000, "a server that ends again and again");
        backoff.start(60_000);
        backoff.fail(120_000);
        assert_eq!(backoff.pause(128).as_millis(), 250);
        backoff.reset();
        assert_eq!(backoff, Backoff::default());
    }
}

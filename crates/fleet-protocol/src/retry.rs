//! When a client sends a request again, and how long it waits before it connects again.

use std::time::Duration;

use minds_fleet::{ErrorCode, Retry};

use crate::limits::{RECONNECT_MAX, RECONNECT_MIN, RECONNECT_WARNING, RETRY_WINDOW};

/// The retry of one request.
///
/// A request is sent once more, with the same id, within [`RETRY_WINDOW`] after it failed with `redis.unavailable`.
/// All other failures are final, `timeout` included: the agent may still perform the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestRetry {
    has_failed: bool,
}

impl RequestRetry {
    /// Notes a failure, and returns the time until which the request may be sent once more; `None` if the failure is
    /// final.
    ///
    /// `now` and the result are on the same clock.
    pub fn fail(&mut self, code: Option<ErrorCode>, now: Duration) -> Option<Duration> {
        let is_first = !self.has_failed;
        self.has_failed = true;
        let is_retryable = code.is_some_and(|code| code.retry() == Retry::Once);
        (is_first && is_retryable).then(|| now.saturating_add(RETRY_WINDOW))
    }
}

/// The waiting times of a client or agent that lost its connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Notes a failed attempt, and returns how long to wait before the next one.
    ///
    /// The time doubles from [`RECONNECT_MIN`] to [`RECONNECT_MAX`], and is changed by up to 25 % by the random
    /// number, of which all 32 bits are used. So clients that lost one server do not return at the same time.
    pub fn fail(&mut self, random: u32) -> Duration {
        let factor = 2_u32.saturating_pow(self.failures);
        self.failures = self.failures.saturating_add(1);
        let wait = RECONNECT_MIN.saturating_mul(factor).min(RECONNECT_MAX);
        wait.mul_f64(0.75 + 0.5 * f64::from(random) / f64::from(u32::MAX))
    }

    /// Returns the number of failed attempts since the last connection.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Returns whether to warn now: after exactly [`RECONNECT_WARNING`] failures, once for each lost connection.
    pub fn is_warning_due(&self) -> bool {
        self.failures == RECONNECT_WARNING
    }

    /// Notes a connection.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

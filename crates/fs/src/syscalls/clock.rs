//! The clock for lock timeouts, which tests can simulate.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

static START: OnceLock<Instant> = OnceLock::new();

/// Returns the time elapsed since an arbitrary instant.
pub(crate) fn now() -> Duration {
    #[cfg(feature = "faults")]
    if let Some(now) = super::faults::simulated_now() {
        return now;
    }
    START.get_or_init(Instant::now).elapsed()
}

/// Sleeps for `time`.
pub(crate) fn pause(time: Duration) {
    #[cfg(feature = "faults")]
    if super::faults::simulate_pause(time) {
        return;
    }
    std::thread::sleep(time);
}

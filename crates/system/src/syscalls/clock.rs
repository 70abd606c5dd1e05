//! Time, as far as waiting for others needs it.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

static START: OnceLock<Instant> = OnceLock::new();

/// Returns how much time has passed since an arbitrary moment.
pub(crate) fn now() -> Duration {
    #[cfg(feature = "faults")]
    if let Some(now) = super::faults::simulated_now() {
        return now;
    }
    START.get_or_init(Instant::now).elapsed()
}

/// Lets time pass.
pub(crate) fn pause(time: Duration) {
    #[cfg(feature = "faults")]
    if super::faults::simulate_pause(time) {
        return;
    }
    std::thread::sleep(time);
}

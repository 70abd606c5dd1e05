//! Waiting for conditions.

use std::time::{Duration, Instant};

/// The time for anything that is waited for. It only ends tests that would wait forever.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
/// The interval at which a condition is examined.
const STEP: Duration = Duration::from_millis(2);

/// Waits until `find` finds something, and returns it.
///
/// # Errors
///
/// Fails with the name of what is waited for if it does not come.
pub(crate) fn eventually<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> Result<T, String> {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = find() {
            return Ok(found);
        }
        if Instant::now() > end {
            return Err(format!("{what}: waited in vain"));
        }
        std::thread::sleep(STEP);
    }
}

//! The time, as an argument.

use std::time::Duration;

use crate::Timestamp;

/// The time at which an event happens, on two clocks.
///
/// Timeouts are measured on the clock that never goes back; what is written to a message or a file has the time of
/// day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// The time since a fixed point, for example the start of the process. It never decreases.
    pub clock: Duration,
    /// The time of day.
    pub time: Timestamp,
}

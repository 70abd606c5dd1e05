//! The time limits of a call.

use tokio::time::Instant;

use super::{CallError, CallLimits};

/// The times of a call that may take several requests.
pub(super) struct Deadline {
    pub(super) limits: CallLimits,
    pub(super) end: Instant,
}

impl Deadline {
    pub(super) fn new(limits: CallLimits) -> Self {
        Self { limits, end: Instant::now() + limits.total }
    }

    /// Returns the error after the time is over.
    pub(super) fn error(&self, is_idle: bool) -> CallError {
        let time = if is_idle { self.limits.idle } else { self.limits.total };
        CallError::TimedOut { time, is_idle }
    }
}

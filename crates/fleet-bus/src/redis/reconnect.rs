//! When to connect again.

use std::time::Duration;

use minds_fleet_protocol::{Backoff, Failure, Now};

use super::link::Link;
use crate::tokens::random;

/// A connection that is made again after it was lost.
#[derive(Default)]
pub(super) struct Reconnect {
    backoff: Backoff,
    /// The time of the next attempt; none if it is due at once.
    next: Option<Duration>,
}

impl Reconnect {
    /// Returns how long to wait for the next attempt.
    pub(super) fn remaining(&self, now: Now) -> Duration {
        self.next.map_or(Duration::ZERO, |next| next.saturating_sub(now.clock))
    }

    /// Notes a failed attempt or a lost connection, and returns how long to wait for the next one.
    pub(super) fn fail(&mut self, now: Now) -> Duration {
        // Without random numbers clients may return at the same time, which is slower and not wrong.
        let random = u32::from_le_bytes(random().unwrap_or_default());
        let wait = self.backoff.fail(random);
        self.next = Some(now.clock.saturating_add(wait));
        wait
    }

    /// Notes the result of an attempt.
    pub(super) fn note(&mut self, attempt: Result<Link, Failure>, now: Now) -> Result<Link, Failure> {
        match attempt {
            Ok(link) => {
                *self = Self::default();
                Ok(link)
            }
            Err(failure) => {
                self.fail(now);
                Err(failure)
            }
        }
    }
}

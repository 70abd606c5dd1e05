//! What readers know about an agent from its heartbeats.

use std::time::Duration;

use crate::limits::{DISCONNECTED_LIFETIME, HEARTBEAT_LIFETIME, MAX_GRACE};

/// The heartbeats of one agent, as one reader sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Liveness {
    last_beat: Duration,
    left_at: Option<Duration>,
    grace_until: Option<Duration>,
}

/// How a reader displays an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Heartbeats arrive.
    Alive,
    /// The heartbeat is missing because of a planned restart: no warning.
    Restarting,
    /// The agent has ended, and reported it: no warning.
    Left,
    /// The heartbeat is missing: warn once.
    Disconnected,
    /// The agent is not displayed any longer.
    Forgotten,
}

impl Liveness {
    /// Begins with a heartbeat.
    pub fn new(now: Duration) -> Self {
        Self { last_beat: now, left_at: None, grace_until: None }
    }

    /// Notes a heartbeat. It ends a planned restart. An older one than the last changes nothing.
    pub fn beat(&mut self, now: Duration) {
        if now < self.last_beat {
            return;
        }
        *self = Self::new(now);
    }

    /// Notes a planned restart, of at most [`MAX_GRACE`].
    pub fn expect_restart(&mut self, duration: Duration, now: Duration) {
        self.grace_until = Some(now.saturating_add(duration.min(MAX_GRACE)));
    }

    /// Notes that the agent reported its end.
    pub fn leave(&mut self, now: Duration) {
        self.left_at = Some(now);
    }

    /// Returns how to display the agent.
    pub fn presence(&self, now: Duration) -> Presence {
        let missing_since = self.missing_since();
        if now < missing_since {
            return Presence::Alive;
        }
        if self.grace_until.is_some_and(|until| now < until) {
            return Presence::Restarting;
        }
        if now >= self.forgotten_at() {
            return Presence::Forgotten;
        }
        if self.left_at.is_some() { Presence::Left } else { Presence::Disconnected }
    }

    /// Returns when the presence changes next without an event; `None` after the last change.
    pub fn deadline(&self, now: Duration) -> Option<Duration> {
        let changes = [Some(self.missing_since()), self.grace_until, Some(self.forgotten_at())];
        changes.into_iter().flatten().filter(|change| *change > now).min()
    }

    fn missing_since(&self) -> Duration {
        self.left_at.unwrap_or_else(|| self.last_beat.saturating_add(HEARTBEAT_LIFETIME))
    }

    fn forgotten_at(&self) -> Duration {
        self.missing_since().saturating_add(DISCONNECTED_LIFETIME)
    }
}

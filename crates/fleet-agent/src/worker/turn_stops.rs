//! What stops a turn besides its own end.

use std::time::Duration;

use minds_fleet_protocol::{ItemId, Warning};

use super::Worker;
use super::turns::Work;
use crate::clock::now;
use crate::running::Command;
use crate::turn::TurnEvent;

impl Work<'_> {
    /// Sets the maximum duration of the turn, which begins now.
    pub(super) fn limit_time(&mut self, time: Duration) {
        self.limit = Some((now().clock.saturating_add(time), time));
    }
}

impl Worker<'_> {
    /// Waits until the agent has its place; returns what ends the turn before.
    pub(super) fn wait_for_place(&mut self, item: &ItemId) -> Option<TurnEvent> {
        while !self.shared.has_place() {
            let command = self.shared.next_command(None)?;
            if let Some(event) = self.stop_by(command, item) {
                return Some(event);
            }
        }
        None
    }

    /// Returns whether the turn has just exceeded its maximum duration, and reports it.
    pub(super) fn takes_too_long(&self, work: &mut Work<'_>) -> bool {
        let Some((_, time)) = work.limit.take_if(|(end, _)| *end <= now().clock) else { return false };
        let msg = format!("the turn is interrupted after {} s (`limits.turn_seconds`)", time.as_secs());
        self.report(work, Warning { msg });
        true
    }

    /// Returns how a command stops the work on an item; none if it does not.
    pub(super) fn stop_by(&mut self, command: Command, item: &ItemId) -> Option<TurnEvent> {
        let is_hard = match command {
            Command::ShutDown { is_hard } => {
                self.ending = Some(is_hard);
                is_hard
            }
            Command::Stop { item: stopped, is_hard } if stopped == *item => is_hard,
            Command::Stop { .. } | Command::Look => return None,
        };
        Some(if is_hard { TurnEvent::Cancelled } else { TurnEvent::Interrupted })
    }
}

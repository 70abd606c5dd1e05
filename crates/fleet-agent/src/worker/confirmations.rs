//! Questions to the owner.

use minds_fleet_protocol::{ConfirmRequest, Confirmation, ConfirmationState, Timestamp};
use minds_model_client::ToolCall;

use super::Worker;
use super::activity::Activity;
use super::turns::{Work, effect_of};
use crate::clock::now;
use crate::tools::Question;
use crate::turn::TurnEvent;

impl Worker<'_> {
    /// Asks the owner about a call.
    pub(super) fn confirm(&self, work: &mut Work<'_>, call: &ToolCall) {
        let now = now();
        let id = format!("c-{}", effect_of(work, call).replace('/', "-"));
        let confirmation = Confirmation::new(&id, now.clock);
        let seconds = confirmation.deadline().saturating_sub(now.clock).as_secs_f64();
        let expires_at = Timestamp::from_seconds(now.time.as_seconds() + seconds).unwrap_or(now.time);
        self.shared.status().confirmation = Some(confirmation);
        let Question { title, body } = self.tools.question(call).unwrap_or_else(|| Question {
            title: format!("run the tool `{}`", call.name),
            body: self.redacted_arguments(call),
        });
        self.report(work, ConfirmRequest { id, kind: "tool".to_owned(), title, body, expires_at });
        work.activity = Activity::Confirmation;
    }

    /// Returns whether the owner has decided.
    pub(super) fn poll_confirmation(&self, work: &mut Work<'_>) -> Option<TurnEvent> {
        let (state, done) = {
            let mut status = self.shared.status();
            let confirmation = status.confirmation.as_mut()?;
            let done = confirmation.poll(now().clock);
            (confirmation.state(), done)
        };
        if let Some(done) = done {
            self.report(work, done);
        }
        if state == ConfirmationState::Asked {
            return None;
        }
        work.activity = Activity::None;
        self.shared.status().confirmation = None;
        Some(TurnEvent::Confirmed(state == ConfirmationState::Yes))
    }
}

//! Methods about the work and the agent.

use minds_fleet_bus::Ticket;
use minds_fleet_protocol::methods::{AgentStop, ConfirmAnswer, Done, StatusValue, StopValue, True};
use minds_fleet_protocol::{ErrorCode, Event, Failure, Request};

use super::{DONE, Requests};
use crate::clock::now;
use crate::running::Command;

impl Requests<'_> {
    pub(super) fn status(&mut self, ticket: &Ticket) -> Result<StatusValue, Failure> {
        let owner = self.port.owner(ticket, now())?;
        let queue = self.shared.store().queue().counts();
        let status = self.shared.status();
        Ok(StatusValue {
            state: status.state,
            ctx_pct: status.context.part(),
            tokens_in_ctx: status.context.tokens,
            model: status.model.clone(),
            cwd: self.info.cwd.clone(),
            pid: self.info.pid,
            host: self.info.host.clone(),
            engine: self.info.engine.clone(),
            epoch: self.port.epoch(),
            owner,
            queue,
            last_error: status.last_error.clone(),
        })
    }

    /// Stops the work on the current item.
    pub(super) fn stop_work(&self, is_hard: bool, request: &Request) -> StopValue {
        StopValue { ok: True, qid: self.shared.stop_current(is_hard, Some(request.caller.clone())) }
    }

    pub(super) fn answer_confirmation(
        &self,
        answer: &ConfirmAnswer,
        request: &Request,
    ) -> Result<Done, Failure> {
        let done = {
            let mut status = self.shared.status();
            let confirmation = status.confirmation.as_mut().filter(|one| one.id() == answer.id);
            confirmation.and_then(|one| one.answer(answer.answer, request.caller.clone(), now().clock))
        };
        let Some(done) = done else {
            let id: String = answer.id.chars().take(80).collect();
            let message = format!("no confirmation `{}` waits for an answer", id.escape_debug());
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        };
        self.shared.report(Event::new(done));
        self.shared.command(Command::Look);
        Ok(DONE())
    }

    pub(super) fn stop_agent(&self, stop: &AgentStop) -> Done {
        self.shared.shut_down(stop.hard);
        DONE()
    }
}

//! Turns that a program performs.

use std::time::Duration;

use minds_acp::{ClientEvent, Permission, SessionOrigin, ToolKind};
use minds_fleet_protocol::{
    EndReason, ErrorCode, Failure, HistoryRecord, Item, Role, StateChange, Stream, Warning,
};

use super::Worker;
use super::activity::{Activity, TICK};
use super::engine_records::{EngineTurn, tool_call};
use super::turns::{Work, record};
use crate::acp_engine::NextEvent;
use crate::clock::now;
use crate::config::{AgentConfig, EngineConfig};
use crate::context::shorten;
use crate::turn::{ToolOutcome, TurnEvent};

/// The id of the call that stands for the prompt: once it is sent, the program may change things before it reports them.
const PROMPT: &str = "prompt";

/// How a turn ended.
enum TurnEnd {
    Reason(EndReason),
    /// The program failed, so a person decides about the item.
    Failed(String),
}

impl Worker<'_> {
    /// Performs an item with a program, until its end or until the agent ends.
    pub(super) fn perform_engine_turn(&mut self, item: &Item, attempt: u32, config: &AgentConfig) {
        let Some(engine) = &config.engine else { return };
        let (step, is_complete) = self.find_progress(item);
        let mut work = Work::new(item, step.saturating_add(1));
        work.config = Some(config.clone());
        work.limit_time(config.settings.max_turn_time);
        if !self.start(&work, attempt) {
            return;
        }
        if is_complete {
            self.finish(&work, EndReason::Done);
            return;
        }
        let mut turn = EngineTurn::default();
        let end = match self.open_engine(&mut work, config, engine, &mut turn) {
            Ok(is_new) => self.prompt_engine(&mut work, config, engine, &mut turn, is_new),
            Err(end) => end,
        };
        self.end_engine_turn(&mut work, &mut turn, end);
    }

    /// Opens a session if none is open; returns whether it is new. A program that failed is not started again at once.
    fn open_engine(
        &mut self,
        work: &mut Work<'_>,
        config: &AgentConfig,
        engine: &EngineConfig,
        turn: &mut EngineTurn,
    ) -> Result<bool, TurnEnd> {
        if self.engines.is_ready(engine, now().clock) {
            return Ok(false);
        }
        while now().clock < self.engines.not_before() {
            if let Some(reason) = self.take_stop(work, TICK) {
                return Err(TurnEnd::Reason(reason));
            }
        }
        for warning in &engine.warnings {
            self.report(work, Warning { msg: warning.clone() });
        }
        let session = self.shared.store().acp_session().map(str::to_owned);
        let started = self.engines.start(engine, &config.state_folder, session, now().clock);
        for msg in started.map_err(TurnEnd::Failed)? {
            self.report(work, Warning { msg });
        }
        loop {
            if let Some(reason) = self.take_stop(work, Duration::ZERO) {
                turn.stop = Some(reason);
                self.engines.end(true);
                return Err(TurnEnd::Reason(reason));
            }
            match self.engines.next(now().clock, TICK) {
                NextEvent::Event(ClientEvent::Opened { session, origin }) => {
                    if origin == SessionOrigin::NewInsteadOfEarlier {
                        let msg = "the engine cannot continue its earlier session, so it does not know the earlier turns";
                        self.report(work, Warning { msg: msg.to_owned() });
                    }
                    if !self.keep(|store| store.set_acp_session(Some(&session))) {
                        return Err(TurnEnd::Reason(EndReason::Cancelled));
                    }
                    return Ok(origin != SessionOrigin::Earlier);
                }
                NextEvent::Event(ClientEvent::Warning(msg)) => self.report(work, Warning { msg }),
                NextEvent::Event(ClientEvent::Failed(message)) => return Err(TurnEnd::Failed(message)),
                NextEvent::Ended(end) => return Err(TurnEnd::Failed(format!("the program {end}"))),
                NextEvent::Event(_) | NextEvent::Nothing | NextEvent::Skipped => {}
            }
        }
    }

    /// Sends the item, and follows the program until it ends its turn.
    fn prompt_engine(
        &mut self,
        work: &mut Work<'_>,
        config: &AgentConfig,
        engine: &EngineConfig,
        turn: &mut EngineTurn,
        is_new: bool,
    ) -> TurnEnd {
        // The protocol has no system prompt.
        let system = Some(config.prompt.effective.clone()).filter(|text| is_new && !text.trim().is_empty());
        let blocks: Vec<String> = system.into_iter().chain([self.redact(&work.item.text)]).collect();
        // Without its place, the agent begins nothing: another process may be at work on another machine.
        if let Some(event) = self.wait_for_place(&work.item.id) {
            return TurnEnd::Reason(end_reason(&event));
        }
        let prompt = tool_call(PROMPT, &engine.name, serde_json::Map::new());
        if !self.keep_call(work, turn, &prompt) {
            return TurnEnd::Reason(EndReason::Cancelled);
        }
        turn.is_prompted = true;
        if let Some(client) = self.engines.client() {
            client.prompt(&blocks);
        }
        loop {
            self.poll_tail();
            if let Some(reason) = self.take_stop(work, Duration::ZERO) {
                if reason == EndReason::Cancelled {
                    self.engines.end(true);
                    return TurnEnd::Reason(reason);
                }
                self.cancel_engine(work, turn, reason);
            }
            self.poll_question(work, turn);
            match self.engines.next(now().clock, TICK) {
                NextEvent::Nothing | NextEvent::Skipped => {}
                NextEvent::Event(event) => {
                    if let Some(end) = self.take_engine_event(work, engine, turn, event) {
                        return end;
                    }
                }
                NextEvent::Ended(end) => return self.take_failure(turn, format!("the program {end}")),
            }
        }
    }

    fn cancel_engine(&mut self, work: &mut Work<'_>, turn: &mut EngineTurn, reason: EndReason) {
        turn.stop.get_or_insert(reason);
        turn.questions.clear();
        work.activity = Activity::None;
        self.shared.status().confirmation = None;
        if let Some(client) = self.engines.client() {
            client.cancel(now().clock);
        }
    }

    /// Uses an event; returns the end of the turn.
    fn take_engine_event(
        &mut self,
        work: &mut Work<'_>,
        engine: &EngineConfig,
        turn: &mut EngineTurn,
        event: ClientEvent,
    ) -> Option<TurnEnd> {
        match event {
            ClientEvent::Text(text) => {
                self.publish_text(work, &text, None);
                turn.add_text(&text);
            }
            ClientEvent::CallStarted { id, kind, input } => {
                let call = tool_call(&id, kind.as_str(), input);
                // Without the record, the program does not go on.
                if !self.keep_call(work, turn, &call) {
                    self.engines.end(true);
                    return Some(TurnEnd::Reason(EndReason::Cancelled));
                }
                self.announce(work, &call);
                turn.calls.insert(id, call);
            }
            ClientEvent::CallEnded { id, kind, is_ok, content } => {
                self.end_engine_call(work, turn, &id, kind, is_ok, &content);
            }
            ClientEvent::Usage { used, size } => self.note_usage(used, size),
            ClientEvent::Asked(question) => match engine.permissions.strictest(question.kinds) {
                Permission::Ask => turn.questions.push_back(question),
                permission => {
                    if let Some(client) = self.engines.client() {
                        client.answer(question.number, permission == Permission::Allow);
                    }
                }
            },
            ClientEvent::Warning(msg) => self.report(work, Warning { msg }),
            ClientEvent::Ended(reason) => {
                let reason = turn.stop.unwrap_or(reason);
                self.engines.note_success();
                return Some(TurnEnd::Reason(reason));
            }
            ClientEvent::PromptFailed(message) => {
                let reason = turn.stop.unwrap_or(EndReason::Model);
                self.fail(work, &Failure::new(ErrorCode::ModelUnavailable, message));
                return Some(TurnEnd::Reason(reason));
            }
            ClientEvent::Failed(message) => return Some(self.take_failure(turn, message)),
            ClientEvent::Opened { .. } => {}
        }
        None
    }

    fn end_engine_call(
        &mut self,
        work: &mut Work<'_>,
        turn: &mut EngineTurn,
        id: &str,
        kind: ToolKind,
        is_ok: bool,
        content: &str,
    ) {
        let Some(call) = turn.calls.remove(id) else { return };
        // What it asked about the call is not of use any longer.
        if turn.questions.front().is_some_and(|question| question.call == id) {
            work.activity = Activity::None;
            self.shared.status().confirmation = None;
        }
        turn.questions.retain(|question| question.call != id);
        // A secret that is cut would not be found.
        let content = crate::tail::redact_result(self.shared.tail().redactor(), content);
        let content = shorten(&content, Self::output_limit(work));
        if !content.is_empty() && kind != ToolKind::Think {
            self.publish_text(work, &content, Some(Stream::Stdout));
        }
        let outcome = ToolOutcome { is_ok, content, rc: None, code: None };
        self.keep_result(work, &call, outcome);
    }

    /// Publishes the use of the context. The program makes space in it by itself, so no input is refused for it.
    fn note_usage(&self, used: u64, size: u64) {
        let context = minds_fleet_protocol::ContextBudget { tokens: used, window: size };
        let change = {
            let mut status = self.shared.status();
            if status.context.tokens == used {
                return;
            }
            status.context.tokens = used;
            StateChange { state: status.state, ctx_pct: context.part(), tokens_in_ctx: used }
        };
        self.shared.report(minds_fleet_protocol::Event::new(change));
    }

    /// Returns the end of a turn whose program failed: the one that was asked for, if any.
    fn take_failure(&mut self, turn: &EngineTurn, message: String) -> TurnEnd {
        self.engines.end(true);
        turn.stop.map_or(TurnEnd::Failed(message), TurnEnd::Reason)
    }

    /// Keeps what is left of a turn, and ends the item.
    fn end_engine_turn(&mut self, work: &mut Work<'_>, turn: &mut EngineTurn, end: TurnEnd) {
        for (_, call) in std::mem::take(&mut turn.calls) {
            let content = "the turn ended during this call, and the call may have had effects".to_owned();
            self.keep_result(work, &call, ToolOutcome { content, ..ToolOutcome::default() });
        }
        let reason = match &end {
            TurnEnd::Reason(reason) => *reason,
            TurnEnd::Failed(_) => EndReason::Error,
        };
        if turn.is_prompted {
            let is_ok = reason == EndReason::Done;
            self.keep(|store| {
                store.append_history(&[HistoryRecord {
                    call_id: Some(PROMPT.to_owned()),
                    ok: Some(is_ok),
                    ..record(work.item, store.next_seq(), Role::Tool)
                }])
            });
        }
        let text = turn.take_text();
        let is_done = reason == EndReason::Done;
        if is_done || !text.is_empty() {
            self.keep_engine_text(work, &text, &[], !is_done);
        }
        match end {
            TurnEnd::Reason(reason) => self.finish(work, reason),
            TurnEnd::Failed(message) => {
                self.engines.note_failure(now().clock);
                let message =
                    format!("{message}; the item is parked: `retry` performs it again, `drop` gives it up");
                self.fail(work, &Failure::new(ErrorCode::HandlerError, message));
                self.park(work, "the engine failed while it worked on the item");
            }
        }
    }

    /// Returns why the turn is to end, if that is asked for within `wait`.
    fn take_stop(&mut self, work: &mut Work<'_>, wait: Duration) -> Option<EndReason> {
        if self.takes_too_long(work) {
            return Some(EndReason::Interrupted);
        }
        let command = self.shared.next_command(Some(wait))?;
        self.stop_by(command, &work.item.id).map(|event| end_reason(&event))
    }
}

/// Returns how a turn ends by an event that stops it.
fn end_reason(event: &TurnEvent) -> EndReason {
    if matches!(event, TurnEvent::Cancelled) { EndReason::Cancelled } else { EndReason::Interrupted }
}

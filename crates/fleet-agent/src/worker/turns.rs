//! Performing the effects of a turn.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use minds_fleet_protocol::{
    EndReason, Error, Event, EventKind, HistoryRecord, Item, QueueRecord, Role, TaskStart, Token,
    ToolCall as ToolStart, ToolResult, estimate_tokens,
};
use minds_model_client::{ModelEvent, ToolCall};

use super::Worker;
use super::activity::{Activity, Happened, TICK};
use crate::clock::{now, timestamp};
use crate::config::{AgentConfig, DEFAULT_TOOL_OUTPUT_BYTES};
use crate::context::{shorten, to_history};
use crate::tail::Source;
use crate::turn::{ToolOutcome, Turn, TurnEffect, TurnEvent};
use minds_agent_tools::ToolEvent;

/// An item at work.
pub(super) struct Work<'i> {
    pub(super) item: &'i Item,
    pub(super) step: u32,
    pub(super) config: Option<AgentConfig>,
    pub(super) activity: Activity,
    /// The tokens of the request and of the answer, as the model counted them.
    usage: Option<(u64, u64)>,
    /// The estimated tokens of the request.
    pub(super) estimated: u64,
    /// The calls of the answer by their ids.
    pub(super) calls: BTreeMap<String, CallPlace>,
    /// The name of the tool that was run last, without secrets.
    tool: String,
    /// When the turn takes too long, on the clock of the process, and its maximum duration; none after that was reported.
    pub(super) limit: Option<(Duration, Duration)>,
}

/// A call of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallPlace {
    /// The position in its answer, from 0.
    pub(super) number: usize,
    /// When it was announced.
    pub(super) announced: Option<Duration>,
}

impl<'i> Work<'i> {
    /// Returns the work on an item of which some steps have begun earlier.
    pub(super) fn new(item: &'i Item, step: u32) -> Self {
        Self {
            item,
            step,
            config: None,
            activity: Activity::None,
            usage: None,
            estimated: 0,
            calls: BTreeMap::new(),
            tool: String::new(),
            limit: None,
        }
    }
}

impl Worker<'_> {
    /// Performs an item until its end, or until the agent ends; returns the configuration of its last step.
    pub(super) fn perform_turn(&mut self, item: &Item, attempt: u32) -> Option<AgentConfig> {
        let (step, is_complete) = self.find_progress(item);
        let mut work = Work::new(item, step);
        if !self.start(&work, attempt) {
            return None;
        }
        if is_complete {
            // The agent ended after its last answer and before the record of the end.
            self.finish(&work, EndReason::Done);
            return None;
        }
        let settings = self.configuration.load().map(|config| config.settings);
        let max_steps = settings.as_ref().map_or(1, |settings| settings.max_steps);
        if let Ok(settings) = &settings {
            work.limit_time(settings.max_turn_time);
        }
        let (mut turn, first) = Turn::begin(step, max_steps);
        let mut effects = VecDeque::from(first);
        loop {
            while let Some(effect) = effects.pop_front() {
                work.step = turn.step();
                // Without its place, the agent begins nothing: another process may be at work on another machine.
                let stopped = if effect.begins_work() { self.wait_for_place(&work.item.id) } else { None };
                if let Some(event) = stopped.or_else(|| self.perform_effect(&mut work, effect)) {
                    // What follows from an effect happens before what was planned after it.
                    effects.extend(turn.apply(event));
                }
            }
            if turn.has_finished() {
                return work.config;
            }
            if let Some(event) = self.wait_for_event(&mut work) {
                effects.extend(turn.apply(event));
            }
        }
    }

    /// Returns the number of steps that earlier attempts began, and whether they are complete.
    pub(super) fn find_progress(&self, item: &Item) -> (u32, bool) {
        let store = self.shared.store();
        let own = || store.recent_history().filter(|record| record.qid == item.id);
        let steps = own().filter(|record| record.role == Role::Assistant).count();
        let is_answer = |record: &HistoryRecord| {
            record.role == Role::Assistant && record.tool_calls.is_empty() && record.partial.is_none()
        };
        (u32::try_from(steps).unwrap_or(u32::MAX), own().next_back().is_some_and(is_answer))
    }

    /// Records the start of an item; returns whether it has begun.
    pub(super) fn start(&mut self, work: &Work<'_>, attempt: u32) -> bool {
        let item = work.item;
        let is_new = !self.shared.store().recent_history().any(|record| record.qid == item.id);
        let content = self.redact(&item.text);
        let started = self.keep(|store| {
            if is_new {
                let user =
                    HistoryRecord { content: content.clone(), ..record(item, store.next_seq(), Role::User) };
                store.append_history(&[user])?;
            }
            let start = QueueRecord::Start { start: item.id.clone(), ts: timestamp(), attempt };
            store.append_queue(&[start])?;
            store.sync_queue()
        });
        if !started {
            return false;
        }
        self.shared.status().current = Some(item.id.clone());
        let prompt_id = item.req_id.to_string();
        self.report(work, TaskStart { id: item.id.clone(), prompt_id });
        true
    }

    pub(super) fn report(&self, work: &Work<'_>, kind: impl Into<EventKind>) {
        let (qid, trace_id) = (Some(work.item.id.clone()), Some(work.item.trace_id.clone()));
        self.shared.report(Event { kind: kind.into(), qid, trace_id });
    }

    /// Performs an effect, and returns what happens by it at once.
    fn perform_effect(&mut self, work: &mut Work<'_>, effect: TurnEffect) -> Option<TurnEvent> {
        match effect {
            TurnEffect::Prepare => return Some(self.prepare(work)),
            TurnEffect::Summarize { is_strict } => {
                let config = work.config.as_ref()?;
                match self.begin_summary(config, is_strict, Some(&work.item.id)) {
                    Some(draft) => work.activity = Activity::Summary(draft),
                    None => return Some(TurnEvent::Summarized { is_accepted: false }),
                }
            }
            TurnEffect::Ask => return self.ask(work),
            TurnEffect::Pause(time) => work.activity = Activity::Pause(now().clock.saturating_add(time)),
            TurnEffect::DropAnswer => work.activity = Activity::None,
            TurnEffect::Say(text) => self.publish_text(work, &text, None),
            TurnEffect::KeepAnswer { text, calls, is_partial } => {
                // Without the record, no call of the answer runs.
                let is_kept = self.keep_answer(work, &text, &calls, is_partial);
                return (!is_kept).then_some(TurnEvent::Cancelled);
            }
            TurnEffect::Judge(call) => {
                self.announce(work, &call);
                return Some(TurnEvent::Judged(self.tools.judge(&call)));
            }
            TurnEffect::Confirm(call) => self.confirm(work, &call),
            TurnEffect::WithdrawConfirmation => {
                work.activity = Activity::None;
                self.shared.status().confirmation = None;
            }
            TurnEffect::Run(call) => {
                let effect = effect_of(work, &call);
                work.tool = self.redact(&self.tools.file_name(&call.name));
                work.activity = Activity::Tool(self.tools.run(&call, &effect));
            }
            TurnEffect::StopTool { is_hard } => {
                if let Activity::Tool(tool) = &mut work.activity {
                    tool.stop(is_hard);
                }
            }
            TurnEffect::KeepResult { call, outcome } => {
                let is_kept = self.keep_result(work, &call, outcome);
                return (!is_kept).then_some(TurnEvent::Cancelled);
            }
            TurnEffect::Finish(reason) => self.finish(work, reason),
        }
        None
    }

    /// Waits for what happens next.
    fn wait_for_event(&mut self, work: &mut Work<'_>) -> Option<TurnEvent> {
        self.poll_tail();
        let wait = if work.activity.takes_time() { Duration::ZERO } else { TICK };
        let command = self.shared.next_command(Some(wait));
        if let Some(event) = command.and_then(|command| self.stop_by(command, &work.item.id)) {
            return Some(event);
        }
        if self.takes_too_long(work) {
            return Some(TurnEvent::Interrupted);
        }
        if matches!(work.activity, Activity::Confirmation) {
            return self.poll_confirmation(work);
        }
        if let Activity::Summary(draft) = &mut work.activity {
            let drafted = self.poll_summary(draft);
            let event = self.summary_event(work.config.as_ref(), drafted)?;
            work.activity = Activity::None;
            return Some(event);
        }
        match work.activity.wait(now().clock)? {
            Happened::PauseEnded => Some(TurnEvent::PauseEnded),
            Happened::Model(Ok(ModelEvent::Text(text))) => Some(TurnEvent::Text(text)),
            Happened::Model(Ok(ModelEvent::Call(call))) => Some(TurnEvent::Called(call)),
            Happened::Model(Ok(ModelEvent::Usage { input, output })) => {
                work.usage = Some((input, output));
                None
            }
            Happened::Model(Ok(ModelEvent::End)) => {
                work.activity = Activity::None;
                Some(TurnEvent::Answered)
            }
            Happened::Model(Err(error)) => {
                work.activity = Activity::None;
                Some(self.model_failed(work, &error))
            }
            Happened::Tool(ToolEvent::Output { stream, text }) => {
                self.publish_text(work, &text, Some(stream));
                None
            }
            Happened::Tool(ToolEvent::Ended(outcome)) => {
                work.activity = Activity::None;
                Some(TurnEvent::ToolEnded(outcome))
            }
        }
    }

    /// Publishes text of the model, or output of a tool.
    pub(super) fn publish_text(
        &self,
        work: &Work<'_>,
        text: &str,
        stream: Option<minds_fleet_protocol::Stream>,
    ) {
        let model = match stream {
            Some(_) => format!("tool:{}", work.tool),
            None => self.shared.status().model.clone().unwrap_or_default(),
        };
        let source = Source {
            token: Token { text: String::new(), model, stream },
            qid: work.item.id.clone(),
            trace_id: work.item.trace_id.clone(),
        };
        let said = self.shared.tail().publish_text(&source, text, now());
        if let Err(failure) = said {
            self.shared.note_error(&failure);
        }
    }

    pub(super) fn announce(&self, work: &mut Work<'_>, call: &ToolCall) {
        work.calls.entry(call.id.clone()).or_default().announced = Some(now().clock);
        if let Ok(known) = to_history(call, None) {
            self.report(
                work,
                ToolStart {
                    name: self.tools.file_name(&call.name),
                    input: known.args,
                    call_id: call.id.clone(),
                },
            );
        }
    }

    /// Returns the arguments of a call as text without secrets.
    pub(super) fn redacted_arguments(&self, call: &ToolCall) -> String {
        let Ok(known) = to_history(call, None) else { return String::new() };
        crate::tail::redact_json(self.shared.tail().redactor(), &known.args).as_str().to_owned()
    }

    /// Keeps an answer; returns whether it is on the disk.
    fn keep_answer(&mut self, work: &mut Work<'_>, text: &str, calls: &[ToolCall], is_partial: bool) -> bool {
        work.calls = calls
            .iter()
            .enumerate()
            .map(|(number, call)| (call.id.clone(), CallPlace { number, announced: None }))
            .collect();
        let mut tool_calls = Vec::with_capacity(calls.len());
        for call in calls {
            let effect = self.tools.has_effect(call).then(|| effect_of(work, call));
            tool_calls.extend(to_history(call, effect).map(|mut known| {
                known.name = self.redact(&known.name);
                known.args = crate::tail::redact_json(self.shared.tail().redactor(), &known.args);
                known.id = self.redact(&known.id);
                known
            }));
        }
        let content = self.redact(text);
        let (tokens_in, tokens_out) = work.usage.take().unwrap_or_default();
        self.shared.metrics.add_tokens(tokens_in.saturating_add(tokens_out));
        if tokens_in > 0 {
            let estimated = work.estimated.saturating_add(estimate_tokens(text));
            self.usage = Some((tokens_in.saturating_add(tokens_out), estimated));
        }
        self.keep(|store| {
            store.append_history(&[HistoryRecord {
                content: content.clone(),
                tokens_in,
                tokens_out,
                tool_calls: tool_calls.clone(),
                partial: is_partial.then_some(true),
                ..record(work.item, store.next_seq(), Role::Assistant)
            }])
        })
    }

    /// Keeps the result of a call; returns whether it is on the disk.
    pub(super) fn keep_result(&mut self, work: &mut Work<'_>, call: &ToolCall, outcome: ToolOutcome) -> bool {
        // A secret that is cut would not be found.
        let content = crate::tail::redact_result(self.shared.tail().redactor(), &outcome.content);
        let content = shorten(&content, Self::output_limit(work));
        let call_id = self.redact(&call.id);
        let ToolOutcome { is_ok, rc, code, .. } = outcome;
        let is_kept = self.keep(|store| {
            store.append_history(&[HistoryRecord {
                content: content.clone(),
                call_id: Some(call_id.clone()),
                ok: Some(is_ok),
                ..record(work.item, store.next_seq(), Role::Tool)
            }])
        });
        // A call that was not begun was not announced.
        if let Some(start) = work.calls.get(&call.id).and_then(|place| place.announced) {
            let duration = now().clock.saturating_sub(start).as_millis();
            let duration_ms = u64::try_from(duration).unwrap_or(u64::MAX);
            let (call_id, name) = (call.id.clone(), self.tools.file_name(&call.name));
            self.report(work, ToolResult { call_id, name, ok: is_ok, rc, duration_ms, code });
        }
        is_kept
    }

    /// Returns the longest output of a tool that a model receives, in bytes.
    pub(super) fn output_limit(work: &Work<'_>) -> usize {
        let default = usize::try_from(DEFAULT_TOOL_OUTPUT_BYTES).unwrap_or(usize::MAX);
        work.config.as_ref().map_or(default, |config| config.tools.output_bytes)
    }

    /// Publishes why a turn cannot continue.
    pub(super) fn fail(&self, work: &Work<'_>, failure: &minds_fleet_protocol::Failure) {
        self.shared.note_error(failure);
        let (msg, code) = (failure.message.clone(), Some(failure.code.clone()));
        self.report(work, Error { msg, code, trace: None });
    }
}

/// Returns a record of the history without content.
pub(super) fn record(item: &Item, seq: u64, role: Role) -> HistoryRecord {
    HistoryRecord {
        seq,
        ts: timestamp(),
        role,
        source: item.source.clone(),
        content: String::new(),
        tokens_in: 0,
        tokens_out: 0,
        qid: item.id.clone(),
        tool_calls: Vec::new(),
        call_id: None,
        ok: None,
        partial: None,
    }
}

/// Returns what identifies a call of a step.
pub(super) fn effect_of(work: &Work<'_>, call: &ToolCall) -> String {
    let number = work.calls.get(&call.id).map_or(0, |place| place.number);
    format!("{}/{}/{number}", work.item.id, work.step)
}

//! The work on one item, as values: events go in, effects come out.
//!
//! A turn is a sequence of steps. A step is one request to the model and the tool calls of its answer.

use std::collections::VecDeque;
use std::time::Duration;

use minds_fleet_protocol::{ContextPressure, EndReason, FailureCode};
use minds_model_client::{Jitter, ToolCall, next_pause};

pub use minds_agent_tools::ToolOutcome;

/// The work on one item.
#[derive(Debug)]
pub struct Turn {
    phase: Phase,
    /// The number of steps of this item that have begun.
    step: u32,
    max_steps: u32,
    /// The number of requests of this step.
    requests: u32,
    text: String,
    /// The calls of this step that have no result yet. The first one is at work.
    calls: VecDeque<ToolCall>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Preparing,
    Summarizing {
        is_strict: bool,
    },
    Asking,
    Pausing,
    Streaming,
    Judging,
    Awaiting,
    Running,
    /// The tool is being stopped.
    Stopping(EndReason),
    Finished,
}

/// What happens to a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEvent {
    /// The context of the next request is known.
    Prepared(ContextPressure),
    /// A summary was written, and is accepted or not.
    Summarized {
        /// Whether it replaces the turns.
        is_accepted: bool,
    },
    /// The model wrote text.
    Text(String),
    /// The model called a tool.
    Called(ToolCall),
    /// The answer of the model is complete.
    Answered,
    /// The model failed.
    ModelFailed {
        /// Whether the same request may succeed later.
        is_retryable: bool,
        /// The pause that the provider asks for.
        retry_after: Option<Duration>,
        /// What changes another pause.
        jitter: Jitter,
    },
    /// The pause before the next request is over.
    PauseEnded,
    /// It is decided whether the call may run.
    Judged(Verdict),
    /// The owner has decided about the call.
    Confirmed(bool),
    /// The tool has ended.
    ToolEnded(ToolOutcome),
    /// The turn is to end cooperatively.
    Interrupted,
    /// The turn is to end at once.
    Cancelled,
    /// The turn cannot continue.
    Failed,
}

/// Whether a tool call may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Run,
    /// The owner decides.
    Confirm,
    /// It does not run.
    Refuse(ToolOutcome),
}

/// What has to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEffect {
    /// Gather the context of the next request.
    Prepare,
    /// Let the model summarize the oldest turns.
    Summarize {
        /// Whether the summary before was too long.
        is_strict: bool,
    },
    /// Send the request to the model.
    Ask,
    /// Wait before the next request.
    Pause(Duration),
    /// End the request to the model.
    DropAnswer,
    /// Publish text of the model.
    Say(String),
    /// Keep the answer of the model. This is durable before anything else happens.
    KeepAnswer {
        /// The text.
        text: String,
        /// The calls, which run one after another.
        calls: Vec<ToolCall>,
        /// Whether the answer is not complete.
        is_partial: bool,
    },
    /// Decide whether a call may run.
    Judge(ToolCall),
    /// Ask the owner about a call.
    Confirm(ToolCall),
    /// Withdraw the question to the owner.
    WithdrawConfirmation,
    /// Run a call.
    Run(ToolCall),
    /// End the running tool.
    StopTool {
        /// Whether to end it at once.
        is_hard: bool,
    },
    /// Keep the result of a call.
    KeepResult {
        /// The call.
        call: ToolCall,
        /// The result.
        outcome: ToolOutcome,
    },
    /// The turn has ended.
    Finish(EndReason),
}

impl TurnEffect {
    /// Returns whether the effect begins something, and does not only end or keep what was begun.
    pub(crate) fn begins_work(&self) -> bool {
        matches!(self, Self::Prepare | Self::Ask | Self::Judge(_))
    }
}

impl Turn {
    /// Begins the work on an item of which `step` steps have begun earlier.
    pub fn begin(step: u32, max_steps: u32) -> (Self, Vec<TurnEffect>) {
        let mut turn = Self {
            phase: Phase::Preparing,
            step,
            max_steps: step.saturating_add(max_steps),
            requests: 0,
            text: String::new(),
            calls: VecDeque::new(),
        };
        let effects = turn.begin_step();
        (turn, effects)
    }

    /// Returns the number of the step, from 1.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Returns whether the turn has ended.
    pub fn has_finished(&self) -> bool {
        self.phase == Phase::Finished
    }

    /// Applies an event. Events that do not fit the state of the turn came too late, and change nothing.
    #[must_use]
    pub fn apply(&mut self, event: TurnEvent) -> Vec<TurnEffect> {
        match (self.phase, event) {
            (Phase::Finished, _) => Vec::new(),
            (_, TurnEvent::Interrupted) => self.stop(EndReason::Interrupted),
            (_, TurnEvent::Cancelled) => self.stop(EndReason::Cancelled),
            (_, TurnEvent::Failed) => self.stop(EndReason::Error),
            (Phase::Preparing, TurnEvent::Prepared(pressure)) => {
                if pressure >= ContextPressure::SummarizeBeforeStep {
                    self.summarize(false)
                } else {
                    self.ask()
                }
            }
            (Phase::Summarizing { is_strict: false }, TurnEvent::Summarized { is_accepted: false }) => {
                self.summarize(true)
            }
            // Without a summary, the turns stay as they are.
            (Phase::Summarizing { .. }, TurnEvent::Summarized { .. })
            | (Phase::Pausing, TurnEvent::PauseEnded) => self.ask(),
            (Phase::Asking | Phase::Streaming, TurnEvent::Text(text)) => {
                self.phase = Phase::Streaming;
                self.text.push_str(&text);
                vec![TurnEffect::Say(text)]
            }
            (Phase::Asking | Phase::Streaming, TurnEvent::Called(call)) => {
                self.phase = Phase::Streaming;
                let call = self.with_own_id(call);
                self.calls.push_back(call);
                Vec::new()
            }
            (Phase::Asking | Phase::Streaming, TurnEvent::Answered) => self.take_answer(),
            (Phase::Asking, TurnEvent::ModelFailed { is_retryable: true, retry_after, jitter }) => {
                match next_pause(self.requests, retry_after, jitter) {
                    Some(pause) => {
                        self.phase = Phase::Pausing;
                        vec![TurnEffect::Pause(pause)]
                    }
                    None => self.end_without_answer(),
                }
            }
            (Phase::Asking | Phase::Streaming, TurnEvent::ModelFailed { .. }) => self.end_without_answer(),
            (Phase::Judging, TurnEvent::Judged(verdict)) => self.take_verdict(verdict),
            (Phase::Awaiting, TurnEvent::Confirmed(true)) => self.run(),
            (Phase::Awaiting, TurnEvent::Confirmed(false)) => {
                self.end_call(ToolOutcome { content: "the owner refused the call".to_owned(), ..refusal() })
            }
            (Phase::Running, TurnEvent::ToolEnded(outcome)) => self.end_call(outcome),
            (Phase::Stopping(reason), TurnEvent::ToolEnded(outcome)) => {
                let mut effects = self.keep_result(outcome);
                effects.extend(self.finish(reason));
                effects
            }
            _ => Vec::new(),
        }
    }

    fn begin_step(&mut self) -> Vec<TurnEffect> {
        if self.step >= self.max_steps {
            return self.finish(EndReason::MaxSteps);
        }
        self.step = self.step.saturating_add(1);
        self.requests = 0;
        self.phase = Phase::Preparing;
        vec![TurnEffect::Prepare]
    }

    fn summarize(&mut self, is_strict: bool) -> Vec<TurnEffect> {
        self.phase = Phase::Summarizing { is_strict };
        vec![TurnEffect::Summarize { is_strict }]
    }

    fn ask(&mut self) -> Vec<TurnEffect> {
        self.phase = Phase::Asking;
        self.requests = self.requests.saturating_add(1);
        vec![TurnEffect::Ask]
    }

    /// Returns a call with an id that no other call of the answer has. Some models repeat ids, or leave them out.
    fn with_own_id(&self, call: ToolCall) -> ToolCall {
        let is_used = |id: &str| id.is_empty() || self.calls.iter().any(|one| one.id == id);
        let numbered = (self.calls.len()..).map(|number| format!("{}-{number}", call.id));
        let id = std::iter::once(call.id.clone()).chain(numbered).find(|id| !is_used(id)).unwrap_or_default();
        ToolCall { id, ..call }
    }

    fn take_answer(&mut self) -> Vec<TurnEffect> {
        let calls: Vec<ToolCall> = self.calls.iter().cloned().collect();
        let text = std::mem::take(&mut self.text);
        let mut effects = vec![TurnEffect::KeepAnswer { text, calls, is_partial: false }];
        effects.extend(match self.calls.front() {
            None => self.finish(EndReason::Done),
            Some(_) => self.judge_next(),
        });
        effects
    }

    fn judge_next(&mut self) -> Vec<TurnEffect> {
        match self.calls.front() {
            Some(call) => {
                self.phase = Phase::Judging;
                vec![TurnEffect::Judge(call.clone())]
            }
            None => self.begin_step(),
        }
    }

    fn take_verdict(&mut self, verdict: Verdict) -> Vec<TurnEffect> {
        match (verdict, self.calls.front()) {
            (Verdict::Run, _) => self.run(),
            (Verdict::Confirm, Some(call)) => {
                self.phase = Phase::Awaiting;
                vec![TurnEffect::Confirm(call.clone())]
            }
            (Verdict::Refuse(outcome), _) => self.end_call(outcome),
            (Verdict::Confirm, None) => self.begin_step(),
        }
    }

    fn run(&mut self) -> Vec<TurnEffect> {
        self.phase = Phase::Running;
        self.calls.front().map(|call| TurnEffect::Run(call.clone())).into_iter().collect()
    }

    fn end_call(&mut self, outcome: ToolOutcome) -> Vec<TurnEffect> {
        let mut effects = self.keep_result(outcome);
        effects.extend(self.judge_next());
        effects
    }

    fn keep_result(&mut self, outcome: ToolOutcome) -> Vec<TurnEffect> {
        self.calls.pop_front().map(|call| TurnEffect::KeepResult { call, outcome }).into_iter().collect()
    }

    /// Ends the turn after a failure of the model.
    fn end_without_answer(&mut self) -> Vec<TurnEffect> {
        // A call of an answer that is not complete does not run.
        self.calls.clear();
        let mut effects = self.keep_partial();
        effects.extend(self.finish(EndReason::Model));
        effects
    }

    fn keep_partial(&mut self) -> Vec<TurnEffect> {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return Vec::new();
        }
        vec![TurnEffect::KeepAnswer { text, calls: Vec::new(), is_partial: true }]
    }

    fn stop(&mut self, reason: EndReason) -> Vec<TurnEffect> {
        let mut effects = Vec::new();
        match self.phase {
            Phase::Asking | Phase::Streaming | Phase::Summarizing { .. } => {
                effects.push(TurnEffect::DropAnswer);
                // They were not kept, so nothing knows them.
                self.calls.clear();
                effects.extend(self.keep_partial());
            }
            Phase::Awaiting => effects.push(TurnEffect::WithdrawConfirmation),
            // The result of the tool is kept first.
            Phase::Running | Phase::Stopping(_) => {
                self.phase = Phase::Stopping(reason);
                return vec![TurnEffect::StopTool { is_hard: reason == EndReason::Cancelled }];
            }
            Phase::Preparing | Phase::Pausing | Phase::Judging | Phase::Finished => {}
        }
        effects.extend(self.finish(reason));
        effects
    }

    /// Ends the turn. Calls that did not run get a result that says so, because each call has one.
    fn finish(&mut self, reason: EndReason) -> Vec<TurnEffect> {
        self.phase = Phase::Finished;
        let outcome =
            || ToolOutcome { content: "the call did not run: the turn ended".to_owned(), ..refusal() };
        let mut effects: Vec<TurnEffect> =
            self.calls.drain(..).map(|call| TurnEffect::KeepResult { call, outcome: outcome() }).collect();
        effects.push(TurnEffect::Finish(reason));
        effects
    }
}

fn refusal() -> ToolOutcome {
    let code = FailureCode::Known(minds_fleet_protocol::ErrorCode::ToolDenied);
    ToolOutcome { code: Some(code), ..ToolOutcome::default() }
}

#[cfg(test)]
mod tests;
